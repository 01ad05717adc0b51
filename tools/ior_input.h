#pragma once

#include <string>

#include "base/result.h"
#include "giop/ior.h"

namespace orbweaver::tools {

/// Reads the reference that a command line names: an IOR:… or corbaloc:…, a file with one, or "-" for
/// standard input, of which the first word is read. Fails with ErrorKind::invalid.
Result<giop::Ior> read_reference(const std::string& argument);

}  // namespace orbweaver::tools
