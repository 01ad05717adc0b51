#pragma once

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "orb/fragmented_message.h"
#include "orb/options.h"
#include "orb/server/reply_batch.h"
#include "orb/server/reply_queue.h"
#include "orb/server/service_budget.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// Whether the thread that serves a connection may block on its client: no, if it serves other connections as
/// well.
enum class MayBlock : bool { no, yes };

/// Time limit, in milliseconds, of a small reply of which the client has read a part, while other connections
/// wait.
inline constexpr int kSmallReplyTimeoutMs = 1000;

/// Sending side of a server connection: sends each reply at once, in fragments, in a batch with others, or
/// later, if the client does not read and the serving thread must not block. Used by the thread that has the
/// right to send, except where a function says otherwise.
class ReplySender final : private cdr::OverflowHandler {
 public:
  /// All references outlive this. With `queue`, replies are passed to it.
  ReplySender(transport::Channel& channel, const Peer& peer, ServiceBudget::Share& budget,
              const Options& options, Flusher& flusher, MayBlock may_block, ReplyQueue* queue = nullptr);
  ~ReplySender();
  /// Passes all further replies to `queue`, which outlives this. Between two requests, at most once.
  void use_queue(ReplyQueue& queue);
  /// A sender for another thread; both have the same queue. pre: with a queue.
  ReplySender for_request() const { return {*this, OfRequest()}; }

  /// Claims a buffer for a reply of at most `bytes`, until `commit` or `abandon`. With MayBlock::no the reply
  /// is deferred if the send queue is full. Errors: as of Channel::claim.
  Result<MutableBytes> claim(std::size_t bytes) {
    if (!is_plain_) [[unlikely]]
      return claim_unusual(bytes);
    begin_claim(bytes, bytes);
    auto room = channel_.claim(bytes, transport::Deadline::never());
    if (!room) [[unlikely]]
      cancel_claim();
    return room;
  }
  /// As `claim`, for a GIOP 1.2 reply. If it is larger than a fragment the buffer is that of one fragment,
  /// and `overflow` is set for the encoder; else null.
  Result<MutableBytes> claim(std::size_t bytes, std::uint32_t request_id, cdr::OverflowHandler*& overflow) {
    overflow = nullptr;
    return bytes <= fragment_bytes_ ? claim(bytes) : claim_fragment(bytes, request_id, overflow);
  }
  /// Sends the first `bytes` claimed, queues them, or defers them.
  Result<void> commit(std::size_t bytes) {
    if (!is_plain_ || fragments_) [[unlikely]]
      return commit_unusual(bytes);
    budget_.continue_reply();
    auto sent = channel_.commit(bytes, transport::Deadline::never());
    end_sending();
    budget_.end_reply();
    return sent;
  }
  /// Sends a small reply that the caller has encoded (Channel::send): as claim, a copy and commit. Returns
  /// false if that failed.
  bool send_small(Bytes reply) {
    if (!is_plain_) [[unlikely]]
      return send_unusual(reply);
    reply_bytes_.store(reply.size(), std::memory_order_relaxed);
    const std::uint32_t number = sequence_.load(std::memory_order_relaxed);
    sequence_.store(number + 1, std::memory_order_relaxed);
    const bool sent = static_cast<bool>(channel_.send(reply, transport::Deadline::never()));
    sequence_.store(number + 2, std::memory_order_relaxed);
    return sent;
  }
  /// Releases the claimed buffer without sending. A reply of which a fragment has been sent closes the
  /// connection.
  void abandon() noexcept;
  /// Sends a message that is not a reply, and the queued replies before it.
  Result<void> send(Bytes message, transport::Deadline deadline);

  /// Whether requests are followed by more than their reply: `end_request`, a deferred reply.
  bool is_plain() const noexcept { return is_plain_; }
  /// Called after each request: sends the batch, unless another request has arrived.
  void end_request();
  /// Sends the batch, as its last reply must not wait for the end of the request.
  void send_batch();

