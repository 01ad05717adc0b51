#pragma once

#include <orbweaver/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/component.h"
#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// A property value set by the assembly instead of the default.
struct PropertySetting {
  std::string id;
  std::string value;
  Location where;
};

/// One component of the assembly.
struct Instantiation {
  std::string id;
  std::string name;         ///< Its usagename; by default the id.
  std::string naming;       ///< Its name in the naming service; by default the id.
  std::string process;      ///< Its processcollocation (SCA 4.1): equal values share a process. Empty: none.
  std::size_t package = 0;  ///< Index into Assembly::packages.
  std::vector<PropertySetting> settings;
  Location where;
};

/// One end of a connection. On the provides side an empty `port` means the component itself
/// (componentsupportedinterface).
struct PortReference {
  std::size_t component = 0;  ///< Index into Assembly::components.
  std::string port;
};

/// A connection from a uses port to a provides port.
struct Connection {
  std::string id;  ///< Unique; "connection 3" for the third if the assembly gives none.
  PortReference uses;
  PortReference provides;
  std::string interface;  ///< Repository id of the uses port.
  Location where;
};

/// A software assembly (SAD) with all files that it refers to, read and checked: all indices are valid, all
/// ports exist and match, all settings name existing properties and have values of their types.
struct Assembly {
  std::string file;
  std::string id;
  std::string name;  ///< By default the id.
  std::string description;
  std::vector<SoftwarePackage> packages;
  std::vector<Instantiation> components;  ///< In the order of the file.
  std::vector<Connection> connections;    ///< In the order of the file.
  std::size_t controller = 0;             ///< The assembly controller: index into components.
  /// Warnings to show before a run, each with its place: valid declarations that probably do not do what was
  /// intended.
  std::vector<std::string> warnings;

  const SoftwarePackage& package_of(std::size_t component) const {
    return packages[components[component].package];
  }
  /// Returns the index of the component with that id.
  std::optional<std::size_t> find(std::string_view component_id) const;
};

inline constexpr std::size_t kMaxComponents = 256;
inline constexpr std::size_t kMaxConnections = 4096;

/// Reads the SAD at `path` and every profile that it refers to. `root` is the folder at which absolute file
/// names start; empty: "/". Fails with ErrorKind::invalid; the message names file, line and column, the
/// problem and its correction.
Result<Assembly> load_assembly(const std::string& path, const std::string& root = {});

}  // namespace orbweaver::sca
