#include "tls/tls_channel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "transport/malformed_input.h"
#include "transport/out_of_memory.h"

namespace orbweaver::tls {

using platform::IoResult;
using transport::close_out_of_memory;

namespace {

/// Maximum number of sealed bytes, plus one input, that a `receive` with a passed deadline reads, so that a
/// peer that sends without end does not occupy a thread that serves other connections.
constexpr std::size_t kMaxSealedPerReceive = std::size_t{128} << 10;

}  // namespace

TlsChannel::TlsChannel(platform::Fd socket, std::unique_ptr<Session> session,
                       const transport::ChannelOptions& options, transport::Peer peer)
    : socket_(std::move(socket), options.wait), session_(std::move(session)), options_(options),
      peer_(std::move(peer)), outgoing_(limits::kFirstMessageBytes, options_.budget),
      reader_(options.frame_length, options.max_frame_bytes, &share_),
      share_(
          options.budget,
          [this](const std::string& why) {
            log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer_),
                               [&] { return "the connection with " + peer_.address + " is ended: " + why; });
            close_as(kLost);
          },
          ReceiveBudget::Timed::yes, [this] { return socket_.has_input(); }) {
  share_.count_for(peer_);
  capabilities_.batches_replies = capabilities_.polls_data_socket = true;
  capabilities_.batching = this;
  capabilities_.readiness = this;
  capabilities_.receive_status = this;
}

TlsChannel::~TlsChannel() { TlsChannel::close(); }

