#pragma once

#include <orbweaver/result.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "CFC.h"
#include "sca/domain/allocation_property.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// What the domain manager needs of the SPD of a device.
struct DeviceProfile {
  std::vector<SimpleProperty> properties;  ///< The simple ones of its PRFs.
  /// Those of kind allocation that are not simple, with the values of the PRF.
  std::vector<AllocationProperty> structured = {};
  bool has_allocation_properties = false;           ///< Of any form.
  std::vector<Requirement> deployer_requires = {};  ///< Of the DCD of its node.
};

/// Reads the profile of a device: its SPD and the SCD and PRFs that it names are copied from the file system
/// of its node to a private folder, read there, and removed. Blocks while the node is called. Any thread.
/// Errors: unavailable if the SPD cannot be read from the file system; invalid with the first mistake in it.
Result<DeviceProfile> read_device_profile(const IDL::traits<CF::FileSystem>::ref_type& files,
                                          const std::string& name);

/// The profiles of the registered devices, by id. Thread-safe; no lock is held while a profile is read.
class DeviceProfiles {
 public:
  using Profile = std::shared_ptr<const DeviceProfile>;

  void put(const std::string& device, DeviceProfile profile) {
    const std::lock_guard lock(mutex_);
    profiles_[device] = std::make_shared<DeviceProfile>(std::move(profile));
  }
  /// Null if there is none.
  Profile find(const std::string& device) const {
    const std::lock_guard lock(mutex_);
    const auto found = profiles_.find(device);
    return found == profiles_.end() ? nullptr : found->second;
  }
  void remove(const std::string& device) {
    const std::lock_guard lock(mutex_);
    profiles_.erase(device);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Profile> profiles_;
};

}  // namespace orbweaver::sca
