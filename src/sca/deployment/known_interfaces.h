#pragma once

#include <orbweaver/object.h>

#include "FrameworkC.h"
#include "sca/cf/component_object.h"

namespace orbweaver::sca {

/// As IDL::traits<Interface>::narrow, without a call to an object whose reference is of the type Known, which
/// derives from Interface. The type in a reference is trusted as narrow() trusts that of Interface.
template <class Interface, class Known>
typename IDL::traits<Interface>::ref_type narrow_known(const IDL::traits<CORBA::Object>::ref_type& object) {
  if (object && object->_repository_id() == Known::_interface_id()) return IDL::traits<Known>::narrow(object);
  return IDL::traits<Interface>::narrow(object);
}

// The interfaces of components that deployments call. No call to components of Orbweaver.

inline IDL::traits<CF::Resource>::ref_type narrow_resource(
    const IDL::traits<CORBA::Object>::ref_type& object) {
  return narrow_known<CF::Resource, framework::ObservableResource>(object);
}
/// A component of Orbweaver by the type of its reference, without a call; nil for others.
inline IDL::traits<framework::ObservableResource>::ref_type own_resource(
    const IDL::traits<CORBA::Object>::ref_type& object) {
  if (!object || object->_repository_id() != framework::ObservableResource::_interface_id()) return nullptr;
  return IDL::traits<framework::ObservableResource>::narrow(object);
}
/// As ComponentObject::narrow. The component has the interfaces of Orbweaver's ones without a further call.
inline ComponentObject narrow_component(const IDL::traits<CORBA::Object>::ref_type& object, bool is_sca41) {
  if (!is_sca41) return ComponentObject(narrow_resource(object));
  return ComponentObject::sca41(narrow_known<CORBA::Object, framework::ObservableComponent>(object));
}
inline IDL::traits<CF::Port>::ref_type narrow_port(const IDL::traits<CORBA::Object>::ref_type& object) {
  return narrow_known<CF::Port, framework::Output>(object);
}

}  // namespace orbweaver::sca
