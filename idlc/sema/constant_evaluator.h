#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/name_table.h"

namespace orbweaver::idl {

/// Computes constant expressions (CORBA 3.3 part 1, 7.4.1.4.3). Each function reports an expression that has
/// no value of the wanted type, and returns nullopt.
class ConstantEvaluator {
 public:
  ConstantEvaluator(NameTable& names, Diagnostics& diagnostics) : names_(names), diagnostics_(diagnostics) {}

  /// The value of a constant of type `target`.
  std::optional<ir::Value> evaluate(const tree::Expression& expression, const ir::Type& target);
  /// The same for a type without parameters.
  std::optional<ir::Value> evaluate(const tree::Expression& expression, ir::TypeKind kind);
  /// An integer expression, computed with the rules for `kind`. The value may be out of range for `kind`.
  std::optional<ir::Integer> integer(const tree::Expression& expression, ir::TypeKind kind);
  /// A size from 1 to `maximum`. `what` names it in messages.
  std::optional<std::uint64_t> size(const tree::Expression& expression, std::string_view what,
                                    std::uint64_t maximum);

 private:
  class IntegerArithmetic;
  class FloatingArithmetic;
  class FixedArithmetic;
  struct TextTarget;

  std::optional<ir::Integer> in_range(ir::Integer value, ir::TypeKind kind, Span span);
  std::optional<ir::Value> floating_value(const tree::Expression& expression, ir::TypeKind kind);
  std::optional<long double> floating(const tree::Expression& expression);
  std::optional<ir::Fixed> fixed(const tree::Expression& expression);
  std::optional<ir::Value> boolean(const tree::Expression& expression);
  std::optional<ir::Value> enumerator(const tree::Expression& expression, const ir::Type& target);

  std::optional<ir::Value> text(const tree::Expression& expression, const ir::Type& target);
  const ir::Constant* text_constant(const tree::Expression& expression, const TextTarget& target);
  std::optional<std::u32string> text_literal(const tree::Expression& expression, const TextTarget& target);
  bool check_length(const tree::Expression& expression, const std::u32string& characters,
                    const TextTarget& target);

  /// The constant that a name refers to.
  const ir::Constant* constant_named(const tree::Expression& expression);

  NameTable& names_;
  Diagnostics& diagnostics_;
  std::size_t copied_text_ = 0;  // bytes of text that constants have copied from other constants
};

}  // namespace orbweaver::idl
