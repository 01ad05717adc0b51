#pragma once

// References whose calls have a time limit.

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include "testing/test_orb.h"

namespace orbtest {

/// A reference to the same object whose calls end with TIMEOUT after `milliseconds`. Its calls use the
/// connection of `object`: where that is established, the limit does not include connecting.
template <class Interface>
typename IDL::traits<Interface>::ref_type limited(TestOrb& broker,
                                                  const typename IDL::traits<Interface>::ref_type& object,
                                                  TimeBase::TimeT milliseconds) {
  CORBA::Any limit;
  limit <<= TimeBase::TimeT{milliseconds * 10'000};  // in units of 100 ns
  const CORBA::PolicyList policies{
      broker.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)};
  return IDL::traits<Interface>::narrow(
      object->_set_policy_overrides(policies, CORBA::SetOverrideType::ADD_OVERRIDE));
}

}  // namespace orbtest
