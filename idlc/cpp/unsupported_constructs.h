#pragma once

#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl::cpp {

/// Reports each kind of construct in the main file that the C++ run time does not support, once per kind.
void reject(const ir::Unit& unit, Diagnostics& diagnostics);

}  // namespace orbweaver::idl::cpp
