#pragma once

#include <orbweaver/poa.h>

#include <string>

#include "orb/server/object_finder.h"

namespace orbweaver::poa {

/// Request for an object that is not in the active object map. Used by the thread of its upcall.
struct UnmappedRequest final : orb::UnmappedCall {
  CORBA::servant_reference<PortableServer::Servant> owner;  // of `servant`
  PortableServer::ObjectId id;
  /// The locator to call at the end of the operation; nil: none, or it has been called.
  CORBA::object_reference<PortableServer::ServantLocator> locator;
  std::string operation;  // for the locator
  PortableServer::ServantLocator::Cookie cookie = nullptr;
};

/// Returns a request for the object `id`, which the caller passes to `give_back`. Reuses the memory of the
/// thread's last one, so that requests of a default servant allocate nothing.
UnmappedRequest& take_unmapped_request(Bytes id);
/// Releases the servant of a request, and keeps its memory for the next one. In the thread that has taken it.
void give_back(UnmappedRequest& request) noexcept;

}  // namespace orbweaver::poa
