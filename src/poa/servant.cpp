#include <orbweaver/poa.h>

#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "poa/first_orb.h"
#include "poa/poa_current_impl.h"

namespace PortableServer {

CORBA::object_reference<POA> Servant::_default_POA() { return orbweaver::poa::first_root_poa(); }

bool Servant::_is_a(const std::string& repository_id) {
  return orbweaver::is_ancestor(_interface(), repository_id);
}

bool Servant::_non_existent() { return false; }

CORBA::object_reference<CORBA::Object> Servant::_this_object() {
  // In an operation of this servant, the object of the request (IDL to C++11, 6.26).
  const orbweaver::orb::CurrentObject current = orbweaver::orb::current_object();
  if (current.slot != nullptr && orbweaver::poa::servant_of(current) == this)
    return orbweaver::poa::reference_of(current);
  _add_ref();
  return _default_POA()->servant_to_reference(CORBA::object_reference<Servant>::adopt(this));
}

ObjectId string_to_ObjectId(const std::string& text) { return {text.begin(), text.end()}; }
std::string ObjectId_to_string(const ObjectId& id) { return {id.begin(), id.end()}; }

}  // namespace PortableServer
