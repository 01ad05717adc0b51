#pragma once

#include <vector>

#include "idlc/preprocess/macros.h"

namespace orbweaver::idl {

/// Whether the expression after `#if` or `#elif` is true. An error is reported once, and the result is false
/// then.
bool condition_holds(const std::vector<Token>& line, Span directive, Macros& macros,
                     Diagnostics& diagnostics);

}  // namespace orbweaver::idl
