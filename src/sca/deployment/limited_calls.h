#pragma once

#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>

#include <chrono>

#include "sca/deployment/device_object.h"

namespace orbweaver::sca {

/// Makes references whose calls raise CORBA::TIMEOUT after a time limit. Immutable; any thread.
class LimitedCalls {
 public:
  LimitedCalls(const IDL::traits<CORBA::ORB>::ref_type& orb, std::chrono::milliseconds limit) {
    CORBA::Any value;
    value <<= static_cast<TimeBase::TimeT>(limit.count()) * 10'000;  // units of 100 ns
    policies_ = {orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value)};
  }

  /// A reference to the same object with the limit; nil for nil.
  IDL::traits<CORBA::Object>::ref_type object(const IDL::traits<CORBA::Object>::ref_type& object) const {
    return object ? object->_set_policy_overrides(policies_, CORBA::SetOverrideType::ADD_OVERRIDE) : object;
  }
  /// A device of either edition. Raises OBJECT_NOT_EXIST for nil.
  DeviceObject device(const IDL::traits<CORBA::Object>::ref_type& object, bool is_sca41) const {
    return {this->object(object), is_sca41};
  }
  /// The same object, narrowed, which may call the object; nil if it is of another interface.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type narrow(const IDL::traits<CORBA::Object>::ref_type& object) const {
    return IDL::traits<Interface>::narrow(this->object(object));
  }

 private:
  CORBA::PolicyList policies_;
};

}  // namespace orbweaver::sca
