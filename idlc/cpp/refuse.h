#pragma once

#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl::cpp {

/// Reports every construct in the main file that has no C++ run time yet, once a construct.
void refuse(const ir::Unit& unit, Diagnostics& diagnostics);

}  // namespace orbweaver::idl::cpp
