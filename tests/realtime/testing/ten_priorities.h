#pragma once

#include "realtime/testing/real_time_orb.h"

namespace orbtest {

/// The mapping of a program: the priorities 0 to 9 onto native 1 to 10.
class TenPriorities final : public RTCORBA::PriorityMapping {
  bool to_native(Priority priority, RTCORBA::NativePriority& native) override {
    native = static_cast<RTCORBA::NativePriority>(priority + 1);
    return priority < 10;
  }
  bool to_CORBA(RTCORBA::NativePriority native, Priority& priority) override {
    priority = static_cast<Priority>(native - 1);
    return native >= 1 && native <= 10;
  }
};

}  // namespace orbtest
