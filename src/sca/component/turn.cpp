#include <orbweaver/sca/detail/turn.h>

namespace orbweaver::sca::detail {

void Turn::take() {
  if (!enabled_) return;
  std::unique_lock lock(mutex_);
  own_waits_ = true;
  changed_.wait(lock, [&] { return !taken_ && !senders_first_; });
  own_waits_ = false;
  taken_ = true;
}

void Turn::release() {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  taken_ = false;
  senders_first_ = admits_senders_ && !closed_ && waiting_senders_ > 0;
  changed_.notify_all();
}

void Turn::admit_senders(bool admit) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  admits_senders_ = admit;
  changed_.notify_all();
}

bool Turn::take_as_sender() {
  std::unique_lock lock(mutex_);
  ++waiting_senders_;
  changed_.wait(lock,
                [&] { return closed_ || (admits_senders_ && !taken_ && (senders_first_ || !own_waits_)); });
  --waiting_senders_;
  if (closed_) return false;
  taken_ = true;
  senders_first_ = false;
  return true;
}

void Turn::release_as_sender() {
  const std::lock_guard lock(mutex_);
  taken_ = false;
  changed_.notify_all();
}

void Turn::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  senders_first_ = false;
  changed_.notify_all();
}

}  // namespace orbweaver::sca::detail
