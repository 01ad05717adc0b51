// Fixed-point constants (CORBA 3.3 part 1, 7.4.1.4.3): 31 digits; further digits of a product or quotient are
// truncated.
#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/constant_expression.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::Fixed;
using ir::Integer;
using tree::Expression;

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

std::optional<Fixed> sum(Fixed a, Fixed b) {
  if (!align(a, b)) return std::nullopt;
  return trimmed(a.digits + b.digits, a.scale);
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

class ConstantEvaluator::FixedArithmetic {
 public:
  using Number = Fixed;

  explicit FixedArithmetic(ConstantEvaluator& constants)
      : constants_(constants), diagnostics_(constants.diagnostics_) {}

  std::optional<Fixed> literal(const Expression& expression) const {
    const bool number = expression.literal[0].kind == TokenKind::number;
    const idl::Number read = number ? read_number(expression.literal[0].text)
                                    : idl::Number(BadLiteral{"a fixed-point number is needed here", ""});
    if (auto* value = std::get_if<Fixed>(&read)) return *value;
    auto* bad = std::get_if<BadLiteral>(&read);
    diagnostics_
        .error("wrong-literal", expression.span, bad ? bad->message : "a fixed-point number is needed here")
        .suggest(bad ? bad->suggestion : "add a 'd': 1.25d");
    return std::nullopt;
  }

  std::optional<Fixed> named(const Expression& expression) const {
    const ir::Constant* constant = constants_.constant_named(expression);
    if (!constant) return std::nullopt;
    if (auto* value = std::get_if<Fixed>(&constant->value)) return *value;
    diagnostics_.error("wrong-kind", expression.span, "'" + constant->name + "' is not a fixed-point number")
        .note(constant->span, "declared here");
    return std::nullopt;
  }

  std::optional<Fixed> unary(const Expression& expression, std::optional<Fixed> operand) const {
    if (expression.op == TokenKind::tilde)
      return error("bad-operator", expression, "'~' works on integers only");
    if (operand && expression.op == TokenKind::minus) operand->digits = -operand->digits;
    return operand;
  }

  std::optional<Fixed> binary(const Expression& expression, Fixed left, Fixed right, int) const {
    std::optional<Fixed> result;
    switch (expression.op) {
      case TokenKind::plus: result = sum(left, right); break;
      case TokenKind::minus: result = sum(left, {-right.digits, right.scale}); break;
      case TokenKind::star: result = product(left, right); break;
      case TokenKind::slash:
        if (right.digits == 0) return error("division-by-zero", *expression.right, "division by zero");
        result = quotient(left, right);
        break;
      default: return error("bad-operator", expression, "this operator works on integers only");
    }
    if (result && result->digits < kLimit && result->digits > -kLimit) return result;
    return error("out-of-range", expression, "this value has more than 31 digits");
  }

 private:
  std::nullopt_t error(std::string_view rule, const Expression& expression, std::string message) const {
    diagnostics_.error(rule, expression.span, std::move(message));
    return std::nullopt;
  }

  ConstantEvaluator& constants_;
  Diagnostics& diagnostics_;
};

std::optional<Fixed> ConstantEvaluator::fixed(const Expression& expression) {
  return compute(expression, FixedArithmetic(*this));
}

}  // namespace orbweaver::idl
