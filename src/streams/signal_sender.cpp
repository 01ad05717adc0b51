#include <orbweaver/streams/detail/signal_sender.h>

#include <utility>

#include "base/catch_and_log.h"
#include "platform/thread.h"

namespace orbweaver::streams::detail {

SignalSender::~SignalSender() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SignalSender::connect_resume(const std::string& id, Resume target) {
  std::unique_lock lock(mutex_);
  resume_targets_[id] = std::make_shared<const Resume>(std::move(target));
  if (due()) start(lock);
}

void SignalSender::connect_empty(const std::string& id, Empty target) {
  const std::lock_guard lock(mutex_);
  empty_targets_[id] = std::make_shared<const Empty>(std::move(target));
}

bool SignalSender::disconnect_resume(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return resume_targets_.erase(id) > 0;
}

bool SignalSender::disconnect_empty(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return empty_targets_.erase(id) > 0;
}

void SignalSender::send_resume() noexcept {
  std::unique_lock lock(mutex_);
  if (std::exchange(resume_due_, true)) ++counts_.combined;
  if (due() && !catch_and_log("flow signal", [&] { start(lock); })) ++counts_.failed;
}

void SignalSender::send_empty(std::uint16_t stream_id) noexcept {
  std::unique_lock lock(mutex_);
  if (empty_targets_.empty()) return;
  const bool queued = catch_and_log("empty signal", [&] {
    if (!empty_due_.insert(stream_id).second) ++counts_.combined;
    start(lock);
  });
  if (!queued) ++counts_.failed;
}

SignalCounts SignalSender::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

/// Starts the thread, or wakes it. Throws std::system_error if there is no thread: the signal stays due.
void SignalSender::start(const std::unique_lock<std::mutex>&) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void SignalSender::run() {
  platform::name_this_thread("ow-signals");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || due(); });
    if (stopping_) return;
    if (resume_due_ && !resume_targets_.empty()) {
      resume_due_ = false;
      call(lock, "flow signal", resume_targets_, counts_.resume_sent);
    }
    if (!stopping_ && !empty_due_.empty()) {
      const std::uint16_t stream_id = *empty_due_.begin();
      empty_due_.erase(empty_due_.begin());
      call(lock, "empty signal", empty_targets_, counts_.empty_sent, stream_id);
    }
  }
}

/// Calls each target without the lock.
template <class Target, class... Arguments>
void SignalSender::call(std::unique_lock<std::mutex>& lock, const char* what, const Targets<Target>& targets,
                        std::uint64_t& sent, Arguments... arguments) {
  Targets<Target> called;  // a copy: targets may be disconnected meanwhile
  if (!catch_and_log(what, [&] { called = targets; })) {
    ++counts_.failed;
    return;
  }
  for (const auto& [id, target] : called) {
    if (stopping_) return;
    lock.unlock();
    const bool returned = catch_and_log(what, [&] { (*target)(arguments...); });
    lock.lock();
    ++(returned ? sent : counts_.failed);
  }
}

}  // namespace orbweaver::streams::detail
