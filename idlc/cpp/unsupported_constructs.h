#pragma once

#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl::cpp {

/// Reports each kind of construct in the main file that the C++ run time does not support, once per kind.
/// With `micro`, also each kind of construct that only the micro library does not support.
void reject(const ir::Unit& unit, Diagnostics& diagnostics, bool micro);

}  // namespace orbweaver::idl::cpp
