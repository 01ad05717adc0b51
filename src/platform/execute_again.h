#pragma once

#include <string>

namespace orbweaver::platform {

/// Replaces this process by a new execution of its program, with the same arguments and the same environment,
/// to which `variable`, "NAME=value", is added. All threads end at once, wherever they are, and all
/// descriptors but 0, 1 and 2 are closed; pending and blocked signals remain. Returns only if that is not
/// possible: an errno value. Any thread.
int execute_again(const std::string& variable);

}  // namespace orbweaver::platform
