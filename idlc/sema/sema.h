#pragma once

#include "idlc/ir/ir.h"
#include "idlc/parse/parse.h"
#include "idlc/preprocess/preprocess.h"

namespace orbweaver::idl {

/// Checks definitions as they are parsed and builds their IR.
class SemanticChecker : public DefinitionSink {
 public:
  /// Completes the checks after the last definition and returns the unit. If the diagnostics have errors, the
  /// unit is incomplete and must not be given to a back end.
  virtual std::unique_ptr<ir::Unit> finish() = 0;
};

/// Makes a checker. `preprocessed`, `sources` and `diagnostics` must outlive it; `preprocessed` may grow
/// while the checker runs.
std::unique_ptr<SemanticChecker> make_semantic_checker(const TranslationUnit& preprocessed,
                                                       const Sources& sources, Diagnostics& diagnostics);

}  // namespace orbweaver::idl
