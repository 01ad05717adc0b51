#include "sca/cf222/device_profiles.h"

#include <algorithm>

#include "base/temporary_folder.h"
#include "sca/cf222/profile_copies.h"
#include "sca/profile/profiles.h"

namespace orbweaver::sca {

Result<DeviceProfile> read_device_profile(const IDL::traits<CF::FileSystem>::ref_type& files,
                                          const std::string& name) {
  const TemporaryFolder folder("orbweaver-profile");
  if (folder.path().empty())
    return Error{ErrorKind::unavailable, "a temporary folder for the profile " + name + " cannot be made"};
  if (auto copied = copy_profiles(files, name, folder.path()); !copied) return copied.take_error();
  Findings findings;
  Profiles profiles(folder.path().string(), Profiles::CodeFiles::may_be_missing, findings);
  const std::string path = path_of_copy(name, folder.path());
  const bool read = profiles.check(path, ProfileKind::package);
  if (!read || findings.mistakes() != 0) {
    const std::string mistake =
        findings.mistakes() != 0 ? findings.first_mistake() : name + " cannot be read";
    return Error{ErrorKind::invalid, without_folder(mistake, folder.path())};  // names as the node has them
  }
  DeviceProfile profile;
  if (const SoftwarePackage* const package = profiles.find_package(path)) {
    PropertyFile all = package->properties;
    for (const Implementation& implementation : package->implementations) all.add(implementation.properties);
    const auto is_allocated = [](const auto& list) {
      return std::any_of(list.begin(), list.end(), [](const PropertyUse& each) { return each.allocation; });
    };
    profile.has_allocation_properties =
        is_allocated(all.simple) || is_allocated(all.sequences) || is_allocated(all.structs);
    profile.properties = package->properties.simple;
  }
  return profile;
}

}  // namespace orbweaver::sca
