#pragma once

#include "sca/profile/profiles.h"

namespace orbweaver::sca {

// One reader for each kind of profile. `root` is the outermost element of a file whose structure has been
// checked, and may nevertheless lack what its DTD requires: readers report what they find in addition, and
// leave out what cannot be understood.

PropertyFile read_properties(const Element& root, Profiles& profiles);
ComponentDescriptor read_component(const Element& root, Profiles& profiles);
SoftwarePackage read_package(const Element& root, Profiles& profiles);
AssemblyOutline read_assembly(const Element& root, Profiles& profiles);
void check_device_configuration(const Element& root, Profiles& profiles);
void check_device_package(const Element& root, Profiles& profiles);
void check_domain_manager(const Element& root, Profiles& profiles);
void check_profile_descriptor(const Element& root, Profiles& profiles);
void check_deployment(const Element& root, Profiles& profiles);
void check_platform(const Element& root, Profiles& profiles);

/// Reads what a <dependency> or <usesdevice> requires of a device.
void read_requirements(const Element& element, std::vector<DeviceRequirement>& requirements);
UsedDevice read_used_device(const Element& element);

/// The text of the first child of that name; empty if there is none.
inline std::string child_text(const Element& element, const char* name) {
  const auto child = element.find_child(name);
  return child ? child->text() : std::string();
}

}  // namespace orbweaver::sca
