#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/component.h"
#include "sca/profile/profile_error.h"
#include "sca/profile/profile_kind.h"

namespace orbweaver::sca {

/// The factory that creates a component (componentresourcefactoryref, SCA 2.2.2 D.6.1.4.1.5.1, or
/// componentfactoryref, SCA 4.1).
struct FactoryReference {
  std::string id;           ///< Of the factory's componentinstantiation.
  std::size_t factory = 0;  ///< Index into Assembly::factories.
  /// Its resourcefactoryproperties or componentfactoryproperties: qualifiers of createResource() or
  /// createComponent().
  std::vector<PropertySetting> qualifiers;
  Location where;
  bool is_sca41 = false;  ///< A component factory.
};

/// One component or factory of the assembly. That of an inner assembly has an id, and names, that
/// begin with the id of the assemblyinstantiation and ":" ("left:filter_1").
struct Instantiation {
  std::string id;
  std::string name;         ///< Its usagename; by default the id.
  std::string naming;       ///< Its name in the naming service; by default the id. Not used with a factory.
  std::string process;      ///< Its processcollocation (SCA 4.1): equal values share a process. Empty: none.
  std::size_t package = 0;  ///< Index into Assembly::packages.
  std::vector<PropertySetting> settings;     ///< Without kDirectInputs.
  std::vector<std::string> direct_inputs;    ///< Ports in the setting kDirectInputs.
  Location direct_inputs_where;              ///< Of that setting.
  std::optional<FactoryReference> factory;   ///< The factory that creates it, if there is one.
  std::optional<std::uint32_t> start_order;  ///< REDHAWK's startorder.
  /// Processor cores that it may use (coreaffinity of SCA 4.1, affinity of REDHAWK): "0,2". Empty: all.
  std::string cores;
  std::string
      log_level;  ///< Level of -ORBLog of its process, of REDHAWK's loggingconfig or LOG_LEVEL; may be empty.
  std::string device;  ///< Id of the device that executes it (deviceassignment of SCA 4.1). Empty: any.
  /// What the device that executes it has to have (deploymentdependencies of SCA 4.1), instead of a value
  /// that its implementation requires of the same property.
  std::vector<DeviceRequirement> dependencies;
  /// REDHAWK's devicerequires: the device that executes it has these deployerrequires, and no others.
  std::vector<DeviceRequirement> device_requires;
  Location where;
};

/// What an end of a connection names.
enum class EndKind {
  component,           ///< A component of the assembly.
  name,                ///< An object in the naming service (<findby><namingservice>).
  reference,           ///< An object reference (<stringifiedobjectref>).
  domain_finder,       ///< An object that the domain knows (<domainfinder>).
  loading_device,      ///< The device on which a component was loaded (<devicethatloadedthiscomponentref>).
  component_device,    ///< A device that a component uses (<deviceusedbythiscomponentref>).
  application_device,  ///< A device that the application uses (<deviceusedbyapplication>).
};

/// One end of a connection: a port, or the object itself if `port` is empty (componentsupportedinterface).
/// `orbweaver run` has ends of EndKind::component only.
struct PortReference {
  std::size_t component = 0;  ///< Index into Assembly::components, of the kinds that name a component.
  std::string port;
  EndKind kind = EndKind::component;
  std::string name =
      {};  ///< Name, stringified reference, name for the domain finder, or id of a <usesdevice>.
  std::string type = {};  ///< Of a domain finder: "eventchannel".
};

/// A connection from a uses port to a provides port.
struct Connection {
  std::string id;  ///< Unique; "connection 3" for the third if the assembly gives none.
  PortReference uses;
  PortReference provides;
  std::string interface;  ///< Repository id of the uses port.
  Location where;
};

/// Components that have to be placed on one node.
struct HostPlacement {
  std::string name;
  std::vector<std::size_t> components;    ///< Indices into Assembly::components.
  std::vector<std::size_t> factories;     ///< Indices into Assembly::factories.
  std::vector<std::string> devices = {};  ///< Ids of Assembly::devices that have to belong to the node.
};

/// A port (or the component itself, if `port.port` is empty) that the assembly offers as its own.
struct AssemblyPort {
  std::string name;
  PortReference port;
};

/// A property of a component that the assembly offers as its own.
struct AssemblyProperty {
  std::string id;
  std::size_t component = 0;  ///< Index into Assembly::components.
  std::string property;
};

/// What an assembly is read for: `orbweaver run`, the deployment by a domain, or `orbweaver check`, which
/// reads it as for a domain, with what neither of them supports.
enum class AssemblyUse { run, domain, check };

/// A software assembly (SAD) with all files that it refers to, read and checked: all indices are valid, all
/// ports exist and match, all settings name existing properties and have values of their types. The parts of
/// inner assemblies (SCA 4.1) are parts of this one.
struct Assembly {
  std::string file;
  std::vector<std::string> inner_files;  ///< The SADs of inner assemblies.
  std::string id;
  std::string name;  ///< By default the id.
  std::string description;
  std::vector<SoftwarePackage> packages;
  std::vector<Instantiation> components;  ///< Without the factories, in the order of the file.
  std::vector<Instantiation> factories;   ///< The factories, in the order of the file.
  std::vector<Connection> connections;    ///< In the order of the file.
  std::size_t controller = 0;             ///< The assembly controller: index into components.
  /// The controllers of inner assemblies that <assemblycontroller> also names; started as the first one.
  std::vector<std::size_t> other_controllers;
  // The following are empty in an assembly for `orbweaver run`.
  std::vector<HostPlacement> hosts;
  std::vector<UsedDevice> devices;  ///< That the application uses (<usesdevicedependencies>).
  std::vector<AssemblyPort> external_ports;
  std::vector<AssemblyProperty> external_properties;
  /// Indices into external_properties, by id.
  std::map<std::string, std::size_t, std::less<>> external_property_indices;
  /// The packages that implementations depend on, directly or not, by PackageDependency::file.
  std::map<std::string, SoftwarePackage> dependencies;
  /// Warnings to show before a run, each with its place: valid declarations that probably do not do what was
  /// intended.
  std::vector<std::string> warnings;
  /// Size of the SAD and of those of inner assemblies, each as often as it is instantiated, with the ids and
  /// names that the parts of inner assemblies get at each level.
  std::uintmax_t text_bytes = 0;

