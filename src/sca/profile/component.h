#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orbweaver/sca/property_value.h>
#include "sca/profile/profile_error.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// A port declared in an SCD.
struct PortDeclaration {
  std::string name;
  std::string repid;  ///< "IDL:orbweaver/stream/FloatInput:1.0"
  Location where;
};

/// An interface listed in an SCD, with the repository ids of its direct bases.
struct InterfaceDeclaration {
  std::string repid;
  std::string name;
  std::vector<std::string> inherits;
  Location where;
};

/// A software component descriptor (SCD): the interfaces that the component supports, provides and uses.
struct ComponentDescriptor {
  std::string file;
  std::string repid;
  std::string type;                         ///< "resource" or "resourcefactory"
  std::vector<std::string> supports;        ///< Repository ids.
  std::vector<std::string> supports_names;  ///< Their supportsnames.
  std::vector<PortDeclaration> provides;
  std::vector<PortDeclaration> uses;
  std::vector<InterfaceDeclaration> interfaces;
  PropertyFile properties;  ///< Of its <propertyfile>.

  bool is_resource_factory() const { return type == "resourcefactory"; }
  /// The provides or uses port with that name; null if there is none.
  const PortDeclaration* find_provides(std::string_view name) const;
  const PortDeclaration* find_uses(std::string_view name) const;
  /// Whether an object of interface `derived` can be used as a `base`: they are equal, or `derived` inherits
  /// from `base` directly or indirectly, according to this SCD.
  bool is_a(std::string_view derived, std::string_view base) const;
};

/// A value that a device has to have, or a capacity to be allocated: <propertyref> in a <dependency> or
/// <usesdevice>, or for REDHAWK <simpleref>, <simplesequenceref>, <structref> or <structsequenceref>.
struct DeviceRequirement {
  std::string id;     ///< Id or name of the device's property of kind allocation.
  std::string value;  ///< Unless it is simple: in JSON (property_json.h), in which simple values are texts.
  PropertyForm form = PropertyForm::simple;
};

/// Limit of the deploymentdependencies or devicerequires of a component.
inline constexpr std::size_t kMaxDependencies = 64;

/// Sets the value of a requirement in a list: replaces that of the same property, or adds it.
void set_dependency(std::vector<DeviceRequirement>& list, const DeviceRequirement& requirement);

/// A device that is used by a component or application, and need not execute it (<usesdevice>).
struct UsedDevice {
  std::string id;
  std::vector<DeviceRequirement> requirements;
  Location where;
};

/// A package that an implementation needs on its device (<softpkgref>).
struct PackageDependency {
  std::string file;            ///< Resolved path of the SPD.
  std::string implementation;  ///< Id of the implementation (<implref>); empty: any that fits the device.
  Location where;
};

/// An operating system for which an implementation is (<os>).
struct OperatingSystem {
  std::string name;
  std::string version = {};  ///< Empty: any.
};

/// The type of an implementation's code. REDHAWK and SCA 2.2.2 load kernel modules and drivers into devices.
enum class CodeType { executable, shared_library, kernel_module, driver };

/// One implementation of a component: an executable, or a library loaded into a process.
struct Implementation {
  std::string id;
  CodeType code = CodeType::executable;
  std::string file;                      ///< Resolved path; the file may not exist.
  std::string entry_point;               ///< Function of a shared library; empty: orbweaver_make_component.
  std::vector<OperatingSystem> systems;  ///< Empty: any.
  std::vector<std::string> processors;   ///< <processor name>; empty: any.
  /// Of its own <propertyfile>; null if it has none. Shared by all implementations that name the same file.
  std::shared_ptr<const PropertyFile> properties;
  std::vector<DeviceRequirement> requirements;  ///< Of the device that executes it.
  std::vector<PackageDependency> dependencies;
  std::vector<UsedDevice> devices;
  std::optional<std::uint32_t> stack_size;  ///< In bytes.
  std::optional<std::uint32_t> priority;
  /// What `orbweaver run` does not support of it, for its message: "its <dependency> in line 12".
  std::string unsupported;
  Location where;
};

/// A software package (SPD) with everything it refers to.
struct SoftwarePackage {
  std::string file;
  std::string id;
  std::string name;
  std::string version;
  bool is_compliant = true;      ///< Its type is not sca_non_compliant: it needs an SCD.
  bool names_component = false;  ///< It has a <descriptor>.
  bool has_component = false;    ///< Its SCD could be read.
  ComponentDescriptor component;
  PropertyFile properties;                ///< Properties of the SPD, then of the SCD.
  std::vector<std::string> uses_devices;  ///< Ids of <usesdevice>, also of those in implementations.
  std::vector<UsedDevice> devices;        ///< Its <usesdevice>, without those of implementations.
  Location where;
  std::vector<Implementation> implementations;
};

/// Resolves a localfile name of `profile`: relative names start at the profile's own folder, absolute names
/// at `root` (the domain's file system), or at "/" if `root` is empty.
std::string resolve_file(const std::string& profile, const std::string& name, const std::string& root);

}  // namespace orbweaver::sca
