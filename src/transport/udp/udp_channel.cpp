#include "transport/udp/udp_channel.h"

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "platform/futex.h"
#include "transport/memory_failure.h"
#include "transport/refused.h"
#include "transport/stream/stream_socket.h"

namespace orbweaver::transport::datagram {
namespace {

using platform::Block;
using platform::IoResult;

constexpr std::int64_t kMs = 1'000'000;
// How long a receiver waits before it asks whether the peer is there, which is how it learns of its death: longer each
// time that nobody answers, but for the first questions, in a time that most calls take. A peer that never receives
// does not answer, and its socket must not fill up with questions.
constexpr std::int64_t kFirstAsk_ms = 50, kMostAsk_ms = 5'000;
constexpr std::uint32_t kFirstQuestions = 16;
constexpr std::uint32_t kMostUnanswered = 1'000;
// How often a sender that nobody receives for looks at what the peer has said.
constexpr std::int64_t kLook_ms = 20;
constexpr std::size_t kBurst = 32;  // datagrams given to the system at once

std::size_t datagram_bytes(const Settings& settings, const std::string& peer) noexcept {
  if (settings.datagram_bytes != 0) return static_cast<std::size_t>(settings.datagram_bytes);
  return peer.starts_with("127.") || peer.starts_with("[::1]") ? kLoopbackDatagramBytes : kDatagramBytes;
}

}  // namespace

UdpChannel::UdpChannel(Greeted greeted, const ChannelOptions& options, const Settings& settings)
    : socket_(std::move(greeted.socket)),
      id_(greeted.id),
      nonce_(greeted.nonce),
      options_(options),
      settings_(settings),
      peer_{platform::peer_address(socket_).text()},
      last_used_ns_(platform::now_ns()),
      outbox_(id_, datagram_bytes(settings, peer_.address)),
      looked_ns_(last_used_ns_),
      share_(options.budget,
             [this](const std::string& why) {
               log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer_),
                                  [&] { return "the connection with " + peer_.address + " is ended: " + why; });
               close_as(kLost);
             },
             ReceiveBudget::Timed::no),
      frames_(options.max_frame_bytes, counters_, &share_),
      rooms_(new std::uint8_t[kBatch * kRoomBytes]),
      heard_ns_(last_used_ns_),
      asked_ns_(last_used_ns_) {
  share_.count_for(peer_);
  platform::take_segments(socket_);
  for (std::size_t i = 0; i < kBatch; ++i) batch_[i].room = {rooms_.get() + i * kRoomBytes, kRoomBytes};
}

UdpChannel::~UdpChannel() {
  UdpChannel::close();
  counters_.publish();
  const auto text = [&] {
    const Counters& c = counters_;
    return "udp " + peer_.address + ": " + std::to_string(c.frames) + " frames received, " +
           std::to_string(c.frames_lost) + " lost; datagrams dropped: " + std::to_string(c.late) + " late, " +
           std::to_string(c.duplicates) + " duplicate, " + std::to_string(c.too_old) + " too old, " +
           std::to_string(c.foreign) + " foreign, " + std::to_string(c.malformed) + " malformed, " +
           std::to_string(c.unsent) + " without room at this end";
  };
  const bool lost = counters_.frames_lost + counters_.too_old + counters_.unsent > 0;
  log::write_limited(lost ? log::Level::info : log::Level::debug, "datagrams counted", log::origin(peer_), text);
}

