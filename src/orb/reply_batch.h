#pragma once

#include "orb/flushable.h"
#include "platform/timed_lock.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// The sending side of one connection whose replies may wait: while another request has come already, at most for
/// -ORBBatchDelay or -ORBBatchBytes. The serving thread and the flusher's share it.
///
/// A reply is queued by `commit`. When the serving thread is done with the request it says by `rest` whether it will
/// serve the next at once. If not, what is queued leaves: a lone call's reply waits for nothing.
class ReplyBatch final : public Flushable {
 public:
  using Deadline = transport::Deadline;
  ReplyBatch(transport::Channel& channel, const Batching& batching) noexcept : channel_(&channel), batching_(batching) {}

  /// As of the channel; on success nobody else sends until `commit` or `abandon`.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  Result<void> queue(std::size_t bytes);
  /// With all that is queued before it.
  Result<void> commit(std::size_t bytes, Deadline deadline);
  void abandon() noexcept;

  /// Between two requests: is another there already? A failure is the connection's end, which receiving tells.
  void rest(bool another_is_there);
  /// The channel is used no more. Whatever is queued is lost.
  void end() noexcept;

  std::int64_t flush_due() override;

 private:
  platform::TimedLock sending_;
  // With it:
  transport::Channel* channel_;
  const Batching batching_;
  std::size_t queued_bytes_ = 0;
  bool flusher_knows_ = false;
};

}  // namespace orbweaver::orb
