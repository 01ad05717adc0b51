#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// "component.property=value", as `--set` takes it.
struct Override {
  std::string component;
  std::string property;
  std::string value;
};

/// Takes "component.property=value" apart. Fails with Remedy::mend.
Result<Override> parse_override(const std::string& text);

struct DeployOptions {
  std::vector<Override> overrides;
  bool realtime = false;     ///< Sets the property `realtime` of every component that has one.
  std::string host_program;  ///< Runs components that are libraries: `orbweaver-host`.
  std::string system = "Linux";
  std::string processor;  ///< "x86_64", as the kernel calls it; empty: any implementation's processor will do.
};

/// A property with its value, as text.
struct Setting {
  std::string id;
  std::string type;  ///< "ulong"
  std::string value;
};

/// A component as it is to be started.
struct PlannedComponent {
  std::size_t component = 0;  ///< Index into Assembly::components.
  std::size_t process = 0;    ///< Index into Plan::processes.
  std::string module;         ///< The library it comes from; empty where the process is its own program.
  std::string entry_point;
  /// Id and value of its exec params: defaults, the assembly's settings and overrides, in the order of the
  /// PRF. What the framework adds (COMPONENT_IDENTIFIER, …) is not among them.
  std::vector<std::pair<std::string, std::string>> exec_params;
  /// What configure() is called with before it is started: its properties of kind configure that can be written and
  /// have a value, with the PRF's word for their types.
  std::vector<Setting> configuration;
  /// How many connections lead to each of its provides ports that has any.
  std::vector<std::pair<std::string, std::size_t>> fan_in;
};

struct PlannedProcess {
  std::string program;
  std::vector<std::size_t> components;  ///< Indices; one where `program` is the component's own.
  bool is_host = false;
};

/// What is to be done, in order, as plain data. Made without starting anything.
struct Plan {
  std::vector<PlannedProcess> processes;
  std::vector<PlannedComponent> components;  ///< Parallel to Assembly::components.
  /// Receivers before senders, so that nobody sends to one who does not listen; the assembly controller as
  /// late as its connections allow; otherwise in the order of the assembly. Where connections run in a
  /// circle, the one that comes first in the assembly starts first. Stopping goes the other way.
  std::vector<std::size_t> start_order;
};

/// Fails with Remedy::mend: an override that fits no property, no implementation for this system, a
/// component that is placed together with others and is no library, a program or library that is not there or
/// may not be executed.
Result<Plan> make_plan(const Assembly& assembly, const DeployOptions& options);

}  // namespace orbweaver::sca
