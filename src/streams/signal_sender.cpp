#include <orbweaver/streams/detail/signal_sender.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/exception.h>
#include <orbweaver/streams/detail/wait_until.h>

#include "base/catch_and_log.h"
#include "platform/thread.h"

namespace orbweaver::streams::detail {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFirstDelay_ns = 50'000'000;
constexpr std::int64_t kMaxDelay_ns = 5'000'000'000;

}  // namespace

SignalSender::~SignalSender() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SignalSender::connect_resume(const std::string& id, Resume target) {
  auto connected = std::make_shared<ResumeTarget>(std::move(target));
  std::unique_lock lock(mutex_);
  std::shared_ptr<ResumeTarget>& place = resume_targets_[id];
  if (std::exchange(resume_due_, false) || (place && place->is_owed())) connected->due = ++order_;
  place.swap(connected);
  if (place->due != 0) start(lock);
}

void SignalSender::connect_empty(const std::string& id, Empty target) {
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<EmptyTargets>(*empty_targets_);
  (*changed)[id] = std::move(target);
  empty_targets_ = std::move(changed);
}

bool SignalSender::disconnect_resume(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto target = resume_targets_.find(id);
  if (target == resume_targets_.end()) return false;
  const bool is_owed = target->second->is_owed();
  resume_targets_.erase(target);
  if (is_owed && resume_targets_.empty()) resume_due_ = true;
  return true;
}

bool SignalSender::disconnect_empty(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (empty_targets_->count(id) == 0) return false;
  auto changed = std::make_shared<EmptyTargets>(*empty_targets_);
  changed->erase(id);
  empty_targets_ = std::move(changed);
  return true;
}

void SignalSender::send_resume() noexcept {
  std::unique_lock lock(mutex_);
  if (resume_targets_.empty() && std::exchange(resume_due_, true)) ++counts_.combined;
  for (const auto& [id, target] : resume_targets_) {
    if (target->due != 0) {
      ++counts_.combined;
    } else {
      target->due = ++order_;
    }
  }
  if (may_send_resume() && !catch_and_log("resume signal", [&] { start(lock); })) ++counts_.failed;
}

void SignalSender::send_empty(std::uint16_t stream_id) noexcept {
  std::unique_lock lock(mutex_);
  if (empty_targets_->empty()) return;
  const bool queued = catch_and_log("empty signal", [&] {
    if (!empty_due_.insert(stream_id).second) ++counts_.combined;
    start(lock);
  });
  if (!queued) ++counts_.failed;
}

void SignalSender::enable_resume(bool enabled) {
  std::unique_lock lock(mutex_);
  resume_enabled_ = enabled;
  if (may_send_resume()) start(lock);
}

void SignalSender::discard_empty() noexcept {
  const std::lock_guard lock(mutex_);
  empty_due_.clear();
}

SignalCounts SignalSender::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

/// Whether a resume signal is due for a target, now or later.
bool SignalSender::may_send_resume() const {
  return resume_enabled_ && std::any_of(resume_targets_.begin(), resume_targets_.end(),
                                        [](const auto& target) { return target.second->due != 0; });
}

/// Starts the thread, or wakes it. Throws std::system_error if there is no thread: the signal stays due.
void SignalSender::start(const std::unique_lock<std::mutex>&) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void SignalSender::run() {
  platform::name_this_thread("ow-signals");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::int64_t wake_at_ns = kNever;
    const auto target = next_resume_target(now_ns(), wake_at_ns);
    if (target) send_resume_to(lock, *target);
    if (!stopping_ && !empty_due_.empty()) {
      send_next_empty(lock);
    } else if (!target) {
      wait_until(changed_, lock, Deadline{wake_at_ns});
    }
  }
}

/// The target whose signal has been due for the longest time and may be sent now; null if there is none.
/// Then sets `wake_at_ns` to the time of the next repetition, if there is one.
std::shared_ptr<SignalSender::ResumeTarget> SignalSender::next_resume_target(std::int64_t now_ns,
                                                                             std::int64_t& wake_at_ns) const {
  std::shared_ptr<ResumeTarget> next;
  if (!resume_enabled_) return next;
  for (const auto& [id, target] : resume_targets_) {
    if (target->due == 0) continue;
    if (target->not_before > now_ns) {
      wake_at_ns = std::min(wake_at_ns, target->not_before);
    } else if (!next || target->due < next->due) {
      next = target;
    }
  }
  return next;
}

/// Calls the target without the lock.
void SignalSender::send_resume_to(std::unique_lock<std::mutex>& lock, ResumeTarget& target) {
  if (target.delay_ns != 0) ++counts_.repeated;
  target.due = 0;
  target.calling = true;
  lock.unlock();
  bool exists = true;
  const bool returned = catch_and_log("resume signal", [&] {
    try {
      target.call();
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      exists = false;
      throw;
    }
  });
  lock.lock();
  target.calling = false;
  ++(returned ? counts_.resume_sent : counts_.failed);
  if (returned || !exists) {
    target.delay_ns = target.not_before = 0;
  } else {
    target.delay_ns = std::clamp(2 * target.delay_ns, kFirstDelay_ns, kMaxDelay_ns);
    target.not_before = now_ns() + target.delay_ns;
    if (target.due == 0) target.due = ++order_;
  }
}

/// Sends the signal of the stream after the one served last, by number, to all targets without the lock.
void SignalSender::send_next_empty(std::unique_lock<std::mutex>& lock) {
  auto next = empty_due_.upper_bound(last_empty_);
  if (next == empty_due_.end()) next = empty_due_.begin();
  const std::uint16_t stream_id = last_empty_ = *next;
  empty_due_.erase(next);
  const std::shared_ptr<const EmptyTargets> targets = empty_targets_;  // may be replaced meanwhile
  for (const auto& target : *targets) {
    lock.unlock();
    const bool returned = catch_and_log("empty signal", [&] { target.second(stream_id); });
    lock.lock();
    ++(returned ? counts_.empty_sent : counts_.failed);
    if (stopping_) return;
  }
}

}  // namespace orbweaver::streams::detail
