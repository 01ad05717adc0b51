#pragma once

#include <orbweaver/poa_current.h>

#include <string>

namespace orbweaver::orb {
struct CurrentObject;
}

namespace orbweaver::poa {

/// The servant of an operation that the calling thread executes, and a reference to its object.
PortableServer::Servant* servant_of(const orb::CurrentObject& object) noexcept;
CORBA::object_reference<CORBA::Object> reference_of(const orb::CurrentObject& object);
/// The repository id of that object (repository_id.h).
std::string repository_id_of(const orb::CurrentObject& object);

/// Makes the initial reference POACurrent: it reads what upcalls record in their thread
/// (src/orb/server/upcall_scope.h), whichever ORB they are of.
CORBA::object_reference<PortableServer::Current> make_poa_current();

}  // namespace orbweaver::poa
