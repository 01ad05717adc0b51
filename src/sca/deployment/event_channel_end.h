#pragma once

#include <string>

#include "CFC.h"
#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

// An event channel as the uses end of a connection (SCA 2.2.2 3.1.3.2.2.5.1.3): the object at the other end
// is a CosEventComm::PushConsumer, which gets the events of the channel. All calls have the time limit of
// `calls`; they raise what the calls raise.

/// A new proxy supplier of an event channel, to which a consumer can be connected; nil if the object is no
/// event channel.
IDL::traits<CORBA::Object>::ref_type proxy_of_channel(const LimitedCalls& calls,
                                                      const IDL::traits<CORBA::Object>::ref_type& object);

/// Gives a proxy back that no consumer has been connected to. Ignores errors.
void release_proxy(const IDL::traits<CORBA::Object>::ref_type& proxy) noexcept;

/// Connects the two ends: by connectPort() of a CF::Port, or the consumer to the proxy supplier. Throws
/// std::runtime_error if they cannot be connected.
void connect_ends(const LimitedCalls& calls, const IDL::traits<CORBA::Object>::ref_type& uses,
                  const IDL::traits<CORBA::Object>::ref_type& provides, const std::string& id);

/// Undoes connect_ends().
void disconnect_ends(const LimitedCalls& calls, const IDL::traits<CORBA::Object>::ref_type& uses,
                     const std::string& id);

}  // namespace orbweaver::sca
