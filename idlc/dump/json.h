#pragma once

#include <string>

#include "idlc/ir/ir.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// The checked tree as JSON, for other people's back ends: the format is described in docs/idl.md and keeps
/// its meaning while "format" keeps its number.
std::string dump_json(const ir::Unit& unit, const Sources& sources);

}  // namespace orbweaver::idl
