#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profile_error.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

class Element;

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
  std::string type;  ///< "resource" or "resourcefactory"
  std::vector<std::string> supports;
  std::vector<PortDeclaration> provides;
  std::vector<PortDeclaration> uses;
  std::vector<InterfaceDeclaration> interfaces;
  std::optional<std::string> property_file;

  bool is_resource_factory() const { return type == "resourcefactory"; }
  /// The provides or uses port with that name; null if there is none.
  const PortDeclaration* find_provides(std::string_view name) const;
  const PortDeclaration* find_uses(std::string_view name) const;
  /// Whether an object of interface `derived` can be used as a `base`: they are equal, or `derived` inherits
  /// from `base` directly or indirectly, according to this SCD.
  bool is_a(std::string_view derived, std::string_view base) const;
};

/// Reads an SCD. Throws ProfileError.
ComponentDescriptor read_component_descriptor(const std::string& path);

/// Checks the attribute `type` of a <propertyfile>: PRF, or none. Throws ProfileError.
void check_property_file_type(const Element& element);

/// The type of an implementation's code.
enum class CodeType { executable, shared_library };

/// One implementation of a component: an executable, or a library loaded into a process.
struct Implementation {
  std::string id;
  CodeType code = CodeType::executable;
  std::string file;                     ///< Resolved path; the file may not exist.
  std::string entry_point;              ///< Function of a shared library; empty: orbweaver_make_component.
  std::vector<std::string> systems;     ///< <os name>; empty: any.
  std::vector<std::string> processors;  ///< <processor name>; empty: any.
  Location where;
};

/// A software package (SPD) with everything it refers to.
struct SoftwarePackage {
  std::string file;
  std::string id;
  std::string name;
  std::string version;
  ComponentDescriptor component;
  PropertyFile properties;  ///< Properties of the SPD, then of the SCD.
  std::vector<Implementation> implementations;
};

/// Resolves a localfile name of `profile`: relative names start at the profile's own folder, absolute names
/// at `root` (the domain's file system), or at "/" if `root` is empty.
std::string resolve_file(const std::string& profile, const std::string& name, const std::string& root);

/// Reads an SPD, its SCD and its PRFs. Throws ProfileError.
SoftwarePackage read_software_package(const std::string& path, const std::string& root);

}  // namespace orbweaver::sca
