#pragma once

#include <orbweaver/object.h>
#include <orbweaver/orb.h>

#include <string>

namespace orbweaver::sca {

/// Where the objects of a domain are bound.
struct DomainContext {
  std::string naming;   ///< Reference of the naming service, perhaps with several addresses.
  std::string context;  ///< Name of the domain's context in it.

  explicit operator bool() const { return !naming.empty() && !context.empty(); }
};

/// The object that is bound as `name` in the context of a domain. The addresses of the naming service are
/// tried one after another. Blocks; each call has a time limit of `limit_ms`. Raises what the calls of the
/// last one raise, OBJECT_NOT_EXIST if the naming service is none.
IDL::traits<CORBA::Object>::ref_type find_in_context(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                     const DomainContext& domain, const std::string& name,
                                                     int limit_ms);

}  // namespace orbweaver::sca
