#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sca/profile/component.h"
#include "sca/profile/location.h"

namespace orbweaver::sca {

/// A property set by the assembly, instead of its default.
struct PropertySetting {
  std::string id;
  std::string value;
  Location where;
};

/// One component of the assembly.
struct Instantiation {
  std::string id;
  std::string name;         ///< Its usagename; the id where it has none.
  std::string naming;       ///< What it binds itself as; the id where the assembly does not say.
  std::string process;      ///< Its processcollocation (SCA 4.1): equal words, one process. Empty: its own.
  std::size_t package = 0;  ///< Index into Assembly::packages.
  std::vector<PropertySetting> settings;
  Location where;
};

/// The provides side is the component itself where `port` is empty (componentsupportedinterface).
struct Endpoint {
  std::size_t component = 0;  ///< Index into Assembly::components.
  std::string port;
};

struct Connection {
  std::string id;  ///< Unique; made up ("connection 3") where the assembly gives none.
  Endpoint uses;
  Endpoint provides;
  std::string interface;  ///< The uses side's repository id.
  Location where;
};

/// A software assembly (SAD) with everything that it refers to, read and checked: each index is good, each
/// port exists and fits, each setting belongs to a property and is a value of its type.
struct Assembly {
  std::string file;
  std::string id;
  std::string name;  ///< The id where it has none.
  std::string description;
  std::vector<SoftwarePackage> packages;
  std::vector<Instantiation> components;  ///< In the order of the file.
  std::vector<Connection> connections;    ///< In the order of the file.
  std::size_t controller = 0;             ///< The assembly controller: index into components.
  /// What is not wrong, but does not do what its author may think; each with its place, to be shown before a run.
  std::vector<std::string> warnings;

  const SoftwarePackage& package_of(std::size_t component) const {
    return packages[components[component].package];
  }
  /// The index of the component with that id.
  std::optional<std::size_t> find(std::string_view component_id) const;
};

inline constexpr std::size_t kMaxComponents = 256;
inline constexpr std::size_t kMaxConnections = 4096;

/// Reads the SAD at `path` and every profile it leads to. `root` is the folder at which absolute file
/// names start; empty: the host's own.
/// Fails with Remedy::mend; the message names file, line and column, what is wrong there and what to do.
Result<Assembly> load_assembly(const std::string& path, const std::string& root = {});

}  // namespace orbweaver::sca
