#pragma once

#include "idlc/ir/ir.h"
#include "idlc/parse/parse.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// Checks definitions as they are parsed, and makes the IR of them.
class Checking : public DefinitionSink {
 public:
  /// After the last definition. On errors (in the diagnostics) the unit is incomplete and no back end may see
  /// it.
  virtual std::unique_ptr<ir::Unit> finish() = 0;
};

/// `preprocessed` and the others must outlive what is returned; `preprocessed` may grow meanwhile.
std::unique_ptr<Checking> make_checking(const Preprocessed& preprocessed, const Sources& sources,
                                        Diagnostics& diagnostics);

}  // namespace orbweaver::idl
