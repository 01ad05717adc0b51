#pragma once

#include <orbweaver/object.h>

#include <memory>
#include <string>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// A link over the ORB from `port` to `target`; null where the target is not an input of the port's type.
/// May call the target, to ask what it is.
std::shared_ptr<Link> make_orb_link(const OutputPort& port, const std::string& connection_id,
                                    const IDL::traits<CORBA::Object>::ref_type& target);

/// The road that calls to an object take: "collocated" where it lives in this process, else the name of
/// the transport ("shm", "tcp"); "none" before the first call, or where no road leads to it.
std::string road_to(CORBA::Object& object);

}  // namespace orbweaver::sca
