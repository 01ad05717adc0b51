#pragma once

#include <orbweaver/result.h>

#include <string>

#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// The folder of the files of a domain that deploys an assembly: `root`, or without one the deepest folder
/// that contains the assembly, its packages and their code. Fails with ErrorKind::invalid if `root` is no
/// folder, or does not contain the assembly.
Result<std::string> domain_folder(const Assembly& assembly, const std::string& root);

}  // namespace orbweaver::sca
