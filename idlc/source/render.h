#pragma once

#include <string>

#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Diagnostics as text: `file:line:column: error: …`, the source line, a caret, the suggestion, notes.
std::string render_text(const Diagnostics& diagnostics, const Sources& sources, bool colour);

/// Diagnostics for an editor: a JSON array with one object per diagnostic (docs/idl.md describes the
/// members).
std::string render_json(const Diagnostics& diagnostics, const Sources& sources);

}  // namespace orbweaver::idl
