#pragma once

#include <optional>

#include "idlc/parse/tree.h"

namespace orbweaver::idl {

/// Computes an expression from its operands up. `Arithmetic` gives the meaning of its parts: its functions
/// `literal`, `named`, `unary` and `binary` report errors and return nullopt then. `depth` is 0 for the whole
/// expression. The parser bounds the depth.
template <typename Arithmetic>
std::optional<typename Arithmetic::Number> compute(const tree::Expression& expression,
                                                   const Arithmetic& arithmetic, int depth = 0) {
  switch (expression.kind) {
    case tree::Expression::Kind::literal: return arithmetic.literal(expression);
    case tree::Expression::Kind::name: return arithmetic.named(expression);
    case tree::Expression::Kind::unary:
      return arithmetic.unary(expression, compute(*expression.right, arithmetic, depth + 1));
    case tree::Expression::Kind::binary: break;
  }
  const auto left = compute(*expression.left, arithmetic, depth + 1);
  const auto right = compute(*expression.right, arithmetic, depth + 1);
  if (!left || !right) return std::nullopt;
  return arithmetic.binary(expression, *left, *right, depth);
}

}  // namespace orbweaver::idl
