#pragma once

#include <string>

#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

/// The object that a profile names by <stringifiedobjectref>: "IOR:…", "corbaloc:…", or "corbaname:…", which
/// the naming service resolves within the time limit of `calls` for each call. Profiles may be those of
/// others: they cannot make this process read a file ("file://…"). Nil for a nil reference. Raises
/// std::runtime_error for other texts, and the exceptions of ORB::string_to_object and of the calls. Any
/// thread.
IDL::traits<CORBA::Object>::ref_type object_in_profile(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                       const LimitedCalls& calls,
                                                       const std::string& reference);

}  // namespace orbweaver::sca
