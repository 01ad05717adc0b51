#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/connection_limits.h"
#include "orb/outgoing_connections.h"
#include "orb/reactor.h"

namespace orbweaver::orb {

/// Has the limits of an ORB looked at from time to time while others have connected to it, it to others, or messages arrive in parts: a
/// thread does, or the reactor of a server where threads do not belong to connections. A client's thread begins with the
/// first reply that arrives in parts.
class LimitsWatch {
 public:
  /// `limits`, `outgoing` and `reactor`, which is null where there is none, outlive this.
  LimitsWatch(ConnectionLimits& limits, OutgoingConnections& outgoing, Reactor* reactor);
  ~LimitsWatch() { stop(); }

  /// Of an ORB that others connect to: once, before the first does. Raises NO_RESOURCES where there is neither thread nor
  /// descriptor for it.
  void start();
  /// No look is under way or will be begun. Any thread but one that looks.
  void stop();

 private:
  class Looking;
  void run();
  void wake();
  void look() noexcept;
  bool busy() const noexcept { return limits_.busy() || outgoing_.busy(); }
  void start_thread();

  ConnectionLimits& limits_;
  OutgoingConnections& outgoing_;
  Reactor* const reactor_;
  std::shared_ptr<Looking> looking_;  // the reactor's source
  std::mutex mutex_;                  // guards the rest
  std::condition_variable changed_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::orb
