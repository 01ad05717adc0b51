#pragma once

#include <orbweaver/object.h>

#include <chrono>
#include <memory>
#include <string>

#include <orbweaver/sca/component.h>
#include "sca/runtime/limited_narrow.h"

namespace orbweaver::sca {

/// Creates a connection over the ORB from `port` to `target`; null if the target is not an input of the
/// port's type. May call the target, to learn its type; raises CORBA::TIMEOUT if it does not answer within
/// `limit`, or kOssieCallLimit for a port of OSSIE, so that it does not hold up the component.
std::shared_ptr<OutputConnection> make_orb_connection(const OutputPort& port,
                                                      const std::string& connection_id,
                                                      const IDL::traits<CORBA::Object>::ref_type& target,
                                                      std::chrono::milliseconds limit = kNarrowLimit);

/// Whether the reference tells that its object is an input of the type of `port`, which make_orb_connection()
/// then does not call. False for ports of OSSIE.
bool is_known_input(const OutputPort& port, const IDL::traits<CORBA::Object>::ref_type& target);

/// The transport used by calls to an object: "collocated" if it is in this process, otherwise the transport's
/// name ("shm", "tcp"); "none" before the first call or if no endpoint is reachable.
std::string transport_to(CORBA::Object& object);

/// Whether the servant reads blocks in place: over a transport with blocks, or in this process. May connect.
bool reads_blocks(CORBA::Object& object);

/// Prints that a connection is broken.
void report_broken(const std::string& connection_id, const CORBA::Exception& error);

}  // namespace orbweaver::sca
