#include "poa/repository_id.h"

#include <orbweaver/detail/dynamic_skeleton.h>
#include <orbweaver/dynamic_servant.h>

#include "orb/server/upcall_scope.h"
#include "poa/poa_current_impl.h"

namespace orbweaver::poa {

/// The undefined-behaviour sanitizer would refer to the class itself, which is in liborbweaver-dynamic.so.
__attribute__((no_sanitize("vptr"))) std::string repository_id_of(PortableServer::Servant& servant,
                                                                  const PortableServer::ObjectId& id,
                                                                  PortableServer::POA& poa) {
  void* const dynamic = servant._as(&kDynamicSkeleton);
  if (dynamic == nullptr) return servant._interface().repository_id;
  poa._add_ref();
  return static_cast<PortableServer::DynamicImplementation*>(dynamic)->_primary_interface(
      id, CORBA::object_reference<PortableServer::POA>::adopt(&poa));
}

}  // namespace orbweaver::poa

namespace orbweaver {

std::string primary_interface_of_request(PortableServer::Servant& servant) {
  const orb::CurrentObject current = orb::current_object();
  if (current.slot == nullptr || poa::servant_of(current) != &servant)
    return servant._interface().repository_id;
  return poa::repository_id_of(current);
}

}  // namespace orbweaver
