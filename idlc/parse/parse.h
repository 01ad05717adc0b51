#pragma once

#include "idlc/parse/tree.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// Reads the tokens as IDL 4.2 (and all of CORBA 3 IDL). A syntax error is reported once; reading goes on at
/// the next definition, so that further errors are found in the same run. Nesting beyond `kMaxNesting` is an
/// error.
tree::Unit parse(const Preprocessed& unit, Diagnostics& diagnostics);

inline constexpr int kMaxNesting = 200;

}  // namespace orbweaver::idl
