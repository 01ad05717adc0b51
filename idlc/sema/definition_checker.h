#pragma once

#include <vector>

#include "idlc/parse/tree.h"
#include "idlc/sema/declaration_builder.h"

namespace orbweaver::idl {

/// Checks the definitions in the body of another definition.
class DefinitionChecker {
 public:
  virtual ~DefinitionChecker() = default;
  /// Checks definitions in order and adds their declarations to `into`. `last_use`: frees the tree of each
  /// definition after checking it, so that a large tree and its IR need not be in memory together.
  virtual void check_all(const std::vector<tree::DefinitionPtr>& body, Contents& into,
                         bool last_use = false) = 0;
};

}  // namespace orbweaver::idl
