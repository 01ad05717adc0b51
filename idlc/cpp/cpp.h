#pragma once

#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// The C++ of a checked unit: fooC.h, fooC.cpp, fooS.h, fooS.cpp for foo.idl (IDL to C++11, docs/idl.md).
/// Constructs that have no run time yet are errors that name them; then nothing is returned.
std::vector<OutputFile> generate_cpp(const ir::Unit& unit, Diagnostics& diagnostics);

}  // namespace orbweaver::idl
