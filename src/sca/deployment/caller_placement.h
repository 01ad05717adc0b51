#pragma once

#include <vector>

#include "sca/domain/domain_records.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// What the caller of create() of SCA 4.1 asks for, besides devices.
struct CallerPlacement {
  /// Required of every device that executes a component, instead of the SAD's or SPD's value of the property.
  std::vector<Requirement> dependencies;
  std::vector<ExecutionAffinity> affinities;

  bool empty() const { return dependencies.empty() && affinities.empty(); }
};

/// Changes an assembly to what the caller asks for. Raises CF::ApplicationFactory::CreateApplicationError
/// with CF_EINVAL for an affinity of a component that does not exist or has two of them, and for a process of
/// a factory or of a component that a factory creates; with CF_E2BIG above kMaxDependencies, and for texts of
/// dependencies of more than 1,024 octets.
void apply(const CallerPlacement& placement, Assembly& assembly);

}  // namespace orbweaver::sca
