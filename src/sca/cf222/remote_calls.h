#pragma once

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/object.h>
#include <orbweaver/orb.h>

#include <chrono>
#include <string>

namespace orbweaver::sca {

/// Time limits of the domain manager's calls to other programs, which may hang.
inline constexpr std::chrono::seconds kAttributeLimit{5};   ///< To read attributes and small properties.
inline constexpr std::chrono::seconds kOperationLimit{30};  ///< start(), configure(), getPort(), …

/// Returns a reference to the same object, taken for a T without a call that would check it, each call of
/// which raises TIMEOUT after `limit`. Nil remains nil. Calls within this process have no limit.
template <class T, class U>
CORBA::object_reference<T> limited(const CORBA::object_reference<U>& object, std::chrono::nanoseconds limit) {
  if (!object) return nullptr;
  const auto orb = object->_get_orb();
  if (!orb || object->_reference() == nullptr) return IDL::traits<T>::narrow(object);
  CORBA::Any value;
  value <<= TimeBase::TimeT{static_cast<std::uint64_t>(limit.count()) / 100};
  const auto with =
      object->_set_policy_overrides({orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value)},
                                    CORBA::SetOverrideType::ADD_OVERRIDE);
  return CORBA::object_reference<T>::adopt(T::_make(with->_reference()));
}

/// The object of a stringified reference, as limited(). Nil if the text is empty or no reference.
template <class T>
CORBA::object_reference<T> limited(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& reference,
                                   std::chrono::nanoseconds limit) {
  try {
    if (!reference.empty()) return limited<T>(orb->string_to_object(reference), limit);
  } catch (const CORBA::SystemException&) {  // a damaged record
  }
  return nullptr;
}

/// Why a call has failed, for messages.
inline std::string why(const CORBA::SystemException& e) {
  return dynamic_cast<const CORBA::TIMEOUT*>(&e) != nullptr ? std::string("no answer in time")
                                                            : std::string(e.what());
}

}  // namespace orbweaver::sca