  const SoftwarePackage& package_of(std::size_t component) const {
    return packages[components[component].package];
  }
  /// Returns the index of the component with that id.
  std::optional<std::size_t> find(std::string_view component_id) const;
  /// Returns the index of the factory with that id.
  std::optional<std::size_t> find_factory(std::string_view factory_id) const;
  /// The property that others know as `property_id`: the external one, or that of the assembly controller.
  AssemblyProperty property(const std::string& property_id) const;
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
const PropertyUse* find_qualifier(const Assembly& assembly, std::size_t component, const std::string& id);

/// Limits of an assembly with those in it: components and resource factories together, connections,
/// <usesdevice> and <usesdeviceref> together, levels of assemblies, bytes of an assemblyinstantiation's id,
/// and Assembly::text_bytes. A host collocation has a component, so that there are at most kMaxComponents.
inline constexpr std::size_t kMaxComponents = 256;
inline constexpr std::size_t kMaxConnections = 4096;
inline constexpr std::size_t kMaxUsedDevices = 1024;
inline constexpr std::size_t kMaxAssemblyDepth = 16;
inline constexpr std::size_t kMaxInnerIdBytes = 255;
inline constexpr std::uintmax_t kMaxAssemblyTextBytes = 64U << 20U;
/// Limits of what one SAD offers as its own.
inline constexpr std::size_t kMaxExternalPorts = 4096;
inline constexpr std::size_t kMaxExternalProperties = 4096;

/// Reads the SAD at `path` and every profile that it refers to. `root` is the folder at which absolute file
/// names start; empty: "/". `scope` applies with a root. Fails with ErrorKind::invalid; the message names
/// file, line and column, the problem and its correction. `lacks_definition`, if not null, is then set if one
/// of the mistakes is a property without a definition.
Result<Assembly> load_assembly(const std::string& path, const std::string& root = {},
                               AssemblyUse use = AssemblyUse::run,
                               ProfileScope scope = ProfileScope::root_and_folder,
                               bool* lacks_definition = nullptr);

}  // namespace orbweaver::sca
