#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "sca/device_state/device_core.h"

namespace orbweaver::sca::detail {

/// What a Device has besides its component.
struct DeviceParts {
  /// Called after each change of a state; null: nobody. Set before the device is used.
  DeviceCore::Observer observer;
  DeviceCore core{[this](const DeviceStateChange& change) {
    if (observer) observer(change);
  }};
  std::map<std::string, std::string> capacity_types;  ///< By their ids; not changed after the construction.
  std::mutex allocation_mutex;                        ///< Held while on_allocate() and on_deallocate() run.
};

}  // namespace orbweaver::sca::detail
