#pragma once

namespace orbweaver::platform {

/// The value of an environment variable; null where there is none, or where the program has more rights than its
/// caller (setuid, setgid, file capabilities): what the caller sets must not decide what runs with them.
const char* environment(const char* name) noexcept;

}  // namespace orbweaver::platform
