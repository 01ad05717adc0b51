#pragma once

#include <unordered_map>

#include "idlc/ir/ir.h"

namespace orbweaver::idl {

/// Makes the types of a unit, which owns them. Basic types and types named by a declaration are made once.
class TypeTable {
 public:
  explicit TypeTable(ir::Unit& unit) : unit_(unit) {}

  /// A type without parameters.
  const ir::Type* basic(ir::TypeKind kind);
  const ir::Type* declared(const ir::Declaration& declaration);
  const ir::Type* add(ir::Type type);

 private:
  ir::Unit& unit_;
  const ir::Type* basics_[32] = {};
  std::unordered_map<const ir::Declaration*, const ir::Type*> declared_;
};

/// The forward-declared struct or union that makes the type incomplete; null if the type is complete.
const ir::Declaration* incomplete_declaration(const ir::Type& type);

}  // namespace orbweaver::idl
