#pragma once

#include <orbweaver/poa.h>

namespace orbweaver::poa {

/// The root POA of the first ORB that was made and still is. Raises BAD_INV_ORDER where there is none.
CORBA::object_reference<PortableServer::POA> first_root_poa();

}  // namespace orbweaver::poa
