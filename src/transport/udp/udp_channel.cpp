#include "transport/udp/udp_channel.h"

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "platform/futex.h"
#include "transport/malformed_input.h"
#include "transport/network_peer.h"
#include "transport/out_of_memory.h"
#include "transport/stream/stream_socket.h"
#include "transport/udp/ping_interval.h"

namespace orbweaver::transport::udp {
namespace {

using platform::Blocking;
using platform::IoResult;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint32_t kMaxUnansweredPings = 1'000;
// Interval at which a sender on a channel without a receiving thread checks for messages of the peer.
constexpr std::int64_t kByeCheckInterval_ms = 20;
// A receive that waits in the system call ends after this time, which is below the interval of pings.
constexpr std::int64_t kBlockingReceive_ms = 20;
constexpr std::size_t kBurst = 32;  // datagrams per system call

std::size_t datagram_bytes(const Settings& settings, const std::string& peer) noexcept {
  if (settings.datagram_bytes != 0) return static_cast<std::size_t>(settings.datagram_bytes);
  return peer.starts_with("127.") || peer.starts_with("[::1]") ? kLoopbackDatagramBytes : kDatagramBytes;
}

/// The other end; at the server with its user, if it is on this host.
Peer peer_of(const platform::Fd& socket, std::uint64_t nonce) {
  const platform::SocketAddress address = platform::peer_address(socket);
  if (nonce != 0) return network_peer(socket, address, platform::IpProtocol::udp);
  Peer server;
  server.address = address.text();
  return server;
}

}  // namespace

UdpChannel::UdpChannel(EstablishedConnection connection, const ChannelOptions& options,
                       const Settings& settings)
    : socket_(std::move(connection.socket)), id_(connection.id), nonce_(connection.nonce), options_(options),
      settings_(settings), peer_(peer_of(socket_, nonce_)), last_used_ns_(platform::now_ns()),
      send_queue_(id_, datagram_bytes(settings, peer_.address)), last_bye_check_ns_(last_used_ns_),
      share_(
          options.budget,
          [this](const std::string& why) {
            log_refused(peer_, why);
            close_as(ChannelState::lost);
          },
          ReceiveBudget::Timed::no),
      frames_(options.max_frame_bytes, counters_, &share_),
      receive_buffers_(new std::uint8_t[kBatch * kReceiveBufferBytes]), last_received_ns_(last_used_ns_),
      last_ping_ns_(last_used_ns_) {
  share_.count_for(peer_);
  capabilities_.claim_detects_disconnect = true;
  capabilities_.allows_fragments = false;
  capabilities_.batching = this;
  capabilities_.readiness = this;
  capabilities_.receive_status = this;
  platform::enable_gro(socket_);
  platform::limit_blocking_receive(socket_, kBlockingReceive_ms * kMs);
  for (std::size_t i = 0; i < kBatch; ++i)
    batch_[i].buffer = {receive_buffers_.get() + i * kReceiveBufferBytes, kReceiveBufferBytes};
}

UdpChannel::~UdpChannel() {
  UdpChannel::close();
  counters_.publish();
  log_counters();
}

void UdpChannel::log_counters() const {
  const Counters& c = counters_;
  const bool lost = c.frames_lost + c.too_old + c.unsent > 0;
  log::write_limited(lost ? log::Level::info : log::Level::debug, "datagrams counted", log::origin(peer_),
                     [&] {
                       std::string text = "udp " + peer_.address + ": ";
                       const auto add = [&text](std::uint64_t number, const char* what) {
                         text.append(std::to_string(number)).append(what);
                       };
                       add(c.frames, " frames received, ");
                       add(c.frames_lost, " lost; datagrams dropped: ");
                       add(c.late, " late, ");
                       add(c.duplicates, " duplicate, ");
                       add(c.too_old, " too old, ");
                       add(c.foreign, " foreign, ");
                       add(c.malformed, " malformed, ");
                       add(c.unsent, " not sent");
                       return text;
                     });
}

Result<MutableBytes> UdpChannel::claim(std::size_t bytes, Deadline) noexcept try {
  if (!state_.is_open()) return not_open_error();
  if (port_closed_) return Error{ErrorKind::disconnected, peer_.address + ": port closed"};
  const std::int64_t now = platform::now_ns();
  // A thread that waits for a reply keeps the connection, however long the server takes.
  if (nonce_ == 0 && now - last_used_ns_ > settings_.idle_ms * kMs && !receiving_) {
    return Error{ErrorKind::disconnected,
                 "the connection to " + peer_.address + " has been idle for longer than udp.idle-ms"};
  }
  if (now - last_bye_check_ns_ > kByeCheckInterval_ms * kMs) {
    last_bye_check_ns_ = now;
    check_for_bye();
    if (!state_.is_open()) return not_open_error();
  }
  const std::size_t most = std::min(options_.max_frame_bytes, send_queue_.max_frame_bytes());
  if (bytes > most) return frame_limit_error(bytes, most);
  const MutableBytes room = send_queue_.claim(bytes);
  if (room.data() == nullptr) return no_memory_for_frame_error(bytes);
  return room;
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> UdpChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (!state_.is_open()) return not_open_error();
  send_queue_.add(bytes, last_frame_ + 1);
  ++last_frame_;
  return send_all(deadline, AtDeadline::drop);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> UdpChannel::queue(std::size_t bytes, Deadline) noexcept try {
  if (!state_.is_open()) return not_open_error();
  send_queue_.add(bytes, last_frame_ + 1);
  ++last_frame_;
  return {};
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> UdpChannel::flush(Deadline deadline) noexcept try {
  if (send_queue_.empty()) return {};
  if (!state_.is_open()) return not_open_error();
  return send_all(deadline, AtDeadline::keep_queued);
} catch (...) {
  return close_out_of_memory(*this);
}

/// Sends all queued datagrams. Those that a commit cannot send before its deadline are dropped, like those
/// lost on the network; the channel stays usable.
Result<void> UdpChannel::send_all(Deadline deadline, AtDeadline late) {
  std::array<platform::OutgoingDatagram, kBurst> burst;
  while (const std::size_t n = send_queue_.next(burst)) {
    const IoResult sent = platform::send_datagrams(socket_, std::span(burst).first(n), segmentation_);
    if (sent.error == 0) {
      send_queue_.note_sent(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) {
        if (late == AtDeadline::drop) {
          counters_.unsent.add(n);
          send_queue_.clear();
        }
        return Error{ErrorKind::timed_out, "send timed out: no buffer space for a frame to " + peer_.address};
      }
      if (options_.wait == WaitStrategy::spin)
        platform::cpu_relax();
      else
        platform::poll(socket_, platform::kWritable, deadline);
    } else if (!state_.is_open()) {
      return not_open_error();
    } else if (sent.error == ECONNREFUSED) {
      port_closed_ = true;
      send_queue_.clear();
      return Error{ErrorKind::disconnected,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    } else {
      ++counters_.unsent;  // no route, or no buffer space: the first datagram is dropped
      send_queue_.note_sent(1);
    }
  }
  last_used_ns_ = platform::now_ns();
  return {};
}

bool UdpChannel::arm() noexcept {
  polled_ = true;
  // a sender checks for a bye: soon done
  while (receiving_.exchange(true, std::memory_order_acquire)) platform::cpu_relax();
  ping_if_due();
  const bool nothing = parts_.empty() && burst_.empty() && next_ == received_count_ &&
                       receive_ended_.empty() && state_.is_open() && !port_closed_ &&
                       !is_silent(Deadline::never());
  receiving_.store(false, std::memory_order_release);
  return nothing;
}

/// Without a receiving thread, goodbyes and pings would stay unread. Frames are left for the receiver.
void UdpChannel::check_for_bye() noexcept try {
  if (polled_ || receiving_.exchange(true, std::memory_order_acquire)) return;
  if (polled_) {  // since: what arrives is the polling thread's
    receiving_.store(false, std::memory_order_release);
    return;
  }
  while (parts_.empty() && receive_ended_.empty()) {
    Bytes datagram;
    if (!next_datagram(datagram)) {
      if (!receive_batch()) break;
      continue;
    }
    if (const Result<void> good = handle_datagram(datagram); !good) {
      end_receiving(peer_.address + ": " + good.error().message);
    }
  }
  receiving_.store(false, std::memory_order_release);
} catch (...) {
  receiving_.store(false, std::memory_order_release);
  static_cast<void>(close_out_of_memory(*this));
}

Error UdpChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  close_as(ChannelState::lost);
  note_close();
  return Error{ErrorKind::disconnected, receive_ended_};
}

Result<Bytes> UdpChannel::receive(Deadline deadline) noexcept try {
  // a sender checks for a bye: soon done
  while (receiving_.exchange(true, std::memory_order_acquire)) platform::cpu_relax();
  polled_before_ = polled_ && polled_.exchange(false);
  Result<Bytes> frame = receive_exclusive(deadline);
  if (!frame) receiving_.store(false, std::memory_order_release);
  return frame;
} catch (...) {
  receiving_.store(false, std::memory_order_release);
  return close_out_of_memory(*this);
}

void UdpChannel::release() noexcept {
  frames_.release();
  receiving_.store(false, std::memory_order_release);
}

Result<Bytes> UdpChannel::receive_exclusive(Deadline deadline) {
  if (!receive_ended_.empty()) return Error{ErrorKind::disconnected, receive_ended_};
  for (;;) {
    if (!state_.is_open()) {
      note_close();
      return not_open_error();
    }
    Result<Bytes> frame = next_frame();
    if (!frame) return end_receiving(peer_.address + ": " + frame.error().message);
    if (!frame->empty()) return frame;
    const bool emptied = has_emptied_socket() && !deadline.passed();
    if ((!emptied && receive_batch()) || !state_.is_open()) continue;
    if (port_closed_) return end_receiving(peer_.address + ": port closed");
    if (is_silent(deadline)) return end_receiving(peer_.address + ": no answer to pings");
    if (deadline.passed()) return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
    wait_until(deadline, emptied);
  }
}

/// Returns the next frame; empty if the received datagrams complete none.
Result<Bytes> UdpChannel::next_frame() {
  for (;;) {
    while (!parts_.empty()) {
      const std::optional<Part> part = take_part(parts_);
      if (!part) {
        ++counters_.malformed;
        parts_ = {};
        break;
      }
      Result<Bytes> frame = frames_.take(*part);
      if (!frame || frame->empty()) {
        if (!frame && state_.is_open()) log_refused(peer_, frame.error().message);
        if (!frame) return frame;
        continue;
      }
      if (const Result<void> good = check_frame(*frame); !good) {
        log_refused(peer_, good.error().message);
        return Error(good.error());
      }
      return frame;
    }
    Bytes datagram;
    if (!next_datagram(datagram)) return Bytes();
    if (const Result<void> good = handle_datagram(datagram); !good) return Error(good.error());
  }
}

/// Returns the next received datagram. False: there is none.
bool UdpChannel::next_datagram(Bytes& datagram) noexcept {
  if (burst_.empty()) {
    if (next_ == received_count_) return false;
    const platform::Datagram& next = batch_[next_++];
    burst_ = next.truncated ? Bytes() : Bytes(next.buffer.first(next.bytes));
    segment_ = next.segment_bytes == 0 ? burst_.size() : next.segment_bytes;
  }
  datagram = burst_.first(std::min(segment_, burst_.size()));
  burst_ = burst_.subspan(datagram.size());
  return true;
}

/// Answers control datagrams, and makes the parts of a datagram the next ones to process.
Result<void> UdpChannel::handle_datagram(Bytes datagram) {
  const auto header = read_datagram_header(datagram);
  if (!header || header->id != id_) {
    if (header && header->kind == DatagramKind::open && header->id == nonce_) {
      platform::send(socket_, welcome_datagram(nonce_, id_), Blocking::no);  // the first was lost
    } else {
      ++counters_.foreign;
    }
    return {};
  }
  last_used_ns_ = last_received_ns_ = platform::now_ns();
  unanswered_pings_ = 0;
  switch (header->kind) {
    case DatagramKind::parts:
      if (settings_.max_age_ms != 0 &&
          playout_deadline_.lateness_ns(header->timestamp, last_received_ns_) > settings_.max_age_ms * kMs) {
        ++counters_.too_old;
      } else if (datagram.size() < kDatagramHeaderBytes + kPartHeaderBytes) {
        ++counters_.malformed;
      } else {
        parts_ = datagram.subspan(kDatagramHeaderBytes);
      }
      return {};
    case DatagramKind::ping: send_control(DatagramKind::pong); return {};
    case DatagramKind::pong: return {};
    case DatagramKind::bye:
      if (const std::uint32_t last = read_last_frame(datagram); last != 0) frames_.end(last);
      return Error{ErrorKind::disconnected, "closed the connection"};
    default: ++counters_.foreign; return {};
  }
}

/// Checks that the length in the frame's own header is the received one.
namespace {

[[gnu::cold]] Error too_short(std::size_t bytes) {
  return {ErrorKind::disconnected,
          "a frame of " + std::to_string(bytes) + " bytes, fewer than its header has"};
}
[[gnu::cold]] Error wrong_length(std::size_t announced, std::size_t bytes) {
  return {ErrorKind::disconnected,
          "a frame announced " + std::to_string(announced) + " bytes and has " + std::to_string(bytes)};
}

}  // namespace

Result<void> UdpChannel::check_frame(Bytes frame) const {
  if (frame.size() < kFrameHeaderBytes) return too_short(frame.size());
  const Result<std::size_t> length = options_.frame_length(frame.first(kFrameHeaderBytes));
  if (!length) return Error{ErrorKind::disconnected, length.error().message};
  if (*length == frame.size()) return {};
  return wrong_length(*length, frame.size());
}

/// Receives available datagrams; false if there are none.
bool UdpChannel::receive_batch(Blocking block) noexcept {
  next_ = received_count_ = 0;
  counters_.publish();
  IoResult got = platform::recv_datagrams(socket_, batch_, block);
  // The error is reported before datagrams that have arrived already: those are received first.
  if (got.error == ECONNREFUSED) {
    port_closed_ = true;
    got = platform::recv_datagrams(socket_, batch_, Blocking::no);
  }
  const bool shut_down = block == Blocking::yes && !state_.is_open();
  if (got.error == 0 && !(shut_down && batch_[0].bytes == 0)) received_count_ = got.bytes;
  return received_count_ > 0;
}

/// The last receive has returned all that the socket had: the next one would return nothing, unless it waits.
bool UdpChannel::has_emptied_socket() const noexcept {
  return options_.wait != WaitStrategy::spin && received_count_ > 0 && received_count_ < kBatch;
}

/// A call that waits for its reply has its own deadline: the servant may be busy until then.
bool UdpChannel::is_silent(Deadline deadline) const noexcept {
  return (deadline.is_never() || polled_before_) && unanswered_pings_ > 2 &&
         platform::now_ns() - unanswered_since_ns_ > settings_.silence_ms * kMs;
}

/// Pings the peer if it is time; returns the time of the next ping.
std::int64_t UdpChannel::ping_if_due() noexcept {
  const std::int64_t now = platform::now_ns();
  const std::int64_t sleep_ns = ping_interval_ms(unanswered_pings_, settings_.silence_ms) * kMs;
  const std::int64_t ask_at = std::max(last_received_ns_, last_ping_ns_) + sleep_ns;
  if (now < ask_at) return ask_at;
  if (unanswered_pings_ < kMaxUnansweredPings) send_control(DatagramKind::ping);
  if (unanswered_pings_++ == 0) unanswered_since_ns_ = now;
  last_ping_ns_ = now;
  return now + sleep_ns;
}

/// Waits until a datagram may have arrived, the deadline, or the time of the next ping. `emptied`: datagrams
/// have just been received, and the socket has no more. The next one is then received by the system call that
/// waits for it, which an idle peer's is not: one wake-up for each datagram, and none without.
void UdpChannel::wait_until(Deadline deadline, bool emptied) noexcept {
  const std::int64_t ask_at = ping_if_due();
  if (options_.wait == WaitStrategy::spin) return platform::cpu_relax();
  const Deadline until{std::min(deadline.ns, ask_at)};
  if (const std::int64_t spin_ns = options_.wait == WaitStrategy::adaptive ? spin_.next_ns() : 0;
      spin_ns > 0) {
    const std::int64_t enough = std::min(until.ns, platform::now_ns() + spin_ns);
    while (platform::now_ns() < enough) {
      if (receive_batch() || port_closed_ || !state_.is_open()) return spin_.record_success();
      platform::cpu_relax();
    }
    spin_.record_failure();
  }
  if (emptied && until.ns - platform::now_ns() >= kBlockingReceive_ms * kMs) {
    receive_batch(Blocking::yes);
  } else {
    platform::poll(socket_, platform::kReadable, until);
    next_ = received_count_ = 0;  // all have been processed: what has arrived is received without waiting
  }
}

void UdpChannel::send_control(DatagramKind kind) noexcept {
  if (platform::send(socket_, control_datagram(kind, id_, last_frame_), Blocking::no).error == ECONNREFUSED)
    port_closed_ = true;
}

void UdpChannel::close() noexcept { close_as(ChannelState::closed_here); }

void UdpChannel::close_as(ChannelState::Value state) noexcept {
  if (!state_.close_as(state)) return;
  send_control(DatagramKind::bye);
  platform::shutdown_both(socket_);
  bye_sent_ = true;
  // A poll set forgets the event of the shutdown together with the socket: the polling receiver releases the
  // port when it has seen it. Either it sees in `arm` that the channel is closed, or this sees `polled_`.
  if (!polled_ || close_noted_) release_port();
}

/// For the receiver: the channel is closed, and nobody polls it any more. The port is released after the bye
/// has been sent, by the thread that closes if that has not happened yet.
void UdpChannel::note_close() noexcept {
  close_noted_ = true;
  if (bye_sent_) release_port();
}

/// If the bye is lost, datagrams of the peer are answered by the listener.
void UdpChannel::release_port() noexcept {
  if (!port_released_.exchange(true)) platform::release_port(socket_);
}

}  // namespace orbweaver::transport::udp
