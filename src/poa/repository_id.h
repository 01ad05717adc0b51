#pragma once

#include <orbweaver/poa.h>

#include <string>

namespace orbweaver::poa {

/// The repository id of an object of `servant`, for references to it: that of its skeleton, or what a
/// DynamicImplementation returns. Not to be called with a lock: it calls the servant.
std::string repository_id_of(PortableServer::Servant& servant, const PortableServer::ObjectId& id,
                             PortableServer::POA& poa);

}  // namespace orbweaver::poa
