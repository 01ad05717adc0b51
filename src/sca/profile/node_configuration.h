#pragma once

#include <orbweaver/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/component.h"
#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// A device or service of a node: a componentinstantiation of a DCD (SCA 2.2.2 D.7.1.4).
struct NodeComponent {
  std::string id;
  std::string name;                       ///< Its usagename; by default the id.
  std::size_t package = 0;                ///< Index into NodeConfiguration::packages.
  std::vector<PropertySetting> settings;  ///< Of simple properties.
  std::string parent;                     ///< compositepartofdevice: id of a device; empty: none.
  std::string host;                       ///< deployondevice: id of a device; empty: none.
  std::vector<int> cores;                 ///< SCA 4.1: coreaffinity; REDHAWK: affinity. Empty: any.
  std::vector<DeviceRequirement> deployer_requires;  ///< REDHAWK: what components have to require of it.
  bool is_device = true;                             ///< Otherwise a service.
  Location where;
};

/// One end of a connection of a DCD. Exactly one of `component`, `naming`, `reference` and `finder` says what
/// has the port.
struct NodeEndpoint {
  std::string port;       ///< Empty: the object itself (componentsupportedinterface, findby).
  std::string component;  ///< Id of a NodeComponent.
  std::string naming;     ///< Name in the naming service.
  std::string reference;  ///< stringifiedobjectref.
  std::string finder;     ///< type of <domainfinder>: "eventchannel".
  std::string found;      ///< name of <domainfinder>; may be empty.
};

/// A connection of a DCD, which the domain manager makes (SCA 2.2.2 3.1.3.2.3.5.1).
struct NodeConnection {
  std::string id;  ///< "connection 3" for the third if the DCD gives none.
  NodeEndpoint uses;
  NodeEndpoint provides;
  Location where;
};

/// A <filesystemname>: a file system that one of the devices provides.
struct NodeFileSystem {
  std::string mount;
  std::string device;
};

/// A device configuration descriptor (DCD) with all files that it refers to, read and checked: all indices
/// and ids are valid, all settings name existing properties and have values of their types.
struct NodeConfiguration {
  std::string file;
  std::string id;
  std::string name;  ///< By default the id.
  std::string description;
  SoftwarePackage manager;  ///< devicemanagersoftpkg
  std::vector<PropertySetting> manager_settings;
  std::vector<SoftwarePackage> packages;
  std::vector<NodeComponent> components;  ///< In the order of the file.
  std::vector<NodeConnection> connections;
  std::vector<NodeFileSystem> file_systems;
  std::string domain;            ///< Name of the domain manager in the naming service: "radio/radio".
  std::string domain_reference;  ///< Its stringifiedobjectref, instead of a name.
  /// Warnings, each with its place: valid declarations that have no effect here.
  std::vector<std::string> warnings;

  const SoftwarePackage& package_of(const NodeComponent& component) const {
    return packages[component.package];
  }
  /// Returns the component with that id; null if there is none.
  const NodeComponent* find(std::string_view component_id) const;
};

/// Limit of devices and services of one node (docs/profiles.md).
inline constexpr std::size_t kMaxNodeComponents = 256;

/// Reads the DCD at `path` and every profile that it refers to. `root` is the folder at which absolute file
/// names start; empty: "/". Fails with ErrorKind::invalid; the message names file, line and column, the
/// problem and its correction, as `orbweaver check` does.
Result<NodeConfiguration> load_node(const std::string& path, const std::string& root = {});

}  // namespace orbweaver::sca
