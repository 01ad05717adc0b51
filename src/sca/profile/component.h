#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/location.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// A port as an SCD declares it.
struct PortDeclaration {
  std::string name;
  std::string repid;  ///< "IDL:orbweaver/stream/FloatInput:1.0"
  Location where;
};

/// An interface that an SCD lists, with the repository ids that it inherits from.
struct InterfaceDeclaration {
  std::string repid;
  std::string name;
  std::vector<std::string> inherits;
  Location where;
};

/// A software component descriptor (SCD): what can be called, and where it calls others.
struct ComponentDescriptor {
  std::string file;
  std::string repid;
  std::string type;  ///< "resource"
  std::vector<std::string> supports;
  std::vector<PortDeclaration> provides;
  std::vector<PortDeclaration> uses;
  std::vector<InterfaceDeclaration> interfaces;
  std::optional<std::string> property_file;

  const PortDeclaration* find_provides(std::string_view name) const;
  const PortDeclaration* find_uses(std::string_view name) const;
  /// Whether an object of interface `derived` can be used as a `base`: the same, or inherited, over any
  /// number of steps that this SCD lists.
  bool is_a(std::string_view derived, std::string_view base) const;
};

/// Reads an SCD. Throws ProfileError.
ComponentDescriptor read_component_descriptor(const std::string& path);

enum class CodeType { executable, shared_library };

/// One way of having a component: a program of its own, or a library that is loaded into a process.
struct Implementation {
  std::string id;
  CodeType code = CodeType::executable;
  std::string file;                     ///< Resolved, may not exist.
  std::string entry_point;              ///< Of a shared library; empty: the framework's own.
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
  PropertyFile properties;  ///< Those of the SPD and of the SCD; the SPD's come first.
  std::vector<Implementation> implementations;
};

/// Where a localfile leads that is named in `profile`: relative names start at the profile's own folder,
/// absolute ones at `root` (the domain's file system), or at the host's where `root` is empty.
std::string resolve_file(const std::string& profile, const std::string& name, const std::string& root);

/// Reads an SPD, its SCD and its PRFs. Throws ProfileError.
SoftwarePackage read_software_package(const std::string& path, const std::string& root);

}  // namespace orbweaver::sca
