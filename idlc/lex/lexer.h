#pragma once

#include <vector>

#include "idlc/lex/token.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Cuts a file into tokens, the preprocessor's included; the last one is `end`. Comments are left in the
/// SourceFile. Never fails: a byte or literal that is no token becomes `unknown`, which matters only where
/// the preprocessor keeps it. A comment without an end is an error at once.
std::vector<Token> lex(Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace orbweaver::idl
