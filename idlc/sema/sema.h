#pragma once

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// Checks what was parsed and makes the IR of it. On errors (in `diagnostics`) the unit is incomplete and no
/// back end may see it.
std::unique_ptr<ir::Unit> check(const tree::Unit& tree, const Preprocessed& preprocessed,
                                const Sources& sources, Diagnostics& diagnostics);

}  // namespace orbweaver::idl
