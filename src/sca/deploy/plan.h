#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/sca/property_value.h>
#include "sca/deploy/platform_match.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// A property override of `orbweaver run --set component.property=value`.
struct Override {
  std::string component;
  std::string property;
  std::string value;
};

/// Parses "component.property=value". Fails with ErrorKind::invalid.
Result<Override> parse_override(const std::string& text);

/// The options that change the plan of an assembly.
struct DeployOptions {
  std::vector<Override> overrides;
  bool realtime = false;     ///< Sets the property `realtime` of every component that has one.
  std::string host_program;  ///< Path of `orbweaver-host`, which runs components that are libraries.
  Platform platform = {"Linux", "", ""};  ///< What executes the components.
};

/// A property and its value.
struct Setting {
  std::string id;
  DeclaredType type;
  PropertyValue value;
};

/// A component with everything needed to start it.
struct PlannedComponent {
  std::size_t component = 0;  ///< Index into Assembly::components.
  std::size_t process = 0;    ///< Index into Plan::processes.
  std::string module;         ///< Path of its library; empty if the component is an executable.
  std::string entry_point;
  /// Ids and values of its exec params (defaults, assembly settings and overrides) in the order of the PRF,
  /// without those that the framework adds (COMPONENT_IDENTIFIER, …).
  std::vector<std::pair<std::string, std::string>> exec_params;
  /// Arguments of configure() before the start: its properties of kind configure that are writable and have a
  /// value.
  std::vector<Setting> configuration;
  /// Number of connections to each of its provides ports; ports without a connection are omitted.
  std::vector<std::pair<std::string, std::size_t>> fan_in;
  /// Its direct inputs: those of the assembly whose senders are all in the same process. Senders in another
  /// process are not blocked by a handler.
  std::vector<std::string> direct_inputs;
  /// Arguments of createResource(), if a factory creates it.
  std::vector<Setting> qualifiers;
};

/// A factory with everything needed to start it. A component factory of SCA 4.1 is started as a resource
/// factory: programs of Orbweaver are of the edition that their exec params ask for.
struct PlannedFactory {
  std::size_t process = 0;                                       ///< Index into Plan::processes.
  std::vector<std::pair<std::string, std::string>> exec_params;  ///< As PlannedComponent::exec_params.
};

/// A process to start.
struct PlannedProcess {
  std::string program;                  ///< Absolute path of the executable.
  std::vector<std::size_t> components;  ///< Indices into Plan::components; one unless `is_host` or `factory`.
  bool is_host = false;                 ///< `program` is orbweaver-host, started with the components.
  std::optional<std::size_t> factory;   ///< The factory that it is: index into Plan::factories.
};

/// The processes and components of a run and their start order, as plain data. Computing it starts nothing.
struct Plan {
  std::vector<PlannedProcess> processes;
  std::vector<PlannedComponent> components;  ///< Parallel to Assembly::components.
  std::vector<PlannedFactory> factories;     ///< Parallel to Assembly::factories.
  /// Receivers before senders, so that every receiver is ready before its sender starts; the assembly
  /// controller as late as its connections allow; otherwise in the order of the assembly. In a cycle of
  /// connections, the component that comes first in the assembly starts first. Components are stopped in
  /// reverse order.
  std::vector<std::size_t> start_order;
};

/// The numbers of streams of a component's inputs as the text of STREAMS_EXPECTED: "in=1,reference=2".
std::string streams_expected(const PlannedComponent& component);

/// The direct inputs of a component as the text of DIRECT_INPUTS: "in,reference".
std::string direct_inputs(const PlannedComponent& component);

/// Computes the plan. Fails with ErrorKind::invalid if an override fits no property, no implementation fits
/// this system, a component placed in a shared process has no shared library, or a program or library is
/// missing or not executable.
Result<Plan> make_plan(const Assembly& assembly, const DeployOptions& options);

}  // namespace orbweaver::sca
