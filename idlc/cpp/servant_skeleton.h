#pragma once

#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"

namespace orbweaver::idl {

/// Generates servant templates, foo_impl.h and foo_impl.cpp: a class for each interface, in which every
/// operation raises NO_IMPLEMENT. Users edit these files: the caller must not overwrite existing ones.
std::vector<OutputFile> generate_impl(const ir::Unit& unit);

}  // namespace orbweaver::idl
