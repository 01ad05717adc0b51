#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orbweaver::sca {

/// Returns why an implementation for `systems` and `processors` (<os name>, <processor name>; empty: any)
/// does not run on a system and processor ("is for Win32, and this is Linux"), or nullopt if it does. Names
/// are compared without regard to case, and a processor by any of its usual names: "x86", "amd64" and
/// "x86_64" all run on x86_64. An empty `system` or `processor` is not compared.
std::optional<std::string> platform_mismatch(const std::vector<std::string>& systems,
                                             const std::vector<std::string>& processors,
                                             const std::string& system, const std::string& processor);

}  // namespace orbweaver::sca
