#pragma once

#include <string>

#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Text for a person: `file:line:column: error: …`, the source line, a caret, what to do, notes.
std::string render_text(const Diagnostics& diagnostics, const Sources& sources, bool colour);

/// The same for an editor: a JSON array, one object a diagnostic (docs/idl.md describes the members).
std::string render_json(const Diagnostics& diagnostics, const Sources& sources);

}  // namespace orbweaver::idl
