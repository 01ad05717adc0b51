#include "idlc/sema/checker.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::Fixed;
using ir::Integer;
using tree::Expression;

// Evaluates fixed-point constants (CORBA 3.3 part 1, 7.4.1.4.3): 31 digits; further digits of a product or
// quotient are truncated.
namespace {

constexpr Integer power(int n) {
  Integer out = 1;
  for (; n > 0; --n) out *= 10;
  return out;
}
constexpr Integer kLimit = power(31);

Fixed trimmed(Integer digits, int scale) {
  while (scale > 0 && (digits % 10 == 0 || digits >= kLimit || digits <= -kLimit)) {
    digits /= 10;
    --scale;
  }
  return {digits, scale};
}

bool align(Fixed& a, Fixed& b) {
  while (a.scale != b.scale) {
    Fixed& shorter = a.scale < b.scale ? a : b;
    if (__builtin_mul_overflow(shorter.digits, Integer{10}, &shorter.digits)) return false;
    ++shorter.scale;
  }
  return true;
}

std::optional<Fixed> product(Fixed a, Fixed b) {
  Integer digits = 0;
  while (__builtin_mul_overflow(a.digits, b.digits, &digits)) {
    Fixed& longer = a.scale > b.scale ? a : b;
    if (longer.scale == 0) return std::nullopt;
    longer.digits /= 10;
    --longer.scale;
  }
  return trimmed(digits, a.scale + b.scale);
}

std::optional<Fixed> quotient(Fixed a, Fixed b) {
  Integer digits = a.digits;
  int scale = a.scale - b.scale;
  Integer grown = 0;
  while (scale < 31 && digits % b.digits != 0 && !__builtin_mul_overflow(digits, Integer{10}, &grown)) {
    digits = grown;
    ++scale;
  }
  digits /= b.digits;
  for (; scale < 0; ++scale) {
    if (__builtin_mul_overflow(digits, Integer{10}, &digits)) return std::nullopt;
  }
  return trimmed(digits, scale);
}

}  // namespace

std::optional<Fixed> Checker::fixed(const Expression& expression) {
  auto too_long = [&]() -> std::optional<Fixed> {
    diagnostics_.error("out-of-range", expression.span, "this value has more than 31 digits");
    return std::nullopt;
  };
  switch (expression.kind) {
    case Expression::Kind::literal: {
      bool number = expression.literal[0].kind == TokenKind::number;
      Number read = number ? read_number(expression.literal[0].text)
                           : Number(BadLiteral{"a fixed-point number is needed here", ""});
      if (auto* value = std::get_if<Fixed>(&read)) return *value;
      auto* bad = std::get_if<BadLiteral>(&read);
      diagnostics_
          .error("wrong-literal", expression.span, bad ? bad->message : "a fixed-point number is needed here")
          .suggest(bad ? bad->suggestion : "add a 'd': 1.25d");
      return std::nullopt;
    }
    case Expression::Kind::name: {
      const ir::Constant* constant = constant_named(expression);
      if (!constant) return std::nullopt;
      if (auto* value = std::get_if<Fixed>(&constant->value)) return *value;
      diagnostics_
          .error("wrong-kind", expression.span, "'" + constant->name + "' is not a fixed-point number")
          .note(constant->span, "declared here");
      return std::nullopt;
    }
    case Expression::Kind::unary: {
      std::optional<Fixed> value = fixed(*expression.right);
      if (value && expression.op == TokenKind::minus) value->digits = -value->digits;
      if (expression.op != TokenKind::tilde) return value;
      break;
    }
    case Expression::Kind::binary: {
      std::optional<Fixed> left = fixed(*expression.left), right = fixed(*expression.right);
      if (!left || !right) return std::nullopt;
      std::optional<Fixed> result;
      switch (expression.op) {
        case TokenKind::plus:
        case TokenKind::minus:
          if (!align(*left, *right)) return too_long();
          result = trimmed(left->digits + (expression.op == TokenKind::plus ? right->digits : -right->digits),
                           left->scale);
          break;
        case TokenKind::star: result = product(*left, *right); break;
        case TokenKind::slash:
          if (right->digits == 0) {
            diagnostics_.error("division-by-zero", expression.right->span, "division by zero");
            return std::nullopt;
          }
          result = quotient(*left, *right);
          break;
        default:
          diagnostics_.error("bad-operator", expression.span, "this operator works on integers only");
          return std::nullopt;
      }
      if (!result || result->digits >= kLimit || result->digits <= -kLimit) return too_long();
      return result;
    }
  }
  diagnostics_.error("bad-operator", expression.span, "'~' works on integers only");
  return std::nullopt;
}

}  // namespace orbweaver::idl
