#include <orbweaver/poa.h>

#include "orb/minor_codes.h"
#include "poa/first_orb.h"

namespace PortableServer {

CORBA::object_reference<POA> Servant::_default_POA() { return orbweaver::poa::first_root_poa(); }

bool Servant::_is_a(const std::string& repository_id) {
  return orbweaver::is_ancestor(_interface(), repository_id);
}

bool Servant::_non_existent() { return false; }

CORBA::object_reference<CORBA::Object> Servant::_this_object() {
  _add_ref();
  return _default_POA()->servant_to_reference(CORBA::object_reference<Servant>::adopt(this));
}

ObjectId string_to_ObjectId(const std::string& text) { return {text.begin(), text.end()}; }
std::string ObjectId_to_string(const ObjectId& id) { return {id.begin(), id.end()}; }

}  // namespace PortableServer
