#include "tls/tls_channel.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "transport/memory_failure.h"
#include "transport/refused.h"

namespace orbweaver::tls {

using platform::IoResult;
using transport::close_without_memory;

namespace {

/// Sealed bytes that one `receive` whose deadline has passed reads at most, and one input more: a peer that always has
/// something to send leaves other connections of the same thread their turns.
constexpr std::size_t kMostATurn = std::size_t{128} << 10;

}  // namespace

TlsChannel::TlsChannel(platform::Fd socket, std::unique_ptr<Session> session,
                       const transport::ChannelOptions& options, transport::Peer peer)
    : socket_(std::move(socket), options.wait),
      session_(std::move(session)),
      options_(options),
      peer_(std::move(peer)),
      outgoing_(limits::kFirstMessageBytes, options_.budget),
      reader_(options.frame_length, options.max_frame_bytes, &share_),
      share_(
          options.budget,
          [this](const std::string& why) {
            log::write_limited(
                log::Level::warn, "connection ended for what was received", log::origin(peer_),
                [&] { return "the connection with " + peer_.address + " is ended: " + why; });
            close_as(kLost);
          },
          ReceiveBudget::Timed::yes, [this] { return socket_.has_input(); }) {
  share_.count_for(peer_);
}

TlsChannel::~TlsChannel() { TlsChannel::close(); }

Error TlsChannel::not_open() const {
  return Error{Remedy::reconnect, "the connection to " + peer_.address +
                                      (state_ == kLost ? " is lost" : " was closed at this end")};
}

Result<MutableBytes> TlsChannel::claim(std::size_t bytes, Deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  if (send_failed_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  if (bytes > options_.max_frame_bytes) {
    return Error{Remedy::give_up, "a frame of " + std::to_string(bytes) + " bytes; the limit is " +
                                      std::to_string(options_.max_frame_bytes)};
  }
  claimed_at_ = (queued_ + 7) & ~std::size_t{7};
  if (!outgoing_.grow(claimed_at_ + bytes, queued_)) {
    return Error{Remedy::give_up, "no memory for a frame of " + std::to_string(bytes) + " bytes"};
  }
  return MutableBytes(outgoing_.data() + claimed_at_, bytes);
} catch (...) {
  return close_without_memory(*this);
}

/// Without a gap, so that records hold nothing else: a move by 7 bytes at most, where others are queued.
void TlsChannel::add(std::size_t bytes) noexcept {
  assert(claimed_at_ + bytes <= outgoing_.size());
  if (claimed_at_ != queued_) std::memmove(outgoing_.data() + queued_, outgoing_.data() + claimed_at_, bytes);
  queued_ += bytes;
}

const char* TlsChannel::perhaps_refused() const noexcept {
  if (heard_ || session_->role() != Role::client) return "";
  return " right after the handshake: it may not accept this end's certificate (tls.certificate); its log may say why";
}

Error TlsChannel::end_sending(std::string what) {
  if (state_ != kOpen) return not_open();
  // Receiving goes on: what the peer sent before it went is still to be read.
  send_failed_ = true;
  return Error{Remedy::reconnect, "cannot send to " + peer_.address + ": " + std::move(what) + perhaps_refused()};
}

bool TlsChannel::commits_at_once(std::size_t bytes) const noexcept {
  return Channel::commits_at_once(bytes) || (bytes <= Session::kMostAtOnce / 2 && platform::unsent(socket_.fd()) == 0);
}

Result<void> TlsChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  if (state_ != kOpen) return not_open();
  add(bytes);
  return send_queued(bytes, deadline);
} catch (...) {
  return close_without_memory(*this);
}

Result<void> TlsChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  // What is sealed must leave. So no more waits than a socket has room for which says that it is writable: a flush whose
  // deadline has passed already then leaves or does not begin.
  constexpr std::size_t kMostQueued = std::size_t{32} << 10;
  if (state_ != kOpen) return not_open();
  add(bytes);
  return queued_ <= kMostQueued ? Result<void>() : send_queued(bytes, deadline);
} catch (...) {
  return close_without_memory(*this);
}

Result<void> TlsChannel::flush(Deadline deadline) noexcept try {
  if (queued_ == 0) return {};
  if (state_ != kOpen) return not_open();
  return send_queued(0, deadline);
} catch (...) {
  return close_without_memory(*this);
}

/// All that is queued, of which the last frame is the caller's; of 0 bytes: it has none.
Result<void> TlsChannel::send_queued(std::size_t last_frame_bytes, Deadline deadline) {
  if (send_failed_) return Error{Remedy::reconnect, peer_.address + " no longer takes frames"};
  // What is sealed must leave: so that a frame can be given up at the deadline, nothing is sealed while there is no room.
  while (socket_.may_block(deadline) == platform::Block::no &&
         platform::poll(socket_.fd(), platform::kWritable, Deadline{0}) == 0) {
    if (state_ != kOpen) return not_open();
    if (deadline.passed()) {
      const std::size_t all = queued_;
      queued_ -= last_frame_bytes;
      return Error{Remedy::wait, peer_.address + " took nothing of " + std::to_string(all) + " bytes before the deadline"};
    }
    socket_.wait_for_room(deadline);
  }
  for (std::size_t done = 0; done < queued_;) {
    const std::size_t next = std::min(queued_ - done, Session::kMostAtOnce);
    if (!session_->seal({outgoing_.data() + done, next})) return end_sending(session_->failure());
    if (auto sent = send_sealed(deadline); !sent) return sent;
    done += next;
  }
  outgoing_.used(queued_);
  queued_ = 0;
  return {};
}

