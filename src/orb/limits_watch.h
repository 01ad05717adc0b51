#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/connection_limits.h"
#include "orb/reactor.h"

namespace orbweaver::orb {

/// Has the limits of an ORB looked at from time to time while there are connections: a thread does, or the reactor
/// where threads do not belong to connections.
class LimitsWatch {
 public:
  /// `limits` and `reactor`, which is null where there is none, outlive this.
  LimitsWatch(ConnectionLimits& limits, Reactor* reactor);
  ~LimitsWatch() { stop(); }

  /// Once, before the first connection. Raises NO_RESOURCES where there is neither thread nor descriptor for it.
  void start();
  /// No look is under way or will be begun. Any thread but one that looks.
  void stop();

 private:
  class Looking;
  void run();
  void wake();

  ConnectionLimits& limits_;
  Reactor* const reactor_;
  std::shared_ptr<Looking> looking_;  // the reactor's source
  std::mutex mutex_;                  // guards the rest
  std::condition_variable changed_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::orb
