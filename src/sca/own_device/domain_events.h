#pragma once

#include <orbweaver/any.h>
#include <orbweaver/orb.h>

#include "CosEventChannelAdminC.h"
#include "base/sending_thread.h"
#include "sca/own_device/domain_name.h"

namespace orbweaver::sca {

/// Sends events to the incoming domain channel (IDM_Channel) of a domain, from a thread of its own. Events
/// wait while there is no domain, as messages of a SendingThread. Thread-safe.
class DomainEvents {
 public:
  /// Without a domain, events are dropped.
  DomainEvents(IDL::traits<CORBA::ORB>::ref_type orb, DomainContext domain);

  /// Sends an event some time later, after those that were pushed before. Does not wait.
  void push(CORBA::Any event);
  /// Waits until all events have been sent, at most `timeout_ms`. True if they have.
  bool flush(int timeout_ms) { return thread_.flush(timeout_ms); }

 private:
  bool send(const CORBA::Any& event) noexcept;
  void connect();

  const IDL::traits<CORBA::ORB>::ref_type orb_;
  const DomainContext domain_;
  IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type channel_;  // of the thread
  SendingThread<CORBA::Any> thread_;                                        // ends first
};

}  // namespace orbweaver::sca
