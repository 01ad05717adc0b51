#include "transport/udp/udp_channel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <limits>

#include "base/log.h"
#include "platform/futex.h"

namespace orbweaver::transport::datagram {
namespace {

using platform::Block;
using platform::IoResult;

constexpr std::int64_t kMs = 1'000'000;
// How long a receiver waits before it asks whether the peer is there: longer each time that nobody answers. A peer
// that never receives does not answer, and its socket must not fill up with questions.
constexpr std::int64_t kFirstAsk_ms = 50, kMostAsk_ms = 5'000;
constexpr std::uint32_t kMostUnanswered = 1'000;
// A client takes a moment from the welcome until its socket is connected to this one; till then it refuses.
constexpr std::int64_t kFirstWord_ms = 100, kDisbelief_ms = 100;

}  // namespace

UdpChannel::UdpChannel(Greeted greeted, const ChannelOptions& options)
    : socket_(std::move(greeted.socket)),
      id_(greeted.id),
      options_(options),
      last_used_ns_(platform::now_ns()),
      outgoing_(limits::kFirstMessageBytes),
      frames_(options.max_frame_bytes, counters_),
      rooms_(new std::uint8_t[kBatch * kRoomBytes]),
      heard_ns_(last_used_ns_),
      asked_ns_(last_used_ns_) {
  peer_.address = platform::peer_address(socket_).text();
  const bool loopback = peer_.address.starts_with("127.") || peer_.address.starts_with("[::1]");
  stride_ = ((loopback ? kLoopbackDatagramBytes : kDatagramBytes) - kPartHeaderBytes) & ~std::size_t{7};
  for (std::size_t i = 0; i < kBatch; ++i) batch_[i].room = {rooms_.get() + i * kRoomBytes, kRoomBytes};
}

UdpChannel::~UdpChannel() {
  UdpChannel::close();
  log::debug([&] {
    const Counters& c = counters_;
    return "udp " + peer_.address + ": " + std::to_string(c.frames) + " frames received, " +
           std::to_string(c.frames_lost) + " lost; datagrams dropped: " + std::to_string(c.late) + " late, " +
           std::to_string(c.duplicates) + " duplicate, " + std::to_string(c.foreign) + " foreign, " +
           std::to_string(c.malformed) + " malformed";
  });
}

Error UdpChannel::not_open() const {
  return Error{Remedy::reconnect, "the connection to " + peer_.address +
                                      (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> UdpChannel::claim(std::size_t bytes, Deadline) noexcept {
  if (state_ != kOpen) return not_open();
  if (refused_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  if (platform::now_ns() - last_used_ns_ > kIdle_ms * kMs) {
    return Error{Remedy::reconnect, "the connection to " + peer_.address + " was idle for too long"};
  }
  const std::size_t most = std::min(options_.max_frame_bytes, stride_ * std::numeric_limits<std::uint16_t>::max());
  if (bytes > most) {
    return Error{Remedy::give_up,
                 "a frame of " + std::to_string(bytes) + " bytes; the limit is " + std::to_string(most)};
  }
  if (!outgoing_.grow(kPartHeaderBytes + bytes, 0)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + kPartHeaderBytes, bytes);
}

Result<void> UdpChannel::commit(std::size_t bytes, Deadline deadline) noexcept {
  if (state_ != kOpen) return not_open();
  assert(kPartHeaderBytes + bytes <= outgoing_.size());
  if (!heard_any_) wait_for_first_word(deadline);
  PartHeader header;
  header.frame = ++last_frame_;
  header.parts = static_cast<std::uint16_t>((bytes + stride_ - 1) / stride_);
  header.frame_bytes = static_cast<std::uint32_t>(bytes);
  header.stride = static_cast<std::uint32_t>(stride_);
  const Bytes frame(outgoing_.data() + kPartHeaderBytes, bytes);
  while (header.part < header.parts) {
    std::uint8_t start[kPartHeaderBytes];
    write_part_header(start, id_, header);
    const std::size_t at = header.part * stride_;
    const Bytes pieces[] = {start, frame.subspan(at, std::min(stride_, bytes - at))};
    const IoResult sent = platform::send(socket_, std::span<const Bytes>(pieces), Block::no);
    if (sent.error == 0 || sent.error == ENOBUFS) {  // no room on the link: lost, as further on its way
      ++header.part;
    } else if (sent.error == EAGAIN || sent.error == EWOULDBLOCK) {
      // The rest of the frame is lost if it does not leave in time; the channel is as good as before.
      if (deadline.passed()) {
        return Error{Remedy::wait, "no room for a frame to " + peer_.address + " before the deadline"};
      }
      if (options_.wait == Wait::spin) platform::cpu_relax();
      else platform::poll(socket_, platform::kWritable, deadline);
    } else {
      if (state_ != kOpen) return not_open();
      note_refusal();
      if (!refused_) {
        ++header.part;
        continue;
      }
      return Error{Remedy::reconnect,
                   "cannot send to " + peer_.address + ": " + platform::error_text(sent.error)};
    }
  }
  last_used_ns_ = platform::now_ns();
  outgoing_.used(kPartHeaderBytes + bytes);
  return {};
}

Error UdpChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  close_as(kLost);
  return Error{Remedy::reconnect, receive_ended_};
}

Result<Bytes> UdpChannel::receive(Deadline deadline) noexcept {
  if (!receive_ended_.empty()) return Error{Remedy::reconnect, receive_ended_};
  for (;;) {
    if (state_ != kOpen) return not_open();
    while (next_ < there_) {
      const platform::Datagram& datagram = batch_[next_++];
      Result<Bytes> frame = take(datagram.cut ? Bytes() : Bytes(datagram.room.first(datagram.bytes)));
      if (!frame) return end_receiving(peer_.address + ": " + frame.error().message);
      if (!frame->empty()) return frame;
    }
    fetch();
    if (next_ < there_) continue;
    if (state_ != kOpen) return not_open();
    if (refused_) return end_receiving(peer_.address + " is gone: nobody has its port open");
    if (platform::now_ns() - heard_ns_ > kSilence_ms * kMs && unanswered_ > 0) {
      return end_receiving(peer_.address + " is silent");
    }
    if (deadline.passed()) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    wait_until(deadline);
  }
}

Result<Bytes> UdpChannel::take(Bytes datagram) noexcept {
  const auto start = read_start(datagram);
  if (!start || start->id != id_) {
    ++counters_.foreign;
    return Bytes();
  }
  heard_any_ = true;
  last_used_ns_ = heard_ns_ = platform::now_ns();
  switch (start->kind) {
    case Kind::part: break;
    case Kind::ping: say(Kind::pong); return Bytes();
    case Kind::pong: unanswered_ = 0; return Bytes();
    case Kind::bye: return Error{Remedy::reconnect, "closed the connection"};
    default: ++counters_.foreign; return Bytes();
  }
  Result<Bytes> frame = frames_.take(datagram);
  if (!frame || frame->empty()) return frame;
  if (const Result<void> good = check_frame(*frame); !good) return Error(good.error());
  return frame;
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

void UdpChannel::fetch() noexcept {
  next_ = there_ = 0;
  const IoResult got = platform::recv_datagrams(socket_, batch_);
  if (got.error == 0) there_ = got.bytes;
  else if (got.error != EAGAIN && got.error != EWOULDBLOCK) {
    // An ICMP error stands before what has arrived already: that comes first.
    note_refusal();
    const IoResult again = platform::recv_datagrams(socket_, batch_);
    if (again.error == 0) there_ = again.bytes;
  }
}

/// Until something may have come, or the deadline, or it is time to ask for the peer.
void UdpChannel::wait_until(Deadline deadline) noexcept {
  const std::int64_t now = platform::now_ns();
  const std::int64_t pause_ms = std::min(kFirstAsk_ms << std::min(unanswered_, 10u), kMostAsk_ms);
  std::int64_t ask_at = std::max(heard_ns_, asked_ns_) + pause_ms * kMs;
  if (now >= ask_at) {
    if (unanswered_ < kMostUnanswered) say(Kind::ping), ++unanswered_;
    asked_ns_ = now;
    ask_at = now + pause_ms * kMs;
  }
  if (options_.wait == Wait::spin) return platform::cpu_relax();
  const Deadline until{std::min(deadline.ns, ask_at)};
  if (const std::int64_t spin_ns = options_.wait == Wait::adaptive ? spin_.next_ns() : 0; spin_ns > 0) {
    const std::int64_t enough = std::min(until.ns, now + spin_ns);
    while (platform::now_ns() < enough) {
      fetch();
      if (next_ < there_ || refused_ || state_ != kOpen) return spin_.paid();
      platform::cpu_relax();
    }
    spin_.wasted();
  }
  platform::poll(socket_, platform::kReadable, until);
}

void UdpChannel::say(Kind kind) noexcept {
  const auto datagram = short_datagram(kind, id_);
  const IoResult sent = platform::send(socket_, datagram, Block::no);
  if (sent.error == ECONNREFUSED) note_refusal();
}

/// The client says a word as soon as it can be spoken to. Lost words end the waiting, too.
void UdpChannel::wait_for_first_word(Deadline deadline) noexcept {
  const Deadline enough{std::min(deadline.ns, made_ns_ + kFirstWord_ms * kMs)};
  while (!heard_any_ && state_ == kOpen && !enough.passed()) {
    if (platform::poll(socket_, platform::kReadable, Deadline{std::min(enough.ns, platform::now_ns() + kMs)}) != 0) return;
  }
}

void UdpChannel::note_refusal() noexcept {
  if (heard_any_ || platform::now_ns() - made_ns_ > kDisbelief_ms * kMs) refused_ = true;
}

void UdpChannel::close() noexcept { close_as(kClosedHere); }

void UdpChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  say(Kind::bye);
  platform::shutdown_both(socket_);
  platform::release_port(socket_);  // should the bye be lost, the peer's next datagram is refused
}

}  // namespace orbweaver::transport::datagram
