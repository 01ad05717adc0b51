#pragma once

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// A reference page for one IDL file, complete in itself: every definition with its comment, every name a
/// link to where it is defined. Names from included files link to those files' pages, which are made by
/// compiling them.
OutputFile generate_html(const ir::Unit& unit, const Sources& sources);

}  // namespace orbweaver::idl
