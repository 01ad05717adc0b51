#pragma once

#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"

namespace orbweaver::idl {

/// A starting point for servants: foo_impl.h and foo_impl.cpp, a class for each interface, every operation
/// raising NO_IMPLEMENT until it is written. Meant to be edited: the caller must not overwrite files that
/// exist.
std::vector<OutputFile> generate_impl(const ir::Unit& unit);

}  // namespace orbweaver::idl
