#pragma once

#include <orbweaver/result.h>

#include <string>

#include "call/object_caller.h"

namespace orbweaver::tools {

/// Returns the text of a reference from an argument of a command line: the argument itself, a file with it,
/// or standard input for "-" (the first word). Fails with ErrorKind::invalid.
Result<std::string> reference_text(const std::string& argument);

/// As reference_text; an argument that is no reference and no file is a name, which the naming service
/// `naming` resolves: the calls to it have the time limit and the ORB options of `target`, whose reference is
/// not used. Fails with ErrorKind::invalid, timed_out, or unavailable if it cannot be called.
Result<std::string> find_reference(const std::string& argument, const std::string& naming,
                                   const call::TargetOptions& target);

/// The reference of the naming service of this host.
inline constexpr const char* kLocalNaming = "corbaloc::localhost/NameService";

}  // namespace orbweaver::tools
