#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "CFC.h"
#include "sca/domain/domain_records.h"
#include "sca/domain/placement.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// An assembly cannot be deployed; the message says why.
struct DeploymentFailure : std::runtime_error {
  explicit DeploymentFailure(const std::string& message,
                             CF::ErrorNumberType error_number = CF::ErrorNumberType::CF_NOTSET)
      : std::runtime_error(message), number(error_number) {}
  CF::ErrorNumberType number;
};

/// A component or resource factory that is deployed.
struct DeploymentPart {
  std::string id;                                ///< As DeployedComponent::id.
  const Instantiation* instantiation = nullptr;  ///< Never null.
  const SoftwarePackage* package = nullptr;      ///< Never null.
  bool is_factory = false;
  /// It has interfaces of SCA 4.1, and registers itself at a CF::ComponentRegistry unless a component factory
  /// creates it.
  bool is_sca41 = false;
  /// Its name in the naming context; empty: a resource factory creates it, or it registers itself.
  std::string binding;
  std::string process;  ///< Parts with the same text share a process; empty: its own.
  /// The resource factory that creates it: index into DeploymentPlan::parts. Otherwise a device executes it.
  std::optional<std::size_t> factory;
  /// Those that may be executed, in order of preference: indices into SoftwarePackage::implementations.
  std::vector<std::size_t> implementations;
  std::size_t placed = 0;  ///< Index into PlacementRequest::components, if a device executes it.
  /// The number of connections of each connected input. Not set: the component is not one of Orbweaver.
  std::optional<std::vector<std::pair<std::string, std::size_t>>> streams;
  std::string direct_inputs;  ///< Of a component of Orbweaver; empty: not passed.

  bool registers_itself() const { return is_sca41 && !factory; }
  /// "component 'a'", "resource factory 'f'" or "component factory 'f'"
  std::string text() const;
};

/// What is to be done for an assembly, as plain data without side effects.
struct DeploymentPlan {
  /// Resource factories first, then the components in the order of the assembly. Resource factories that
  /// create components from libraries, as Orbweaver's does, are no parts: a device executes their components,
  /// in one process for each factory (decision 51).
  std::vector<DeploymentPart> parts;
  std::vector<std::size_t> components;  ///< Parallel to Assembly::components: indices into parts.
  PlacementRequest placement;
  std::vector<std::size_t> start_order;  ///< Application::start_order as indices into parts.
};

/// Whether a component may be one of Orbweaver, which has to be started itself, and whose process takes ORB
/// options: it has a port or an interface of Orbweaver.
bool is_orbweaver(const ComponentDescriptor& component);

/// Makes the plan of an assembly, for an application of that name. `assignments` are the devices that the
/// caller of create() has chosen, by the ids of instantiations. Throws DeploymentFailure. The assembly
/// outlives the plan.
DeploymentPlan plan_deployment(const Assembly& assembly, const std::string& application,
                               const std::map<std::string, std::string>& assignments);

}  // namespace orbweaver::sca
