#include "orb/server/reply_batch.h"

#include "orb/flusher.h"
#include "platform/clock.h"

namespace orbweaver::orb {

Result<MutableBytes> ReplyBatch::claim(std::size_t bytes, Deadline deadline) {
  if (!send_lock_.lock(deadline)) {
    return Error{ErrorKind::timed_out, "deadline exceeded while queued replies were being sent"};
  }
  auto room = channel_->claim(bytes, deadline);
  if (!room) send_lock_.unlock();
  return room;
}

Result<void> ReplyBatch::queue(std::size_t bytes) {
  if (queued_bytes_ + bytes >= batching_.bytes) return commit(bytes, Deadline::never());
  queued_bytes_ += bytes;
  auto queued = sending_->queue(bytes, Deadline::never());
  send_lock_.unlock();
  return queued;
}

Result<void> ReplyBatch::commit(std::size_t bytes, Deadline deadline) {
  queued_bytes_ = 0;
  auto sent = channel_->commit(bytes, deadline);
  send_lock_.unlock();
  return sent;
}

void ReplyBatch::abandon() noexcept {
  channel_->abandon();
  send_lock_.unlock();
}

void ReplyBatch::end_request(bool more_requests) {
  static_cast<void>(send_lock_.lock(Deadline::never()));
  if (queued_bytes_ != 0) {
    if (more_requests && !flush_scheduled_) {
      flush_scheduled_ = batching_.flusher->add(*this, now_ns() + batching_.delay_ns);
    }
    if (!more_requests || !flush_scheduled_) {
      queued_bytes_ = 0;
      static_cast<void>(sending_->flush(Deadline::never()));
    }
  }
  send_lock_.unlock();
}

void ReplyBatch::detach() noexcept {
  static_cast<void>(send_lock_.lock(Deadline::never()));
  channel_ = nullptr;
  queued_bytes_ = 0;
  send_lock_.unlock();
}

std::int64_t ReplyBatch::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  if (!send_lock_.try_lock()) return now_ns() + kSoon_ns;
  std::int64_t again_ns = 0;
  if (channel_ != nullptr && queued_bytes_ != 0) {
    const auto sent = sending_->flush(Deadline::in_ns(0));
    if (!sent && sent.error().kind == ErrorKind::timed_out)
      again_ns = now_ns() + kLater_ns;
    else
      queued_bytes_ = 0;
  }
  if (again_ns == 0) flush_scheduled_ = false;
  send_lock_.unlock();
  return again_ns;
}

}  // namespace orbweaver::orb
