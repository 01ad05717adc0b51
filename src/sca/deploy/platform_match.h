#pragma once

#include <optional>
#include <string>

#include "sca/profile/component.h"

namespace orbweaver::sca {

/// Returns why an implementation does not run on a system and processor ("is for Win32, and this is Linux"),
/// or nullopt if it does. An implementation that names no system or no processor runs on every one. Names are
/// compared without regard to case, and a processor by any of its usual names: "x86", "amd64" and "x86_64"
/// all run on x86_64. An empty `system` or `processor` is not compared.
std::optional<std::string> platform_mismatch(const Implementation& implementation, const std::string& system,
                                             const std::string& processor);

}  // namespace orbweaver::sca
