#pragma once

#include <orbweaver/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/component.h"
#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// The resource factory that creates a component (componentresourcefactoryref, SCA 2.2.2 D.6.1.4.1.5.1).
struct FactoryReference {
  std::string id;           ///< Of the factory's componentinstantiation.
  std::size_t factory = 0;  ///< Index into Assembly::factories.
  /// Its resourcefactoryproperties: qualifiers of createResource().
  std::vector<PropertySetting> qualifiers;
  Location where;
};

/// One component or resource factory of the assembly.
struct Instantiation {
  std::string id;
  std::string name;         ///< Its usagename; by default the id.
  std::string naming;       ///< Its name in the naming service; by default the id. Not used with a factory.
  std::string process;      ///< Its processcollocation (SCA 4.1): equal values share a process. Empty: none.
  std::size_t package = 0;  ///< Index into Assembly::packages.
  std::vector<PropertySetting> settings;    ///< Without kDirectInputs.
  std::vector<std::string> direct_inputs;   ///< Ports in the setting kDirectInputs.
  Location direct_inputs_where;             ///< Of that setting.
  std::optional<FactoryReference> factory;  ///< The resource factory that creates it, if there is one.
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
  std::vector<Instantiation> components;  ///< Without the resource factories, in the order of the file.
  std::vector<Instantiation> factories;   ///< The resource factories, in the order of the file.
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
  /// Returns the index of the resource factory with that id.
  std::optional<std::size_t> find_factory(std::string_view factory_id) const;
  const SoftwarePackage& package_of_factory(std::size_t factory) const {
    return packages[factories[factory].package];
  }
  /// Whether the factory creates components from the libraries of their SPDs: its PRF declares
  /// kComponentLibrary, of kind factoryparam. Another factory has classes of its own.
  bool loads_libraries(std::size_t factory) const;
};

/// Qualifiers that the framework passes to createResource() of a factory that loads libraries, of type
/// string: the path of the component's library, the name of its function (absent: orbweaver_make_component),
/// and the number of streams that the assembly connects to each input, as in Context::streams_expected().
inline constexpr std::string_view kComponentLibrary = "COMPONENT_LIBRARY";
inline constexpr std::string_view kComponentEntryPoint = "COMPONENT_ENTRY_POINT";
inline constexpr std::string_view kStreamsExpected = "STREAMS_EXPECTED";
/// A setting that every component accepts: the inputs whose packets are handled by direct calls where the
/// sender is in the same process, separated by commas. Passed in the same way, too.
inline constexpr std::string_view kDirectInputs = "DIRECT_INPUTS";
/// Whether the framework passes the qualifier `id` itself.
bool is_framework_qualifier(std::string_view id);
/// The property of kind factoryparam that describes the qualifier `id` of a component that a factory creates:
/// of the factory's PRF, or else of the component's; null if there is none.
const SimpleProperty* find_qualifier(const Assembly& assembly, std::size_t component, const std::string& id);

/// Limit of components and resource factories together.
inline constexpr std::size_t kMaxComponents = 256;
inline constexpr std::size_t kMaxConnections = 4096;

/// Reads the SAD at `path` and every profile that it refers to. `root` is the folder at which absolute file
/// names start; empty: "/". Fails with ErrorKind::invalid; the message names file, line and column, the
/// problem and its correction.
Result<Assembly> load_assembly(const std::string& path, const std::string& root = {});

}  // namespace orbweaver::sca
