#pragma once

#include <vector>

#include "idlc/preprocess/macro_expansion.h"

namespace orbweaver::idl {

/// Whether the expression after `#if` or `#elif` is true. An error is reported once, and the result is false
/// then.
bool condition_holds(const std::vector<Token>& line, Span directive, MacroExpander& expander,
                     Diagnostics& diagnostics);

}  // namespace orbweaver::idl
