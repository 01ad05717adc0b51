#pragma once

#include <orbweaver/result.h>

#include <vector>

#include "sca/deploy/plan.h"

namespace orbweaver::sca {

/// Puts the values of `--set` into the settings of the assembly's components, as if they were in its file;
/// with `realtime`, also `true` for the property `realtime` of each component that has one. For an assembly
/// that make_plan() does not plan. Fails with ErrorKind::invalid if there is no such component or property,
/// or it cannot have the value.
Result<void> apply_overrides(Assembly& assembly, const std::vector<Override>& overrides, bool realtime);

}  // namespace orbweaver::sca