Result<void> TlsChannel::send_sealed(Deadline deadline) {
  const platform::Block block = socket_.may_block(deadline);
  for (;;) {
    const IoResult sent = platform::send(socket_.fd(), session_->sealed(), block);
    if (sent.error == 0) {
      if (!session_->left(sent.bytes, socket_.fd())) return {};
    } else if (transport::would_wait(sent)) {
      if (state_ != kOpen) return not_open();
      if (deadline.passed()) {
        close_as(kLost);  // the peer has part of a record, and could make nothing of what came next
        return Error{Remedy::wait, peer_.address + " took part of a frame before the deadline"};
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
  return Error{Remedy::reconnect, receive_ended_};
}

Error TlsChannel::end_receiving_closed() {
  reader_.drop();
  return not_open();
}

Result<Bytes> TlsChannel::receive(Deadline deadline) noexcept try {
  if (!receive_ended_.empty()) return Error{Remedy::reconnect, receive_ended_};
  for (std::size_t sealed = 0;;) {
    if (state_ != kOpen) return end_receiving_closed();
    Result<Bytes> frame = reader_.take();
    if (!frame) {
      transport::log_refused(peer_, frame.error().message);
      return end_receiving(peer_.address + ": " + frame.error().message);
    }
    if (!frame->empty()) return frame;
    if (auto read = read_some(deadline, sealed); !read) return read.take_error();
  }
} catch (...) {
  return close_without_memory(*this);
}

/// The socket speaks for what is still in it; what has been read from it is opened first, and may be a frame.
bool TlsChannel::arm() noexcept try {
  while (receive_ended_.empty() && state_ == kOpen) {
    const Result<Bytes> ahead = reader_.take();
    if (!ahead || !ahead->empty()) return false;
    const MutableBytes room = reader_.room();
    std::size_t opened = 0;
    if (room.empty()) return false;
    const Session::Opened result = session_->open(room, opened, socket_.fd());
    if (result == Session::Opened::hungry) return true;
    if (result != Session::Opened::bytes) return false;
    reader_.arrived(opened);
    heard_ = true;
  }
  return false;
} catch (...) {
  static_cast<void>(close_without_memory(*this));
  return false;
}

Result<void> TlsChannel::read_some(Deadline deadline, std::size_t& sealed) {
  const auto within_frame = [this] {
    if (reader_.begun_bytes() == 0) return std::string();
    return " after " + std::to_string(reader_.begun_bytes()) + " bytes of a frame" +
           (reader_.announced_bytes() == 0 ? "" : " of " + std::to_string(reader_.announced_bytes()));
  };
  for (;;) {
    const MutableBytes room = reader_.room();
    if (room.empty()) {
      return end_receiving("no memory, or none left of -ORBMaxReceiveBytes, for a frame of " +
                           std::to_string(reader_.announced_bytes()) + " bytes from " + peer_.address);
    }
    std::size_t opened = 0;
    switch (session_->open(room, opened, socket_.fd())) {
      case Session::Opened::bytes:
        reader_.arrived(opened);
        heard_ = true;
        return {};
      case Session::Opened::ended: return end_receiving(peer_.address + " closed the connection" + within_frame() + perhaps_refused());
      case Session::Opened::broken:
        if (state_ != kOpen) return end_receiving_closed();
        if (session_->flooded()) {
          transport::log_refused(peer_, session_->failure() + "; update or look at the peer's TLS library");
        }
        return end_receiving(peer_.address + ": " + session_->failure() + within_frame());
      case Session::Opened::hungry: break;
    }
    if (sealed >= kMostATurn && deadline.passed()) {
      return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    }
    const MutableBytes input = session_->input();
    if (input.empty()) return end_receiving("no memory for what comes from " + peer_.address);
    const IoResult got = socket_.read_some(input, deadline);
    // Then bytes may be missing between those that were read.
    if (state_ != kOpen) return end_receiving_closed();
    if (got.error == 0 && got.bytes > 0) {
      session_->arrived(got.bytes);
      sealed += got.bytes;
      continue;
    }
    if (transport::would_wait(got)) return Error{Remedy::wait, "no frame from " + peer_.address + " before the deadline"};
    return end_receiving(peer_.address + (got.error == 0 || got.error == ECONNRESET
                                              ? " cut the connection off, without the goodbye of TLS"
                                              : ": " + platform::error_text(got.error)) + within_frame());
  }
}

void TlsChannel::close() noexcept { close_as(kClosedHere); }

void TlsChannel::close_as(std::uint8_t state) noexcept {
  std::uint8_t open = kOpen;
  if (!state_.compare_exchange_strong(open, state)) return;
  session_->say_goodbye(socket_.fd());
  socket_.part();
}

}  // namespace orbweaver::tls
