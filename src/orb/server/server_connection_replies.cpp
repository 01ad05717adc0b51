/// ServerConnection: sending of replies.
#include "orb/core.h"
#include "orb/server/server_connection.h"
#include "orb/server/thread_pool.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
// For a client that reads only a part of a small reply, while other connections wait.
constexpr int kSmallReplyTimeoutMs = 1000;
}  // namespace

/// Claims `bytes` bytes of a reply of `whole` bytes, which the servant's results occupy until it is sent.
Result<MutableBytes> ServerConnection::claim_for(std::size_t whole, std::size_t bytes) {
  reply_bytes_.store(bytes, std::memory_order_relaxed);
  service_.begin_reply(whole);
  advance_send_sequence();
  auto room = batch_ ? batch_->claim(bytes, Deadline::never()) : channel_->claim(bytes, Deadline::never());
  advance_send_sequence();
  if (!room) service_.end_reply();
  return room;
}

Result<MutableBytes> ServerConnection::claim_reply(std::size_t bytes) {
  if (may_block_ == MayBlock::yes) [[likely]]
    return claim_for(bytes, bytes);
  reply_bytes_.store(bytes, std::memory_order_relaxed);
  auto room = channel_->claim(bytes, Deadline{0});
  if (room || room.error().kind != ErrorKind::timed_out) return room;
  deferred_reply_.resize(bytes);
  return MutableBytes(deferred_reply_);
}

Result<MutableBytes> ServerConnection::claim_fragment(std::size_t bytes, std::uint32_t request_id,
                                                      cdr::OverflowHandler*& overflow) {
  if (bytes > core_.options().max_message_bytes) return claim_reply(bytes);  // which returns the error
  auto room = may_block_ == MayBlock::yes ? claim_for(bytes, fragment_bytes_) : claim_reply(fragment_bytes_);
  if (!room) return room;
  if (!deferred_reply_.empty()) {  // the send queue is full: the whole reply is deferred
    reply_bytes_.store(bytes, std::memory_order_relaxed);
    deferred_reply_.resize(bytes);
    return MutableBytes(deferred_reply_);
  }
  if (may_block_ == MayBlock::no) service_.begin_reply(bytes);  // with the servant's results
  *room = room->first(fragment_bytes_);
  fragments_.emplace(*channel_, *room, request_id, Deadline::never());
  overflow = this;
  return room;
}

cdr::OverflowHandler::Buffer ServerConnection::flush_buffer(std::size_t written,
                                                            const cdr::OutOfLineSegment& out_of_line) {
  service_.continue_reply();
  const ThreadPool::BlockedScope blocked;  // replaced by another pool thread meanwhile
  if (!blocked.replaced()) fragments_->wait_until(Deadline::in_ms(kSmallReplyTimeoutMs));
  advance_send_sequence();
  const Buffer next = fragments_->flush_buffer(written, out_of_line);
  advance_send_sequence();
  if (fragments_->failure() != nullptr) channel_->close();  // also if nothing was sent
  return next;
}

Result<void> ServerConnection::commit_reply(std::size_t bytes) {
  if (fragments_) [[unlikely]]
    fragments_.reset();
  if (may_block_ == MayBlock::yes) [[likely]] {
    service_.continue_reply();
    advance_send_sequence();
    auto sent = batch_ ? batch_->queue(bytes) : channel_->commit(bytes, Deadline::never());
    advance_send_sequence();
    service_.end_reply();
    return sent;
  }
  if (deferred_reply_.empty() && channel_->commits_without_waiting(bytes)) {
    auto sent = channel_->commit(bytes, Deadline::in_ms(kSmallReplyTimeoutMs));
    service_.end_reply();  // of a fragmented reply
    if (!sent && sent.error().kind == ErrorKind::timed_out) {
      end("reply read only in part within " + std::to_string(kSmallReplyTimeoutMs) + " ms");
    }
    return sent;
  }
  service_.begin_reply(bytes);
  deferred_bytes_ = bytes;
  return {};
}

void ServerConnection::abandon_reply() noexcept {
  service_.end_reply();
  if (fragments_) [[unlikely]] {
    // A reply cannot be cancelled once a part is sent: the client would wait for the rest.
    if (fragments_->has_sent()) channel_->close();
    fragments_.reset();
  }
  if (batch_) {
    batch_->abandon();
  } else if (deferred_reply_.empty()) {
    channel_->abandon();
  } else {
    deferred_reply_ = {};
  }
}

void ServerConnection::send_deferred_reply() {
  advance_send_sequence();
  const auto sent = deferred_reply_.empty()
                        ? channel_->commit(deferred_bytes_, Deadline::never())
                        : send(Bytes(deferred_reply_).first(deferred_bytes_), Deadline::never());
  advance_send_sequence();
  deferred_reply_failed_ = !sent;
}

bool ServerConnection::finish_deferred_reply() {
  deferred_bytes_ = 0;
  deferred_reply_ = {};
  service_.end_reply();
  return !deferred_reply_failed_ && become_idle();
}

}  // namespace orbweaver::orb
