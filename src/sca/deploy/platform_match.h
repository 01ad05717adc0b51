#pragma once

#include <optional>
#include <string>

#include "sca/profile/component.h"

namespace orbweaver::sca {

/// Why an implementation does not run on a system and processor, or nothing where it does: "is for Win32, and this
/// is Linux". An implementation that names no system or no processor runs on every one. Names are compared without
/// regard to case, and a processor by any of its usual names: "x86", "amd64" and "x86_64" all run on x86_64. Empty
/// `system` or `processor`: not compared.
std::optional<std::string> platform_mismatch(const Implementation& implementation, const std::string& system,
                                             const std::string& processor);

}  // namespace orbweaver::sca
