#include "orb/server/reply_sender.h"

#include <utility>

#include "orb/server/thread_pool.h"
#include "transport/channel_state.h"
#include "transport/malformed_input.h"

namespace orbweaver::orb {

using transport::Deadline;

namespace {
/// Fragment size of replies, SIZE_MAX for no fragmentation. A thread that blocks between two fragments is the
/// connection's own, or is replaced in its pool; the thread of a single-threaded ORB defers whole replies
/// instead, and a ReplyQueue has whole messages.
std::size_t fragment_bytes(const Options& options, const transport::Channel& channel) noexcept {
  const bool some = options.max_fragment_bytes != 0 && options.threads != Options::Threads::single &&
                    options.threads != Options::Threads::unordered && channel.capabilities().allows_fragments;
  return some ? options.max_fragment_bytes : SIZE_MAX;
}
}  // namespace

ReplySender::ReplySender(transport::Channel& channel, const Peer& peer, ServiceBudget::Share& budget,
                         const Options& options, Flusher& flusher, MayBlock may_block, ReplyQueue* queue)
    : channel_(channel), readiness_(channel.capabilities().readiness), peer_(peer), budget_(budget),
      may_block_(may_block), max_message_bytes_(options.max_message_bytes),
      fragment_bytes_(fragment_bytes(options, channel)), queue_(queue) {
  const Batching batching = options.batching(flusher);
  const transport::Capabilities& has = channel.capabilities();
  if (batching.delay_ns != 0 && may_block == MayBlock::yes && has.batches_replies &&
      has.batching != nullptr && has.readiness != nullptr)
    batch_ = CORBA::make_reference<ReplyBatch>(channel, batching);
  is_plain_ = may_block == MayBlock::yes && !batch_;
}

ReplySender::ReplySender(const ReplySender& other, OfRequest) noexcept
    : channel_(other.channel_), readiness_(other.readiness_), peer_(other.peer_), budget_(other.budget_),
      may_block_(other.may_block_), max_message_bytes_(other.max_message_bytes_),
      fragment_bytes_(other.fragment_bytes_), queue_(other.queue()) {}

ReplySender::~ReplySender() {
  if (batch_) batch_->detach();
}

void ReplySender::use_queue(ReplyQueue& queue) {
  if (batch_) {
    batch_->end_request(false);  // sends the replies in the batch
    batch_->detach();
    batch_ = nullptr;
  }
  is_plain_ = false;
  fragment_bytes_ = SIZE_MAX;  // a ReplyQueue has whole messages
  queue_.store(&queue, std::memory_order_release);
}

void ReplySender::cancel_claim() noexcept {
  end_sending();
  budget_.end_reply();
}

Result<MutableBytes> ReplySender::claim_blocking(std::size_t whole, std::size_t bytes) {
  begin_claim(whole, bytes);
  auto room = batch_ ? batch_->claim(bytes, Deadline::never()) : channel_.claim(bytes, Deadline::never());
  if (!room) cancel_claim();
  return room;
}

Result<MutableBytes> ReplySender::claim_unusual(std::size_t bytes) {
  if (queue() != nullptr) {
    if (bytes > max_message_bytes_) return transport::frame_limit_error(bytes, max_message_bytes_);
    deferred_reply_.resize(bytes);
    return MutableBytes(deferred_reply_);
  }
  if (may_block_ == MayBlock::yes) return claim_blocking(bytes, bytes);
  reply_bytes_.store(bytes, std::memory_order_relaxed);
  auto room = channel_.claim(bytes, Deadline{0});
  if (room || room.error().kind != ErrorKind::timed_out) return room;
  deferred_reply_.resize(bytes);
  return MutableBytes(deferred_reply_);
}

Result<MutableBytes> ReplySender::claim_fragment(std::size_t bytes, std::uint32_t request_id,
                                                 cdr::OverflowHandler*& overflow) {
  if (bytes > max_message_bytes_) return claim(bytes);  // which returns the error
  auto room =
      may_block_ == MayBlock::yes ? claim_blocking(bytes, fragment_bytes_) : claim_unusual(fragment_bytes_);
  if (!room) return room;
  if (!deferred_reply_.empty()) {  // the send queue is full: the whole reply is deferred
    reply_bytes_.store(bytes, std::memory_order_relaxed);
    deferred_reply_.resize(bytes);
    return MutableBytes(deferred_reply_);
  }
  if (may_block_ == MayBlock::no) budget_.begin_reply(bytes);  // with the servant's results
  *room = room->first(fragment_bytes_);
  fragments_.emplace(channel_, *room, request_id, Deadline::never());
  overflow = this;
  return room;
}

cdr::OverflowHandler::Buffer ReplySender::flush_buffer(std::size_t written,
                                                       const cdr::OutOfLineSegment& out_of_line) {
  budget_.continue_reply();
  const ThreadPool::BlockedScope blocked;  // replaced by another pool thread meanwhile
  if (!blocked.replaced()) fragments_->wait_until(Deadline::in_ms(kSmallReplyTimeoutMs));
  // Odd during the fragment, as for a reply, and another number than before and after it.
  const std::uint32_t step = sequence() % 2 != 0 ? 2 : 1;
  advance_sequence(step);
  const Buffer next = fragments_->flush_buffer(written, out_of_line);
  advance_sequence(step);
  if (fragments_->failure() != nullptr) channel_.close();  // also if nothing was sent
  return next;
}

Result<void> ReplySender::commit_unusual(std::size_t bytes) {
  if (queue() != nullptr) {
    deferred_reply_.resize(bytes);
    return queue()->send(std::exchange(deferred_reply_, {}));
  }
  fragments_.reset();
  if (may_block_ == MayBlock::yes) {
    budget_.continue_reply();
    auto sent = batch_ ? batch_->queue(bytes) : channel_.commit(bytes, Deadline::never());
    end_sending();
    budget_.end_reply();
    return sent;
  }
  if (deferred_reply_.empty() && (readiness_ == nullptr || readiness_->commits_without_waiting(bytes))) {
    auto sent = channel_.commit(bytes, Deadline::in_ms(kSmallReplyTimeoutMs));
    budget_.end_reply();  // of a fragmented reply
    if (!sent && sent.error().kind == ErrorKind::timed_out) close_after_partial_reply(channel_, peer_);
    return sent;
  }
  budget_.begin_reply(bytes);
  deferred_bytes_ = bytes;
  return {};
}

void ReplySender::abandon() noexcept {
  if (queue() != nullptr) {
    deferred_reply_ = {};
    return;
  }
  if (may_block_ == MayBlock::yes) end_sending();
  budget_.end_reply();
  if (fragments_) {
    // A reply cannot be cancelled once a part is sent: the client would wait for the rest.
    if (fragments_->has_sent()) channel_.close();
    fragments_.reset();
  }
  if (batch_) {
    batch_->abandon();
  } else if (deferred_reply_.empty()) {
    channel_.abandon();
  } else {
    deferred_reply_ = {};
  }
}

bool ReplySender::send_unusual(Bytes reply) {
  auto room = claim_unusual(reply.size());
  if (!room) return false;
  std::memcpy(room->data(), reply.data(), reply.size());
  return static_cast<bool>(commit_unusual(reply.size()));
}

Result<void> ReplySender::send(Bytes message, Deadline deadline) {
  if (queue() != nullptr) {
    queue()->send_control(message, deadline);
    return {};
  }
  auto room = batch_ ? batch_->claim(message.size(), deadline) : channel_.claim(message.size(), deadline);
  if (!room) return room.take_error();
  std::memcpy(room->data(), message.data(), message.size());
  return batch_ ? batch_->commit(message.size(), deadline) : channel_.commit(message.size(), deadline);
}

void ReplySender::end_request() {
  if (batch_) end_batch(!readiness_->arm());
}

void ReplySender::send_batch() {
  if (batch_) end_batch(false);
}

void ReplySender::end_batch(bool more_requests) {
  begin_sending();
  batch_->end_request(more_requests);
  end_sending();
}

void ReplySender::send_deferred_reply() {
  begin_sending();
  const auto sent = deferred_reply_.empty()
                        ? channel_.commit(deferred_bytes_, Deadline::never())
                        : send(Bytes(deferred_reply_).first(deferred_bytes_), Deadline::never());
  end_sending();
  deferred_reply_failed_ = !sent;
}

bool ReplySender::finish_deferred_reply() {
  deferred_bytes_ = 0;
  deferred_reply_ = {};
  budget_.end_reply();
  return !deferred_reply_failed_;
}

void close_after_partial_reply(transport::Channel& channel, const Peer& peer) {
  close_with_warning(channel, peer,
                     "reply read only in part within " + std::to_string(kSmallReplyTimeoutMs) + " ms");
}

[[gnu::cold]] void close_with_warning(transport::Channel& channel, const Peer& peer, const std::string& why) {
  transport::log_refused(peer, "connection from " + peer.address, why);
  channel.close();
}

}  // namespace orbweaver::orb
