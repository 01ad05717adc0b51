#pragma once

#include <orbweaver/detail/operation.h>

#include <string>

// What the object adapters know of dynamic skeletons, which are in another library; not for users.

namespace PortableServer {
class Servant;
}

namespace orbweaver {

/// `_as(&kDynamicSkeleton)` of a servant returns itself if it is a PortableServer::DynamicImplementation,
/// else null.
extern const Interface kDynamicSkeleton;

/// The interface of the object whose operation this thread executes, for its servant, a
/// DynamicImplementation; of CORBA::Object outside of operations.
std::string primary_interface_of_request(PortableServer::Servant& servant);

}  // namespace orbweaver
