#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

#include "sca/device/code_cache.h"

namespace orbweaver::sca {

/// The environment by which a process finds what it depends on, "NAME=value" each:
///
/// - LD_LIBRARY_PATH: the folders of the shared libraries (names that end with ".so", or contain ".so."),
/// - PYTHONPATH: the folder of a Python module; of a folder, itself if it contains modules or packages, or
///   the one around it if it is a package (it has "__init__.py").
///
/// Each folder is there once, in the order of `dependencies`, before those of this process's environment.
/// Variables without a folder are left out. Fails with ErrorKind::invalid if a folder has a character by
/// which these variables separate folders, or if a variable would be longer than execve(2) of Linux accepts
/// (128 KiB).
Result<std::vector<std::string>> code_environment(const std::vector<CodeCache::LoadedFiles>& dependencies);

}  // namespace orbweaver::sca
