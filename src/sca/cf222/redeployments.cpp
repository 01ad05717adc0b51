#include "sca/cf222/redeployments.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orbweaver::sca {
namespace {

/// One works at a time; another may still be about to end.
constexpr std::size_t kMostThreads = 8;

}  // namespace

Redeployments::Redeployments(DomainLog& log, Redeploy redeploy)
    : log_(log), redeploy_(std::move(redeploy)), workers_(kMostThreads) {}

void Redeployments::add(const std::string& application) {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    waiting_.insert(application);
    changed_.notify_all();
    if (!has_begun_ || std::exchange(is_working_, true)) return;
  }
  start_worker();
}

void Redeployments::begin() {
  {
    const std::lock_guard lock(mutex_);
    has_begun_ = true;
    if (has_ended_ || waiting_.empty() || std::exchange(is_working_, true)) return;
  }
  start_worker();
}

void Redeployments::start_worker() {
  try {
    workers_.start("ow-redeploy", [this] { work(); });
  } catch (const CORBA::SystemException& e) {
    log_.problem(std::string("applications of a lost node are not created again now: ") + e.what());
    const std::lock_guard lock(mutex_);
    is_working_ = false;
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

void Redeployments::work() {
  using Clock = std::chrono::steady_clock;
  std::map<std::string, Clock::time_point> later;  // when an application is tried again
  for (;;) {
    std::set<std::string> applications;
    {
      std::unique_lock lock(mutex_);
      Clock::time_point next = Clock::time_point::max();
      for (const auto& [application, time] : later) next = std::min(next, time);
      if (!later.empty()) changed_.wait_until(lock, next, [this] { return has_ended_ || !waiting_.empty(); });
      applications.swap(waiting_);
      if (has_ended_ || (applications.empty() && later.empty())) {
        is_working_ = false;
        return;
      }
    }
    for (const auto& [application, time] : later)
      if (time <= Clock::now()) applications.insert(application);
    for (const std::string& application : applications) {
      later.erase(application);
      if (const auto pause = redeploy_(application); pause.count() > 0)
        later[application] = Clock::now() + pause;
      const std::lock_guard lock(mutex_);
      if (has_ended_) break;
    }
  }
}

}  // namespace orbweaver::sca