  bool has_deferred_reply() const noexcept { return deferred_bytes_ != 0; }
  /// Sends the deferred reply; blocks until the client has read it. Any one thread.
  void send_deferred_reply();
  /// Called after `send_deferred_reply`. Returns false if it was not sent.
  bool finish_deferred_reply();

  /// Odd from the claim of a reply to its commit; changes for each reply and each fragment. Any thread.
  std::uint32_t sequence() const noexcept {
    const ReplyQueue* const queue = queue_.load(std::memory_order_acquire);
    return queue != nullptr ? queue->sequence() : sequence_.load(std::memory_order_relaxed);
  }
  /// Size of the reply being sent. Any thread.
  std::size_t reply_bytes() const noexcept {
    const ReplyQueue* const queue = queue_.load(std::memory_order_acquire);
    return queue != nullptr ? queue->reply_bytes() : reply_bytes_.load(std::memory_order_relaxed);
  }

 private:
  struct OfRequest {};
  ReplySender(const ReplySender& other, OfRequest) noexcept;
  /// Sends a fragment of a reply.
  Buffer flush_buffer(std::size_t written, const cdr::OutOfLineSegment& out_of_line) override;
  Result<MutableBytes> claim_unusual(std::size_t bytes);
  bool send_unusual(Bytes reply);
  Result<MutableBytes> claim_fragment(std::size_t bytes, std::uint32_t request_id,
                                      cdr::OverflowHandler*& overflow);
  Result<void> commit_unusual(std::size_t bytes);
  void end_batch(bool more_requests);

  /// Claims `bytes` bytes of a reply of `whole` bytes, which the servant's results occupy until it is sent.
  Result<MutableBytes> claim_blocking(std::size_t whole, std::size_t bytes);
  void begin_claim(std::size_t whole, std::size_t bytes) noexcept {
    reply_bytes_.store(bytes, std::memory_order_relaxed);
    budget_.begin_reply(whole);
    begin_sending();
  }
  void cancel_claim() noexcept;
  void begin_sending() noexcept { advance_sequence(1); }
  void end_sending() noexcept { advance_sequence(1); }
  void advance_sequence(std::uint32_t steps) noexcept {
    sequence_.store(sequence_.load(std::memory_order_relaxed) + steps, std::memory_order_relaxed);
  }
  ReplyQueue* queue() const noexcept { return queue_.load(std::memory_order_relaxed); }

  transport::Channel& channel_;
  transport::Readiness* const readiness_;  // the channel's; null: it cannot be polled
  const Peer& peer_;
  ServiceBudget::Share& budget_;  // counts the reply
  const MayBlock may_block_;
  const std::size_t max_message_bytes_;
  std::size_t fragment_bytes_;                  // larger replies are fragmented; SIZE_MAX: none
  std::atomic<ReplyQueue*> queue_;              // null: requests are served one at a time
  CORBA::object_reference<ReplyBatch> batch_;   // null: each reply is sent at once
  bool is_plain_ = false;                       // MayBlock::yes, without batches
  std::optional<FragmentedMessage> fragments_;  // the fragmented reply that is being sent
  // The deferred reply: claimed in the channel, or stored here. With a queue, any reply until its commit.
  std::size_t deferred_bytes_ = 0;
  bool deferred_reply_failed_ = false;
  std::vector<std::uint8_t> deferred_reply_;
  // Hints for shutdown and time limits; impose no order.
  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<std::size_t> reply_bytes_{0};
};

/// Closes the channel and logs a warning with the reason. Any thread.
void close_with_warning(transport::Channel& channel, const Peer& peer, const std::string& why);
/// Closes the channel of a client that has read only a part of a reply within kSmallReplyTimeoutMs.
void close_after_partial_reply(transport::Channel& channel, const Peer& peer);

}  // namespace orbweaver::orb
