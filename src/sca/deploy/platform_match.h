#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sca/profile/component.h"

namespace orbweaver::sca {

/// What executes a component. An empty text is unknown, and not compared.
struct Platform {
  std::string system;     ///< "Linux"
  std::string version;    ///< Of the system: "6.1.0-13-amd64".
  std::string processor;  ///< The kernel's name: "x86_64".
};

/// Returns why an implementation for `systems` and `processors` (<os>, <processor name>; empty: any) does not
/// run on a platform ("is for Win32, and this is Linux"), or nullopt if it does. Names are compared without
/// regard to case, and a processor by any of its usual names: "x86", "amd64" and "x86_64" all run on x86_64.
/// A version of a system is that of the platform or begins it: "6.1" fits "6.1.0-13-amd64", but not "6.10".
std::optional<std::string> platform_mismatch(const std::vector<OperatingSystem>& systems,
                                             const std::vector<std::string>& processors,
                                             const Platform& platform);

}  // namespace orbweaver::sca
