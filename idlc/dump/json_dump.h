#pragma once

#include <string>

#include "idlc/ir/ir.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// The IR as JSON, for external back ends. docs/idl.md describes the format; incompatible changes increase
/// the number in "format".
std::string dump_json(const ir::Unit& unit, const Sources& sources);

}  // namespace orbweaver::idl
