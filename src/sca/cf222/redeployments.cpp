#include "sca/cf222/redeployments.h"

#include <algorithm>
#include <utility>

namespace orbweaver::sca {
namespace {

/// Beside those that work: the one that starts them, and others that are about to end.
constexpr std::size_t kMostThreads = Redeployments::kMostAtATime + 8;
/// Time until an application is tried again for which no thread could be started.
constexpr std::chrono::seconds kThreadPause{1};

}  // namespace

Redeployments::Redeployments(DomainLog& log, Redeploy redeploy)
    : log_(log), redeploy_(std::move(redeploy)), workers_(kMostThreads) {}

void Redeployments::add(const std::string& application) {
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  waiting_.insert(application);
  changed_.notify_all();
  if (has_begun_) start_dispatcher();
}

void Redeployments::begin() {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  if (!has_ended_ && !waiting_.empty()) start_dispatcher();
}

void Redeployments::start_dispatcher() {
  if (std::exchange(is_dispatching_, true)) return;
  try {
    workers_.start("ow-redeploy", [this] { dispatch(); });
  } catch (const CORBA::SystemException& e) {
    log_.problem(std::string("applications of a lost node are not created again now: ") + e.what());
    is_dispatching_ = false;
  }
}

void Redeployments::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  workers_.join();
}

void Redeployments::dispatch() {
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    Clock::time_point next = Clock::time_point::max();
    for (auto each = later_.begin(); each != later_.end();) {
      const bool is_due = each->second <= Clock::now();
      if (is_due) waiting_.insert(each->first);
      if (!is_due) next = std::min(next, each->second);
      each = is_due ? later_.erase(each) : std::next(each);
    }
    if (const std::string ready = find_ready(); !ready.empty()) {
      start(ready);
    } else if (!later_.empty()) {
      changed_.wait_until(lock, next);
    } else if (!waiting_.empty() || !alone_.empty() || !in_progress_.empty()) {
      changed_.wait(lock);
    } else {
      break;
    }
  }
  is_dispatching_ = false;
}

std::string Redeployments::find_ready() const {
  if (is_one_alone_ || in_progress_.size() >= kMostAtATime) return {};
  const auto ready = std::find_if(waiting_.begin(), waiting_.end(),
                                  [this](const auto& each) { return !in_progress_.contains(each); });
  if (ready != waiting_.end()) return *ready;
  return in_progress_.empty() && !alone_.empty() ? *alone_.begin() : std::string();
}

void Redeployments::start(const std::string& application) {
  const bool is_alone = !waiting_.contains(application);
  waiting_.erase(application);
  alone_.erase(application);
  later_.erase(application);
  try {
    workers_.start("ow-redeploy", [this, application] { work(application); });
    for (auto& [other, overlaps] : in_progress_) overlaps = true;
    in_progress_.emplace(application, !in_progress_.empty());
    is_one_alone_ = is_alone;
  } catch (const CORBA::SystemException&) {
    later_[application] = Clock::now() + kThreadPause;
  }
}

void Redeployments::work(const std::string& application) {
  const Outcome outcome = redeploy_(application);
  const std::lock_guard lock(mutex_);
  const bool overlaps = in_progress_.at(application);
  in_progress_.erase(application);
  is_one_alone_ = false;
  if (!outcome.failed.empty() && overlaps) alone_.insert(outcome.failed);
  if (outcome.pause.count() > 0) later_[application] = Clock::now() + outcome.pause;
  changed_.notify_all();
}

}  // namespace orbweaver::sca
