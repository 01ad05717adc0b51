#pragma once

#include "orb/flushable.h"
#include "platform/timed_mutex.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// Queues the replies of one connection while further requests have already arrived, at most up to
/// -ORBTune batch-delay-us or -ORBTune batch-bytes. Used by the serving thread and the flusher's.
///
/// `queue` queues a reply. After each request the serving thread calls `end_request` with whether it will
/// serve the next one at once. If not, the queue is sent: the reply to a single call is not delayed.
class ReplyBatch final : public Flushable {
 public:
  using Deadline = transport::Deadline;
  /// pre: the channel supports batching.
  ReplyBatch(transport::Channel& channel, const Batching& batching) noexcept
      : channel_(&channel), sending_(channel.capabilities().batching), batching_(batching) {}

  /// See Channel::claim. On success the send lock is held until `queue`, `commit` or `abandon`.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  /// Queues the claimed reply; sends the queue if -ORBTune batch-bytes is reached.
  Result<void> queue(std::size_t bytes);
  /// Sends the claimed reply and all queued ones.
  Result<void> commit(std::size_t bytes, Deadline deadline);
  /// Releases the claimed buffer and the send lock without sending.
  void abandon() noexcept;

  /// Called after each request. `more_requests`: another one has arrived. A failure to send is not returned:
  /// it ends the connection, and the next receive reports it.
  void end_request(bool more_requests);
  /// Ends the use of the channel. Queued replies are lost.
  void detach() noexcept;

  /// See Flushable.
  std::int64_t flush_due() override;

 private:
  platform::TimedMutex send_lock_;
  // Guarded by send_lock_:
  transport::Channel* channel_;  // null: no longer used, nor is sending_
  transport::BatchedSending* const sending_;
  const Batching batching_;
  std::size_t queued_bytes_ = 0;
  bool flush_scheduled_ = false;
};

}  // namespace orbweaver::orb
