#pragma once

namespace orbweaver::platform {

/// The value of an environment variable; null if it is not set, or if the program has more privileges than
/// its caller (setuid, setgid, file capabilities), whose environment must not configure a privileged program.
const char* environment(const char* name) noexcept;

}  // namespace orbweaver::platform