Error TlsChannel::not_open_error() const {
  return Error{ErrorKind::disconnected, "the connection to " + peer_.address +
                                            (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> TlsChannel::claim(std::size_t bytes, Deadline) noexcept try {
  if (state_ != kOpen) return not_open_error();
  if (send_failed_)
    return Error{ErrorKind::disconnected, "the connection to " + peer_.address + " was lost while sending"};
  if (bytes > options_.max_frame_bytes) {
    return Error{ErrorKind::unavailable, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                             std::to_string(options_.max_frame_bytes)};
  }
  claimed_at_ = (queued_ + 7) & ~std::size_t{7};
  if (!outgoing_.grow(claimed_at_ + bytes, queued_)) {
    return Error{ErrorKind::unavailable, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + claimed_at_, bytes);
} catch (...) {
  return close_out_of_memory(*this);
}

/// Appends the claimed frame without a gap, so that records hold nothing else: moves it by at most 7 bytes
/// behind queued frames.
void TlsChannel::append_claimed(std::size_t bytes) noexcept {
  assert(claimed_at_ + bytes <= outgoing_.size());
  if (claimed_at_ != queued_) std::memmove(outgoing_.data() + queued_, outgoing_.data() + claimed_at_, bytes);
  queued_ += bytes;
}

const char* TlsChannel::rejection_hint() const noexcept {
  if (has_received_ || session_->role() != Role::client) return "";
  return " right after the handshake: it may not accept this end's certificate (tls.certificate); its log "
         "may say why";
}

Error TlsChannel::end_sending(std::string what) {
  if (state_ != kOpen) return not_open_error();
  // Receiving continues: frames that the peer sent before its end can still be read.
  send_failed_ = true;
  return Error{ErrorKind::disconnected,
               "cannot send to " + peer_.address + ": " + std::move(what) + rejection_hint()};
}

bool TlsChannel::commits_without_waiting(std::size_t bytes) const noexcept {
  return Readiness::commits_without_waiting(bytes) ||
         (bytes <= Session::kMaxSealedAtOnce / 2 && platform::unsent(socket_.fd()) == 0);
}

Result<void> TlsChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (state_ != kOpen) return not_open_error();
  append_claimed(bytes);
  return send_queued(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> TlsChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  // Sealed bytes must be sent. So at most the space of a writable socket is queued: a flush with a passed
  // deadline then sends all or nothing.
  constexpr std::size_t kMaxQueued = std::size_t{32} << 10;
  if (state_ != kOpen) return not_open_error();
  append_claimed(bytes);
  return queued_ <= kMaxQueued ? Result<void>() : send_queued(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> TlsChannel::flush(Deadline deadline) noexcept try {
  if (queued_ == 0) return {};
  if (state_ != kOpen) return not_open_error();
  return send_queued(0, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

/// Sends all queued frames. The last frame, of `last_frame_bytes` bytes, is the caller's; 0: none is.
Result<void> TlsChannel::send_queued(std::size_t last_frame_bytes, Deadline deadline) {
  if (send_failed_)
    return Error{ErrorKind::disconnected, "the connection to " + peer_.address + " was lost while sending"};
  // Sealed bytes must be sent: nothing is sealed while the socket is full, so that a frame can be withdrawn
  // at the deadline.
  while (socket_.may_block(deadline) == platform::Blocking::no &&
         platform::poll(socket_.fd(), platform::kWritable, Deadline{0}) == 0) {
    if (state_ != kOpen) return not_open_error();
    if (deadline.passed()) {
      const std::size_t all = queued_;
      queued_ -= last_frame_bytes;
      return Error{ErrorKind::timed_out,
                   peer_.address + ": send timed out after 0 of " + std::to_string(all) + " bytes"};
    }
    socket_.wait_for_room(deadline);
  }
  for (std::size_t done = 0; done < queued_;) {
    const std::size_t next = std::min(queued_ - done, Session::kMaxSealedAtOnce);
    if (!session_->seal({outgoing_.data() + done, next})) return end_sending(session_->failure());
    if (auto sent = send_sealed(deadline); !sent) return sent;
    done += next;
  }
  outgoing_.note_use(queued_);
  queued_ = 0;
  return {};
}

Result<void> TlsChannel::send_sealed(Deadline deadline) {
  const platform::Blocking block = socket_.may_block(deadline);
  for (;;) {
    const IoResult sent = platform::send(socket_.fd(), session_->sealed(), block);
    if (sent.error == 0) {
      if (!session_->note_sent(sent.bytes, socket_.fd())) return {};
    } else if (transport::would_wait(sent)) {
      if (state_ != kOpen) return not_open_error();
      if (deadline.passed()) {
        close_as(kLost);  // the peer has part of a record and cannot use what follows
        return Error{ErrorKind::timed_out, peer_.address + ": send timed out within a frame"};
      }
      socket_.wait_for_room(deadline);
    } else {
      return end_sending(platform::error_text(sent.error));
    }
  }
}

Error TlsChannel::end_receiving(std::string what) {
  receive_ended_ = std::move(what);
  reader_.drop();
  close_as(kLost);
  return Error{ErrorKind::disconnected, receive_ended_};
}

Error TlsChannel::end_receiving_closed() {
  reader_.drop();
  return not_open_error();
}

Result<Bytes> TlsChannel::receive(Deadline deadline) noexcept try {
  if (!receive_ended_.empty()) return Error{ErrorKind::disconnected, receive_ended_};
  for (std::size_t sealed = 0;;) {
    if (state_ != kOpen) return end_receiving_closed();
    Result<Bytes> frame = reader_.next_frame();
    if (!frame) {
      transport::log_refused(peer_, frame.error().message);
      return end_receiving(peer_.address + ": " + frame.error().message);
    }
    if (!frame->empty()) return frame;
    if (auto read = read_some(deadline, sealed); !read) return read.take_error();
  }
} catch (...) {
  return close_out_of_memory(*this);
}

/// Data already read from the socket is opened first, as it may hold a frame; then the socket is polled.
bool TlsChannel::arm() noexcept try {
  while (receive_ended_.empty() && state_ == kOpen) {
    const Result<Bytes> ahead = reader_.next_frame();
    if (!ahead || !ahead->empty()) return false;
    const MutableBytes room = reader_.room();
    std::size_t opened = 0;
    if (room.empty()) return false;
    const Session::OpenResult result = session_->open(room, opened, socket_.fd());
    if (result == Session::OpenResult::needs_input) return true;
    if (result != Session::OpenResult::bytes) return false;
    reader_.arrived(opened);
    has_received_ = true;
  }
  return false;
} catch (...) {
  static_cast<void>(close_out_of_memory(*this));
  return false;
}

Result<void> TlsChannel::read_some(Deadline deadline, std::size_t& sealed) {
  const auto within_frame = [this] {
    if (reader_.partial_bytes() == 0) return std::string();
    return " after " + std::to_string(reader_.partial_bytes()) + " bytes of a frame" +
           (reader_.announced_bytes() == 0 ? "" : " of " + std::to_string(reader_.announced_bytes()));
  };
  for (;;) {
    const MutableBytes room = reader_.room();
    if (room.empty()) {
      return end_receiving(
          "no memory, or receive budget exhausted (-ORBTune receive-bytes), for a frame of " +
          std::to_string(reader_.announced_bytes()) + " bytes from " + peer_.address);
    }
    std::size_t opened = 0;
    switch (session_->open(room, opened, socket_.fd())) {
      case Session::OpenResult::bytes:
        reader_.arrived(opened);
        has_received_ = true;
        return {};
      case Session::OpenResult::closed:
        return end_receiving(peer_.address + " closed the connection" + within_frame() + rejection_hint());
      case Session::OpenResult::failed:
        if (state_ != kOpen) return end_receiving_closed();
        if (session_->flooded()) {
          transport::log_refused(peer_, session_->failure() + "; update or look at the peer's TLS library");
        }
        return end_receiving(peer_.address + ": " + session_->failure() + within_frame());
      case Session::OpenResult::needs_input: break;
    }
    if (sealed >= kMaxSealedPerReceive && deadline.passed()) {
      return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
    }
    const MutableBytes input = session_->input();
    if (input.empty()) return end_receiving("no memory for receiving from " + peer_.address);
    const IoResult got = socket_.read_some(input, deadline);
    // After a close, bytes between those read may be missing.
    if (state_ != kOpen) return end_receiving_closed();
    if (got.error == 0 && got.bytes > 0) {
      session_->arrived(got.bytes);
      sealed += got.bytes;
      continue;
    }
    if (transport::would_wait(got)) return Error{ErrorKind::timed_out, peer_.address + ": receive timed out"};
    return end_receiving(peer_.address +
                         (got.error == 0 || got.error == ECONNRESET
                              ? " truncated the connection (no close_notify)"
                              : ": " + platform::error_text(got.error)) +
                         within_frame());
  }
}

void TlsChannel::close() noexcept { close_as(kClosedHere); }

void TlsChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  session_->send_close_notify(socket_.fd());
  socket_.shut_down();
}

}  // namespace orbweaver::tls
