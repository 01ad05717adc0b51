#pragma once

#include <orbweaver/any.h>
#include <orbweaver/orb.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "CosEventChannelAdminC.h"

namespace orbweaver::sca {

/// Sends events to the incoming domain channel (IDM_Channel) of a domain, from a thread of its own. Events
/// wait while there is no domain; at most kMaxWaiting of them, then the oldest are dropped. Thread-safe.
class DomainEvents {
 public:
  static constexpr std::size_t kMaxWaiting = 1024;

  /// `naming`: reference of the naming service, in which the channel is bound as `context`/IDM_Channel.
  /// Without either of them, events are dropped.
  DomainEvents(IDL::traits<CORBA::ORB>::ref_type orb, std::string naming, std::string context);
  /// Drops the events that wait.
  ~DomainEvents();
  DomainEvents(const DomainEvents&) = delete;
  DomainEvents& operator=(const DomainEvents&) = delete;

  /// Sends an event some time later, after those that were pushed before. Does not wait.
  void push(CORBA::Any event);
  /// Waits until all events have been sent, at most `timeout_ms`. True if they have.
  bool flush(int timeout_ms);

 private:
  void serve();
  bool send(const CORBA::Any& event) noexcept;
  void connect();

  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const std::string naming_, context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CORBA::Any> waiting_;
  bool sending_ = false;
  bool stop_ = false;
  IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type channel_;  // of the thread
  std::thread thread_;
};

}  // namespace orbweaver::sca
