#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/client/outgoing_connections.h"
#include "orb/server/incoming_connections.h"
#include "orb/server/reactor.h"

namespace orbweaver::orb {

/// Enforces the limits of connections periodically while there are incoming or outgoing connections or partly
/// received messages: in a thread, or as an event handler of the reactor. In a pure client the thread is
/// started by the first partly received reply.
class LimitsWatch {
 public:
  /// All arguments outlive this; `reactor` may be null.
  LimitsWatch(IncomingConnections& incoming, OutgoingConnections& outgoing, Reactor* reactor);
  ~LimitsWatch() { stop(); }

  /// Starts the watch of a server, once, before the first connection. Raises NO_RESOURCES if there is no
  /// thread or descriptor.
  void start();
  /// Stops the watch; returns when no check is in progress. Any thread but that of a check.
  void stop();

 private:
  class LimitsAlarm;
  void run();
  void wake();
  void enforce() noexcept;
  bool busy() const noexcept { return incoming_.busy() || outgoing_.busy(); }
  void start_thread();

  IncomingConnections& incoming_;
  OutgoingConnections& outgoing_;
  Reactor* const reactor_;
  std::shared_ptr<LimitsAlarm> alarm_handler_;  // registered with the reactor
  std::mutex mutex_;                            // guards the rest
  std::condition_variable changed_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::orb
