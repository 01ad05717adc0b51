#include "sca/cf222/device_profiles.h"

#include <algorithm>
#include <set>

#include "base/temporary_folder.h"
#include "sca/profile/profiles.h"
#include "sca/profile/property_json.h"
#include "sca/profile/property_values.h"
#include "sca/profile_copies/profile_copies.h"

namespace orbweaver::sca {
namespace {

/// Adds a property that is not simple, if it is of kind allocation. A struct has no action: the device
/// decides.
template <class Property>
void add(const Property& property, const std::string& action, DeviceProfile& profile) {
  if (!property.allocation) return;
  AllocationProperty added;
  added.id = property.id;
  added.name = property.name;
  added.action = match_action_of_name(action).value_or(MatchAction::external);
  if (const auto value = configured_value(property, {})) added.value = structured_text(*value);
  added.structure = std::make_shared<DeclaredType>(declared_type(property));
  profile.structured.push_back(std::move(added));
}

}  // namespace

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
    std::set<const PropertyFile*> added;  // many implementations may share a file
    for (const Implementation& implementation : package->implementations)
      if (implementation.properties && added.insert(implementation.properties.get()).second)
        all.add(*implementation.properties);
    const auto is_allocated = [](const auto& list) {
      return std::any_of(list.begin(), list.end(), [](const PropertyUse& each) { return each.allocation; });
    };
    profile.has_allocation_properties =
        is_allocated(all.simple) || is_allocated(all.sequences) || is_allocated(all.structs);
    profile.properties = package->properties.simple;
    for (const SimpleProperty& each : package->properties.sequences) add(each, each.action, profile);
    for (const StructProperty& each : package->properties.structs) add(each, "", profile);
  }
  return profile;
}

}  // namespace orbweaver::sca
