#pragma once

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>

#include <cstdint>

namespace orbweaver::sca {

/// Returns a reference to the same object whose calls end after `ms` with CORBA::TIMEOUT. Nil if the object
/// is nil or of another type. May call the object, to learn its type.
template <class Interface, class Object>
typename IDL::traits<Interface>::ref_type with_call_limit(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                          const CORBA::object_reference<Object>& object,
                                                          std::int64_t ms) {
  if (!object) return nullptr;
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(ms) * 10'000;
  return IDL::traits<Interface>::narrow(
      object->_set_policy_overrides({orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)},
                                    CORBA::SetOverrideType::ADD_OVERRIDE));
}

}  // namespace orbweaver::sca