Error UdpChannel::not_open() const {
  return Error{Remedy::reconnect, "the connection to " + peer_.address +
                                      (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> UdpChannel::claim(std::size_t bytes, Deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  if (refused_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  const std::int64_t now = platform::now_ns();
  // Somebody who waits for an answer keeps the connection, however long the server takes.
  if (nonce_ == 0 && now - last_used_ns_ > settings_.idle_ms * kMs && !reading_) {
    return Error{Remedy::reconnect, "the connection to " + peer_.address + " was idle for too long"};
  }
  if (now - looked_ns_ > kLook_ms * kMs) {
    looked_ns_ = now;
    look();
    if (state_ != kOpen) return not_open();
  }
  const std::size_t most = std::min(options_.max_frame_bytes, outbox_.max_frame_bytes());
  if (bytes > most) {
    return Error{Remedy::give_up,
                 "a frame of " + std::to_string(bytes) + " bytes; the limit is " + std::to_string(most)};
  }
  const MutableBytes room = outbox_.claim(bytes);
  if (room.data() == nullptr) return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  return room;
} catch (...) {
  return close_without_memory(*this);
}

Result<void> UdpChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  outbox_.add(bytes, last_frame_ + 1);
  ++last_frame_;
  return send_all(deadline, Late::is_lost);
} catch (...) {
  return close_without_memory(*this);
}

Result<void> UdpChannel::queue(std::size_t bytes, Deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  outbox_.add(bytes, last_frame_ + 1);
  ++last_frame_;
  return {};
} catch (...) {
  return close_without_memory(*this);
}

Result<void> UdpChannel::flush(Deadline deadline) noexcept try {
  if (outbox_.empty()) return {};
  if (state_ != kOpen) return not_open();
  return send_all(deadline, Late::stays);
} catch (...) {
  return close_without_memory(*this);
}

/// What a commit cannot send before its deadline is lost, as further on its way; the channel is as good as before.
Result<void> UdpChannel::send_all(Deadline deadline, Late late) {
  std::array<platform::OutgoingDatagram, kBurst> burst;
  while (const std::size_t n = outbox_.next(burst)) {
    const IoResult sent = platform::send_datagrams(socket_, std::span(burst).first(n), segmentation_);
    if (sent.error == 0) {
      outbox_.gone(sent.bytes);
    } else if (would_wait(sent)) {
      if (deadline.passed()) {
        if (late == Late::is_lost) {
          counters_.unsent.add(n);
          outbox_.clear();
        }
        return Error{Remedy::wait, "no room for a frame to " + peer_.address + " before the deadline"};
      }
      if (options_.wait == Wait::spin) platform::cpu_relax();
      else platform::poll(socket_, platform::kWritable, deadline);
    } else if (state_ != kOpen) {
      return not_open();
    } else if (sent.error == ECONNREFUSED) {
      refused_ = true;
      outbox_.clear();
      return Error{Remedy::reconnect, "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    } else {
      ++counters_.unsent;  // no route at present, no room on the link: the first of them does not go
      outbox_.gone(1);
    }
  }
  last_used_ns_ = platform::now_ns();
  return {};
}

bool UdpChannel::arm() noexcept {
  polled_ = true;
  while (reading_.exchange(true, std::memory_order_acquire)) platform::cpu_relax();  // a sender looks: soon done
  ask_when_due();
  const bool nothing = parts_.empty() && burst_.empty() && next_ == there_ && receive_ended_.empty() &&
                       state_ == kOpen && !refused_ && !is_silent(Deadline::never());
  reading_.store(false, std::memory_order_release);
  return nothing;
}

/// Where nobody receives, a goodbye and questions would stay unread. Frames are left for the receiver.
void UdpChannel::look() noexcept try {
  if (polled_ || reading_.exchange(true, std::memory_order_acquire)) return;
  while (parts_.empty() && receive_ended_.empty()) {
    Bytes datagram;
    if (!next_datagram(datagram)) {
      if (!fetch()) break;
      continue;
    }
    if (const Result<void> good = take_start(datagram); !good) {
      end_receiving(peer_.address + ": " + good.error().message);
    }
  }
  reading_.store(false, std::memory_order_release);
} catch (...) {
  reading_.store(false, std::memory_order_release);
  static_cast<void>(close_without_memory(*this));
}

Error UdpChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  close_as(kLost);
  return Error{Remedy::reconnect, receive_ended_};
}

Result<Bytes> UdpChannel::receive(Deadline deadline) noexcept try {
  while (reading_.exchange(true, std::memory_order_acquire)) platform::cpu_relax();  // a sender looks: soon done
  Result<Bytes> frame = receive_alone(deadline);
  if (!frame) reading_.store(false, std::memory_order_release);
  return frame;
} catch (...) {
  reading_.store(false, std::memory_order_release);
  return close_without_memory(*this);
}

void UdpChannel::release() noexcept {
  frames_.release();
  reading_.store(false, std::memory_order_release);
}

Result<Bytes> UdpChannel::receive_alone(Deadline deadline) {
  if (!receive_ended_.empty()) return Error{Remedy::reconnect, receive_ended_};
  for (;;) {
    if (state_ != kOpen) return not_open();
    Result<Bytes> frame = next_frame();
    if (!frame) return end_receiving(peer_.address + ": " + frame.error().message);
    if (!frame->empty()) return frame;
    if (fetch()) continue;
    if (state_ != kOpen) return not_open();
    if (refused_) return end_receiving(peer_.address + " is gone: nobody has its port open");
    if (is_silent(deadline)) return end_receiving(peer_.address + " is silent");
    if (deadline.passed()) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    wait_until(deadline);
  }
}

/// Empty where nothing that was fetched completes one.
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
        if (!frame && state_ == kOpen) log_refused(peer_, frame.error().message);
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
    if (const Result<void> good = take_start(datagram); !good) return Error(good.error());
  }
}

/// The next one that was fetched. False: there is none.
bool UdpChannel::next_datagram(Bytes& datagram) noexcept {
  if (burst_.empty()) {
    if (next_ == there_) return false;
    const platform::Datagram& next = batch_[next_++];
    burst_ = next.cut ? Bytes() : Bytes(next.room.first(next.bytes));
    segment_ = next.segment == 0 ? burst_.size() : next.segment;
  }
  datagram = burst_.first(std::min(segment_, burst_.size()));
  burst_ = burst_.subspan(datagram.size());
  return true;
}

/// Answers what is to be answered, and makes the parts that the datagram brings the next ones to be taken.
Result<void> UdpChannel::take_start(Bytes datagram) {
  const auto start = read_start(datagram);
  if (!start || start->id != id_) {
    if (start && start->kind == Kind::open && start->id == nonce_) {
      platform::send(socket_, welcome_datagram(nonce_, id_), Block::no);  // the first was lost
    } else {
      ++counters_.foreign;
    }
    return {};
  }
  last_used_ns_ = heard_ns_ = platform::now_ns();
  unanswered_ = 0;
  switch (start->kind) {
    case Kind::parts:
      if (settings_.max_age_ms != 0 && lateness_.of_ns(start->stamp, heard_ns_) > settings_.max_age_ms * kMs) {
        ++counters_.too_old;
      } else if (datagram.size() < kStartBytes + kPartHeaderBytes) {
        ++counters_.malformed;
      } else {
        parts_ = datagram.subspan(kStartBytes);
      }
      return {};
    case Kind::ping: say(Kind::pong); return {};
    case Kind::pong: return {};
    case Kind::bye:
      if (const std::uint32_t last = read_last_frame(datagram); last != 0) frames_.end(last);
      return Error{Remedy::reconnect, "closed the connection"};
    default: ++counters_.foreign; return {};
  }
}

/// What the protocol above says of its length must be what arrived.
Result<void> UdpChannel::check_frame(Bytes frame) const {
  if (frame.size() < kFrameHeaderBytes) {
    return Error{Remedy::reconnect, "a frame of " + std::to_string(frame.size()) + " bytes, fewer than its header has"};
  }
  const Result<std::size_t> length = options_.frame_length(frame.first(kFrameHeaderBytes));
  if (!length) return Error{Remedy::reconnect, length.error().message};
  if (*length == frame.size()) return {};
  return Error{Remedy::reconnect, "a frame announced " + std::to_string(*length) + " bytes and has " +
                                      std::to_string(frame.size())};
}

/// Takes in what has arrived; false where nothing has.
bool UdpChannel::fetch() noexcept {
  next_ = there_ = 0;
  counters_.publish();
  IoResult got = platform::recv_datagrams(socket_, batch_);
  // A refusal, once told, stands before what has arrived already: that comes first.
  if (got.error == ECONNREFUSED) {
    refused_ = true;
    got = platform::recv_datagrams(socket_, batch_);
  }
  if (got.error == 0) there_ = got.bytes;
  return there_ > 0;
}

/// A call that waits for its reply has its own deadline: the servant may be busy for as long as that.
bool UdpChannel::is_silent(Deadline deadline) const noexcept {
  return (deadline.is_never() || polled_) && unanswered_ > 2 &&
         platform::now_ns() - unanswered_since_ns_ > settings_.silence_ms * kMs;
}

/// Asks whether the peer is there, where it is time to; when it will be next.
std::int64_t UdpChannel::ask_when_due() noexcept {
  const std::int64_t now = platform::now_ns();
  const std::int64_t most_ms = std::min(kMostAsk_ms, settings_.silence_ms / 4);
  const std::uint32_t doublings = std::min(std::max(unanswered_, kFirstQuestions) - kFirstQuestions, 10u);
  const std::int64_t pause_ns = std::min(kFirstAsk_ms << doublings, most_ms) * kMs;
  const std::int64_t ask_at = std::max(heard_ns_, asked_ns_) + pause_ns;
  if (now < ask_at) return ask_at;
  if (unanswered_ < kMostUnanswered) say(Kind::ping);
  if (unanswered_++ == 0) unanswered_since_ns_ = now;
  asked_ns_ = now;
  return now + pause_ns;
}

/// Until something may have come, or the deadline, or it is time to ask for the peer.
void UdpChannel::wait_until(Deadline deadline) noexcept {
  const std::int64_t ask_at = ask_when_due();
  if (options_.wait == Wait::spin) return platform::cpu_relax();
  const Deadline until{std::min(deadline.ns, ask_at)};
  if (const std::int64_t spin_ns = options_.wait == Wait::adaptive ? spin_.next_ns() : 0; spin_ns > 0) {
    const std::int64_t enough = std::min(until.ns, platform::now_ns() + spin_ns);
    while (platform::now_ns() < enough) {
      if (fetch() || refused_ || state_ != kOpen) return spin_.paid();
      platform::cpu_relax();
    }
    spin_.wasted();
  }
  platform::poll(socket_, platform::kReadable, until);
}

void UdpChannel::say(Kind kind) noexcept {
  if (platform::send(socket_, short_datagram(kind, id_, last_frame_), Block::no).error == ECONNREFUSED) refused_ = true;
}

void UdpChannel::close() noexcept { close_as(kClosedHere); }

void UdpChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  say(Kind::bye);
  platform::shutdown_both(socket_);
  platform::release_port(socket_);  // should the bye be lost, what the peer still sends is answered by others
}

}  // namespace orbweaver::transport::datagram
