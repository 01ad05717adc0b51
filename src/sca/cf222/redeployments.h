#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "sca/cf222/domain_log.h"
#include "services/events/workers.h"

namespace orbweaver::sca {

/// The applications that are to be created again: one after the other, in a thread of its own, `ow-redeploy`,
/// which exists while there are any. Thread-safe.
class Redeployments {
 public:
  /// Creates an application again, or stores why that is not possible now, and returns 0. Or returns the time
  /// after which it is called again, because that has to wait.
  using Redeploy = std::function<std::chrono::milliseconds(const std::string& application)>;

  Redeployments(DomainLog& log, Redeploy redeploy);
  ~Redeployments() { end(); }
  Redeployments(const Redeployments&) = delete;
  Redeployments& operator=(const Redeployments&) = delete;

  /// Adds an application, which waits until begin().
  void add(const std::string& application);
  /// Begins to create applications again. Called once.
  void begin();
  /// Waits until the thread has ended, without the applications that wait: at most as long as the creation of
  /// an application takes.
  void end();

 private:
  void start_worker();
  void work();

  DomainLog& log_;
  const Redeploy redeploy_;
  std::mutex mutex_;  // for the following
  std::condition_variable changed_;
  std::set<std::string> waiting_;
  bool has_begun_ = false, is_working_ = false, has_ended_ = false;
  services::events::Workers workers_;
};

}  // namespace orbweaver::sca
