#include "orb/reply_batch.h"

#include "orb/flusher.h"
#include "platform/clock.h"

namespace orbweaver::orb {

Result<MutableBytes> ReplyBatch::claim(std::size_t bytes, Deadline deadline) {
  if (!sending_.lock(deadline)) return Error{Remedy::wait, "replies that had waited were still being sent"};
  auto room = channel_->claim(bytes, deadline);
  if (!room) sending_.unlock();
  return room;
}

Result<void> ReplyBatch::queue(std::size_t bytes) {
  if (queued_bytes_ + bytes >= batching_.bytes) return commit(bytes, Deadline::never());
  queued_bytes_ += bytes;
  auto queued = channel_->queue(bytes, Deadline::never());
  sending_.unlock();
  return queued;
}

Result<void> ReplyBatch::commit(std::size_t bytes, Deadline deadline) {
  queued_bytes_ = 0;
  auto sent = channel_->commit(bytes, deadline);
  sending_.unlock();
  return sent;
}

void ReplyBatch::abandon() noexcept {
  channel_->abandon();
  sending_.unlock();
}

void ReplyBatch::rest(bool another_is_there) {
  static_cast<void>(sending_.lock(Deadline::never()));
  if (queued_bytes_ != 0) {
    if (another_is_there && !flusher_knows_) {
      flusher_knows_ = batching_.flusher->add(*this, now_ns() + batching_.delay_ns);
    }
    if (!another_is_there || !flusher_knows_) {
      queued_bytes_ = 0;
      static_cast<void>(channel_->flush(Deadline::never()));
    }
  }
  sending_.unlock();
}

void ReplyBatch::end() noexcept {
  static_cast<void>(sending_.lock(Deadline::never()));
  channel_ = nullptr;
  queued_bytes_ = 0;
  sending_.unlock();
}

std::int64_t ReplyBatch::flush_due() {
  constexpr std::int64_t kSoon_ns = 100'000, kLater_ns = 1'000'000;
  if (!sending_.try_lock()) return now_ns() + kSoon_ns;
  std::int64_t again_ns = 0;
  if (channel_ != nullptr && queued_bytes_ != 0) {
    const auto sent = channel_->flush(Deadline::in_ns(0));
    if (!sent && sent.error().remedy == Remedy::wait) again_ns = now_ns() + kLater_ns;
    else queued_bytes_ = 0;
  }
  if (again_ns == 0) flusher_knows_ = false;
  sending_.unlock();
  return again_ns;
}

}  // namespace orbweaver::orb
