#include "tls/tls_channel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

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

TlsChannel::TlsChannel(platform::Fd socket, std::shared_ptr<Session> session,
                       const transport::ChannelOptions& options, transport::Peer peer)
    : SocketChannel(std::move(socket), options, std::move(peer),
                    [session](const platform::Fd& fd) { session->send_close_notify(fd); }),
      session_(std::move(session)) {}

Result<MutableBytes> TlsChannel::claim(std::size_t bytes, Deadline) noexcept try {
  return claim_behind(queued_, bytes);
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
  if (!state_.is_open()) return not_open_error();
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
  if (!state_.is_open()) return not_open_error();
  append_claimed(bytes);
  return send_queued(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> TlsChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  // Sealed bytes must be sent. So at most the space of a writable socket is queued: a flush with a passed
  // deadline then sends all or nothing.
  constexpr std::size_t kMaxQueued = std::size_t{32} << 10;
  if (!state_.is_open()) return not_open_error();
  append_claimed(bytes);
  return queued_ <= kMaxQueued ? Result<void>() : send_queued(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> TlsChannel::flush(Deadline deadline) noexcept try {
  if (queued_ == 0) return {};
  if (!state_.is_open()) return not_open_error();
  return send_queued(0, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

/// Sends all queued frames. The last frame, of `last_frame_bytes` bytes, is the caller's; 0: none is.
Result<void> TlsChannel::send_queued(std::size_t last_frame_bytes, Deadline deadline) {
  if (send_failed_) return lost_while_sending_error();
  // Sealed bytes must be sent: nothing is sealed while the socket is full, so that a frame can be withdrawn
  // at the deadline.
  while (socket_.may_block(deadline) == platform::Blocking::no &&
         platform::poll(socket_.fd(), platform::kWritable, Deadline{0}) == 0) {
    if (!state_.is_open()) return not_open_error();
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
      if (!state_.is_open()) return not_open_error();
      if (deadline.passed()) {
        close_as(transport::ChannelState::lost);  // the peer has part of a record and cannot use what follows
        return Error{ErrorKind::timed_out, peer_.address + ": send timed out within a frame"};
      }
      socket_.wait_for_room(deadline);
    } else {
      return end_sending(platform::error_text(sent.error));
    }
  }
}

Result<Bytes> TlsChannel::receive(Deadline deadline) noexcept try {
  if (!receive_ended_.empty()) return Error{ErrorKind::disconnected, receive_ended_};
  for (std::size_t sealed = 0;;) {
    if (!state_.is_open()) return end_receiving_closed();
    Result<Bytes> frame = reader_.next_frame();
    if (!frame) return end_receiving_malformed(frame.error());
    if (!frame->empty()) return frame;
    if (auto read = read_some(deadline, sealed); !read) return read.take_error();
  }
} catch (...) {
  return close_out_of_memory(*this);
}

/// Data already read from the socket is opened first, as it may hold a frame; then the socket is polled.
bool TlsChannel::arm() noexcept try {
  while (receive_ended_.empty() && state_.is_open()) {
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
  for (;;) {
    const MutableBytes room = reader_.room();
    if (room.empty()) return end_receiving_without_room();
    std::size_t opened = 0;
    switch (session_->open(room, opened, socket_.fd())) {
      case Session::OpenResult::bytes:
        reader_.arrived(opened);
        has_received_ = true;
        return {};
      case Session::OpenResult::closed:
        return end_receiving(peer_.address + " closed the connection" + within_frame() + rejection_hint());
      case Session::OpenResult::failed:
        if (!state_.is_open()) return end_receiving_closed();
        if (session_->flooded()) {
          transport::log_refused(peer_, session_->failure() + "; update or look at the peer's TLS library");
        }
        return end_receiving(peer_.address + ": " + session_->failure() + within_frame());
      case Session::OpenResult::needs_input: break;
    }
    if (auto read = read_sealed(deadline, sealed); !read) return read;
  }
}

Result<void> TlsChannel::read_sealed(Deadline deadline, std::size_t& sealed) {
  if (sealed >= kMaxSealedPerReceive && deadline.passed()) return receive_timed_out_error();
  const MutableBytes input = session_->input();
  if (input.empty()) return end_receiving("no memory for receiving from " + peer_.address);
  const IoResult got = socket_.read_some(input, deadline);
  // After a close, bytes between those read may be missing.
  if (!state_.is_open()) return end_receiving_closed();
  if (got.error == 0 && got.bytes > 0) {
    session_->arrived(got.bytes);
    sealed += got.bytes;
    return {};
  }
  if (transport::would_wait(got)) return receive_timed_out_error();
  return end_receiving(peer_.address +
                       (got.error == 0 || got.error == ECONNRESET
                            ? " truncated the connection (no close_notify)"
                            : ": " + platform::error_text(got.error)) +
                       within_frame());
}

}  // namespace orbweaver::tls
