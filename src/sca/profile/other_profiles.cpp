// The profiles that name others and have few rules of their own: DPD, DMD, profile descriptor, and the
// deployment descriptors of SCA 4.1.
#include <set>

#include "sca/profile/profile_readers.h"
#include "sca/profile/settings.h"

namespace orbweaver::sca {
namespace {

void hardware_device(const Element& registration, Profiles& profiles) {
  if (const auto properties = registration.find_child("propertyfile")) profiles.properties(*properties);
  for (const Element& child : registration.children("childhwdevice")) {
    if (const auto inner = child.find_child("hwdeviceregistration")) hardware_device(*inner, profiles);
    if (const auto file = child.find_child("devicepkgref"))
      profiles.other(*file, ProfileKind::device_package);
  }
}

void check_unique(const Element& parent, const char* child, const char* attribute, const char* what,
                  Profiles& profiles) {
  std::set<std::string> names;
  for (const Element& element : parent.children(child)) {
    const auto name = element.find_attribute(attribute);
    if (name && !names.insert(*name).second)
      profiles.mistake(element.where(), std::string("a second ") + what + " '" + *name + "'",
                       "remove one of them");
  }
}

}  // namespace

void check_device_package(const Element& root, Profiles& profiles) {
  if (const auto registration = root.find_child("hwdeviceregistration"))
    hardware_device(*registration, profiles);
}

void check_domain_manager(const Element& root, Profiles& profiles) {
  if (const auto manager = root.find_child("domainmanagersoftpkg")) {
    const SoftwarePackage* const package = profiles.package(*manager);
    const auto settings = manager->find_child("componentproperties");
    if (settings && package != nullptr && package->has_component)
      check_settings(*settings, SettableProperties(*package), SettingsFor::device, "the domain manager",
                     profiles);
  }
  if (const auto layout = root.find_child("deploymentlayout")) profiles.other(*layout, ProfileKind::platform);
}

void check_profile_descriptor(const Element& root, Profiles& profiles) {
  const std::string name = root.attribute("filename");
  if (name.empty() && root.find_attribute("filename"))
    profiles.mistake(root.where(), "the attribute 'filename' is empty", "name a profile");
  if (!name.empty()) profiles.any(root, name);
}

void check_deployment(const Element& root, Profiles& profiles) {
  check_unique(root, "deploymentoption", "deployedname", "deployment option", profiles);
  for (const Element& option : root.children("deploymentoption"))
    check_unique(option, "channelref", "refname", "reference to channel", profiles);
}

void check_platform(const Element& root, Profiles& profiles) {
  for (const Element& channel : root.children("channel")) {
    if (const auto list = channel.find_child("devicelist"))
      check_unique(*list, "deviceref", "refid", "device", profiles);
    if (const auto list = channel.find_child("servicelist"))
      check_unique(*list, "serviceref", "servicename", "service", profiles);
  }
}

}  // namespace orbweaver::sca
