#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "sca/cf222/domain_log.h"
#include "services/events/workers.h"

namespace orbweaver::sca {

/// The applications that are to be created again, in threads of their own, `ow-redeploy`, which exist while
/// there are any: several at a time, so that one whose device hangs does not delay all others. Attempts at a
/// time may each hold capacities that the others need: one that fails for lack of them while another is
/// in progress is repeated once, without others at the time, when no other application waits. Thread-safe.
class Redeployments {
 public:
  /// The result of an attempt.
  struct Outcome {
    std::chrono::milliseconds pause{0};  ///< After which it is called again, since it has to wait; 0: not.
    /// The application for which no device has the capacity now, perhaps by a new id; empty: none.
    std::string failed;
  };
  /// Creates an application again, or stores why that is not possible now. Called by several threads, for one
  /// application by one at a time. Throws nothing.
  using Redeploy = std::function<Outcome(const std::string& application)>;

  Redeployments(DomainLog& log, Redeploy redeploy);
  ~Redeployments() { end(); }
  Redeployments(const Redeployments&) = delete;
  Redeployments& operator=(const Redeployments&) = delete;

  /// Adds an application, which waits until begin().
  void add(const std::string& application);
  /// Begins to create applications again. Called once.
  void begin();
  /// Waits until the threads have ended, without the applications that wait: at most as long as the creation
  /// of an application takes.
  void end();

  static constexpr std::size_t kMostAtATime = 4;

 private:
  using Clock = std::chrono::steady_clock;

  /// With mutex_ locked: starts the thread that starts the others, unless it runs.
  void start_dispatcher();
  void dispatch();
  /// With mutex_ locked: an application that can be created again now; empty: none.
  std::string find_ready() const;
  /// With mutex_ locked: starts a thread for an application, or tries it again later.
  void start(const std::string& application);
  void work(const std::string& application);

  DomainLog& log_;
  const Redeploy redeploy_;
  std::mutex mutex_;  // for the following
  std::condition_variable changed_;
  std::set<std::string> waiting_;
  std::set<std::string> alone_;                     // failed beside others: repeated when none is in progress
  std::map<std::string, bool> in_progress_;         // whether others have been in progress meanwhile
  bool is_one_alone_ = false;                       // the one in progress is of alone_
  std::map<std::string, Clock::time_point> later_;  // when an application is tried again
  bool has_begun_ = false, is_dispatching_ = false, has_ended_ = false;
  services::events::Workers workers_;
};

}  // namespace orbweaver::sca
