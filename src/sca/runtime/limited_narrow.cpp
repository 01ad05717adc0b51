#include "sca/runtime/limited_narrow.h"

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>

namespace orbweaver::sca {

IDL::traits<CORBA::Object>::ref_type with_call_limit(const IDL::traits<CORBA::Object>::ref_type& object,
                                                     std::chrono::milliseconds limit) {
  CORBA::Any value;
  value <<= static_cast<TimeBase::TimeT>(limit.count()) * 10'000;  // units of 100 ns
  return object->_set_policy_overrides(
      {object->_get_orb()->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value)},
      CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace orbweaver::sca
