#pragma once

#include <orbweaver/poa.h>

namespace orbweaver::poa {

/// The root POA of the oldest existing ORB. Raises BAD_INV_ORDER if there is none.
CORBA::object_reference<PortableServer::POA> first_root_poa();

}  // namespace orbweaver::poa
