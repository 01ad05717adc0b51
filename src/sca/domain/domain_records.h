#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/sca/property_value.h>
#include "sca/domain/allocation_property.h"

/// What a domain knows, as plain data: the state of a domain manager. References are stringified IORs, which
/// the model neither interprets nor calls.
namespace orbweaver::sca {

/// A registered node (CF::DeviceManager).
struct Node {
  std::string id;
  std::string label;
  std::string reference;
  std::string profile;     ///< File name of its DCD in its own file system.
  bool is_sca41 = false;   ///< It has registered itself as a device manager of SCA 4.1; no CF::DeviceManager.
  std::string files = {};  ///< Reference of the file system of a node of SCA 4.1; empty: it has none.
  /// Reference of the object that stands for a node of SCA 2.2.2 in SCA 4.1; empty: it has none.
  std::string sca41_object = {};
  std::string registrant = {};  ///< The caller that has registered it as one of SCA 4.1; empty: unknown.
  friend bool operator==(const Node&, const Node&) = default;
};

/// A registered device (CF::Device and those derived from it).
struct RegisteredDevice {
  std::string id;
  std::string label;
  std::string node;  ///< Id of its node.
  std::string reference;
  std::string profile;    ///< File name of its SPD in the file system of its node.
  bool executes = false;  ///< It is a CF::ExecutableDevice, or has a CF::ExecutableInterface.
  bool is_sca41 = false;  ///< It has the interfaces of SCA 4.1, and is no CF::Device.
  /// Allocation properties that it has told when it registered, as devices of SCA 4.1 can.
  std::vector<AllocationProperty> properties = {};
  /// Reference of the object that stands for a device of SCA 2.2.2 in SCA 4.1; empty: it has none.
  std::string sca41_object = {};
  std::string registrant = {};  ///< As that of a node, if it has registered itself.
  friend bool operator==(const RegisteredDevice&, const RegisteredDevice&) = default;
};

/// A registered service.
struct Service {
  std::string name;
  std::string node;  ///< Id of its node; empty: it belongs to the domain.
  std::string reference;
  /// Its place in the order in which services were registered; 0: DomainModel::put() gives it one.
  std::uint64_t order = 0;
  std::string registrant = {};  ///< As that of a device.
  friend bool operator==(const Service&, const Service&) = default;
};

/// An installed application (CF::ApplicationFactory).
struct InstalledApplication {
  std::string id;  ///< Of its softwareassembly.
  std::string name;
  std::string profile;  ///< File name of its SAD in the domain's file system.
  friend bool operator==(const InstalledApplication&, const InstalledApplication&) = default;
};

/// How often an order that a device has not confirmed is undone, when the device answers: it may be performed
/// a little later.
inline constexpr int kUnconfirmed = 2;
/// What else a device of SCA 4.1 returns for what it has executed
/// (CF::ExecutableInterface::ExecutionID_Type).
struct Execution41 {
  std::uint64_t thread = 0;
  std::string collocation = {};  ///< Of the process.
  std::vector<std::uint32_t> cores = {};
  friend auto operator<=>(const Execution41&, const Execution41&) = default;
};

/// A component or resource factory of an application.
struct DeployedComponent {
  std::string id;             ///< Unique in the domain: instantiation, ":" and the application's name.
  std::string instantiation;  ///< Id of its componentinstantiation in the SAD.
  std::string implementation;
  std::string device;          ///< Id of the device that executes it.
  std::int64_t process = -1;   ///< As CF::ExecutableDevice::execute returned it; -1: not started.
  std::string reference;       ///< Empty: it has not registered yet.
  std::string binding;         ///< Its name in the naming context of the application; empty: it has none.
  std::string factory;         ///< Id of the resource factory that creates it; empty: `device` executes it.
  bool is_factory = false;     ///< It is a CF::ResourceFactory, and no CF::Resource.
  bool is_sca41 = false;       ///< It has the interfaces of SCA 4.1, and is no CF::Resource.
  Execution41 execution = {};  ///< If the device is one of SCA 4.1.
  /// 0, or how often it is still to be undone that `device` executes it: execute() has been called, and what
  /// it has done is not known. Then `process` is -1.
  std::int64_t unconfirmed = 0;
  friend bool operator==(const DeployedComponent&, const DeployedComponent&) = default;
};

/// A connection of an application.
struct DeployedConnection {
  std::string id;
  std::string component;       ///< Id of the component that has the uses port; empty: another object has it.
  std::string uses;            ///< Reference of the uses port; of the component, if it is one of SCA 4.1.
  std::string provides;        ///< Reference of the provides port, or of the object itself.
  std::string uses_port = {};  ///< Name of the uses port of a component of SCA 4.1; otherwise empty.
  /// Id of the component of SCA 4.1 that was asked for the provides port, and the name of this port; empty if
  /// there is none.
  std::string provider = {}, provides_port = {};
  friend bool operator==(const DeployedConnection&, const DeployedConnection&) = default;
};

/// Capacities of a device that an application has allocated by one call.
struct DeployedAllocation {
  std::string device;
  std::vector<Requirement> capacities;
  std::int64_t unconfirmed = 0;  ///< As that of a component, of allocateCapacity().
  friend bool operator==(const DeployedAllocation&, const DeployedAllocation&) = default;
};

/// A file that a device has loaded for an application, by one call.
struct DeployedLoad {
  std::string device;
  std::string file;              ///< Its name in the domain's file system.
  std::int64_t unconfirmed = 0;  ///< As that of a component, of load().
  friend bool operator==(const DeployedLoad&, const DeployedLoad&) = default;
};

/// A device of an application, as it was registered when it was first used. A device of the same identifier
/// with another reference has been started again: it has nothing of the application.
struct DeployedDevice {
  std::string id;
  std::string reference;
  friend bool operator==(const DeployedDevice&, const DeployedDevice&) = default;
};

/// A port of an application, or an interface: of one of its components.
struct ExternalPort {
  std::string name;
  std::string component;  ///< Id of the component.
  std::string port;       ///< Its name there; empty: the component itself.
  friend bool operator==(const ExternalPort&, const ExternalPort&) = default;
};

/// A property of an application that belongs to a component other than the assembly controller.
struct ExternalProperty {
  std::string id;
  std::string component;  ///< Id of the component.
  std::string property;   ///< Its id there.
  friend bool operator==(const ExternalProperty&, const ExternalProperty&) = default;
};

/// Process and cores of a component, chosen by the caller of create()
/// (CF::ApplicationFactory::ExecutionAffinityType of SCA 4.1).
struct ExecutionAffinity {
  std::string component;                  ///< Id of its componentinstantiation.
  std::string process = {};               ///< Its processcollocation; empty: that of the SAD.
  std::vector<std::uint32_t> cores = {};  ///< Empty: those of the SAD.
  friend bool operator==(const ExecutionAffinity&, const ExecutionAffinity&) = default;
};

/// A property that the caller of create() has given.
struct GivenProperty {
  std::string id;
  DeclaredType type;
  PropertyValue value;
  friend bool operator==(const GivenProperty& a, const GivenProperty& b) {
    return a.id == b.id && a.value == b.value;
  }
};

/// Whether an application is created again when a node with components of it is lost, and by which arguments.
struct Redeployment {
  bool enabled = false;
  bool lost = false;   ///< It has failed because a node was lost, and does not run again yet.
  bool start = false;  ///< It was started when it failed.
  std::string reason;  ///< Why it has failed; its `failure` also says why it does not run again yet.
  // Arguments of create().
  std::vector<GivenProperty> properties;
  std::vector<Requirement> assignments;  ///< Device (value) of a component (id).
  std::vector<Requirement> dependencies;
  std::vector<ExecutionAffinity> affinities;
  bool has_arguments = true;       ///< False: they were too large to be kept; `enabled` is false, too.
  std::int64_t again_s = 0;        ///< When it was last created again, in seconds since 1970; 0: never.
  std::int64_t losses = 0;         ///< Of nodes, in succession, each soon after it was created again.
  std::int64_t pause_until_s = 0;  ///< When it may be created again, in seconds since 1970.
  friend bool operator==(const Redeployment&, const Redeployment&) = default;
};

/// The state of an application.
enum class ApplicationState {
  deploying,  ///< Being created: after a crash of the domain manager, what is recorded is released.
  stopped,    ///< Created, and not started or stopped again.
  started,
  failed,     ///< A component has ended, or its node is lost.
  releasing,  ///< Being released: after a crash of the domain manager, the release is completed.
  /// Released; the record has what is left on devices that were not registered then, and what has not been
  /// confirmed.
  orphaned,
};

/// An application that is being created, exists, or is being released (CF::Application).
struct Application {
  std::string id;
  std::string name;
  std::string installed;  ///< Id of the InstalledApplication, which may have been uninstalled meanwhile.
  std::string profile;    ///< File name of its SAD in the domain's file system.
  ApplicationState state = ApplicationState::deploying;
  std::string failure;                        ///< Why it has failed.
  std::string controller;                     ///< Id of the component that is the assembly controller.
  std::vector<DeployedComponent> components;  ///< In the order of their creation.
  /// Ids of the components that Application::start() starts, in this order: the controller, those of
  /// Orbweaver, and those with a startorder. Others are started by the controller (SCA 2.2.2 3.1.3.2.1.5.5).
  std::vector<std::string> start_order;
  std::vector<DeployedConnection> connections;  ///< In the order in which they were made.
  std::vector<DeployedLoad> loads;              ///< In the order in which they were made.
  std::vector<DeployedAllocation> allocations;  ///< In the order in which they were made.
  std::vector<DeployedDevice> devices;          ///< Of components, loads and allocations; each once.
  std::vector<ExternalPort> external_ports;
  std::vector<ExternalProperty> external_properties;
  std::int64_t orphaned_s = 0;  ///< Since when it is orphaned, in seconds since 1970; 0: unknown.
  Redeployment redeployment;
  friend bool operator==(const Application&, const Application&) = default;
};

/// "component 'a:radio'", "factory 'f:radio'"
inline std::string part_text(const DeployedComponent& part) {
  return (part.is_factory ? "factory '" : "component '") + part.id + "'";
}

/// Whether the application exists, and has not failed: it is stopped or started.
inline bool runs(const Application& application) {
  return application.state == ApplicationState::stopped || application.state == ApplicationState::started;
}

}  // namespace orbweaver::sca
