#include <set>
#include <string>

#include "sca/profile/connections.h"
#include "sca/profile/instances.h"
#include "sca/profile/profile_readers.h"

namespace orbweaver::sca {
namespace {

/// "executabledevice" of SCA 2.2.2, "ExecutableDeviceComponent" or "EXECUTABLE_DEVICE_COMPONENT" of SCA 4.1.
bool is_device_type(std::string type) {
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return type.find("device") != std::string::npos;
}

/// An instance that another one is deployed on or part of.
void check_parent(const Element& reference, Instances& instances, Profiles& profiles) {
  const Instance* const parent = instances.find(reference, false);
  const ComponentDescriptor* const component = parent ? parent->component() : nullptr;
  if (component == nullptr || is_device_type(component->type)) return;
  profiles.mistake(reference.where(),
                   "'" + reference.attribute("refid") + "' is not a device: the type in " + component->file +
                       " is " + component->type,
                   "name a device of this file");
}

}  // namespace

void check_device_configuration(const Element& root, Profiles& profiles) {
  if (const auto manager = root.find_child("devicemanagersoftpkg")) {
    const SoftwarePackage* const package = profiles.package(*manager);
    const auto settings = manager->find_child("componentproperties");
    if (settings && package != nullptr && package->has_component)
      check_settings(*settings, SettableProperties(*package), SettingsFor::device, "the device manager",
                     profiles);
  }
  Instances instances(SettingsFor::device, profiles);
  if (const auto files = root.find_child("componentfiles")) instances.read_files(*files);
  if (const auto parts = root.find_child("partitioning")) {
    for (const Element& placement : parts->children("componentplacement")) instances.add(placement);
    for (const Element& placement : parts->children("componentplacement")) {
      for (const char* const name : {"deployondevice", "compositepartofdevice"}) {
        if (const auto reference = placement.find_child(name)) check_parent(*reference, instances, profiles);
      }
      if (const auto device = placement.find_child("devicepkgfile"))
        profiles.other(*device, ProfileKind::device_package);
    }
  }
  instances.check_factories();
  const std::set<std::string> no_devices;
  if (const auto list = root.find_child("connections"))
    ConnectionChecker(instances, no_devices, profiles).check(*list);
  if (const auto manager = root.find_child("domainmanager")) {
    const bool has_child = !manager->children().empty();
    const bool is_41 = manager->find_attribute("name") && manager->find_attribute("type");
    if (!has_child && !is_41)
      profiles.mistake(
          manager->where(), "<domainmanager> needs a <namingservice>",
          "add <namingservice name=\"DOMAIN/DOMAIN\"/>, or for SCA 4.1 the attributes name and type");
  }
  if (const auto names = root.find_child("filesystemnames")) {
    std::set<std::string> mounts;
    for (const Element& name : names->children("filesystemname")) {
      instances.find(name, false, "deviceid");
      const std::string mount = name.attribute("mountname");
      if (!mounts.insert(mount).second)
        profiles.mistake(name.where(), "a second file system '" + mount + "'", "give each a name of its own");
    }
  }
}

}  // namespace orbweaver::sca
