// Integer constants: CORBA 3.3 part 1, 7.4.1.4.3.
#include <limits>

#include "idlc/ir/values.h"
#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/constant_expression.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::Integer;
using ir::TypeKind;
using tree::Expression;

namespace {

struct Range {
  Integer min, max;
};

Range range_of(TypeKind kind) {
  const auto bits = [](int n, bool sign) {
    return sign ? Range{-(Integer{1} << (n - 1)), (Integer{1} << (n - 1)) - 1}
                : Range{0, (Integer{1} << n) - 1};
  };
  switch (kind) {
    case TypeKind::octet:
    case TypeKind::uint8: return bits(8, false);
    case TypeKind::int8: return bits(8, true);
    case TypeKind::short_: return bits(16, true);
    case TypeKind::ushort: return bits(16, false);
    case TypeKind::long_: return bits(32, true);
    case TypeKind::ulong: return bits(32, false);
    case TypeKind::ulonglong: return bits(64, false);
    default: return bits(64, true);
  }
}

// Whether an intermediate result can be represented in 64 bits, signed or unsigned.
bool fits_64(Integer value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= static_cast<Integer>(std::numeric_limits<std::uint64_t>::max());
}

bool fits_32(Integer value) { return value >= -(Integer{1} << 31) && value < (Integer{1} << 32); }

}  // namespace

class ConstantEvaluator::IntegerArithmetic {
 public:
  using Number = Integer;

  IntegerArithmetic(ConstantEvaluator& constants, TypeKind kind)
      : constants_(constants), diagnostics_(constants.diagnostics_), min_(range_of(kind).min),
        max_(range_of(kind).max), narrow_(fits_32(min_) && fits_32(max_)) {}

  std::optional<Integer> literal(const Expression& expression) const {
    if (expression.literal[0].kind == TokenKind::number) {
      const idl::Number number = read_number(expression.literal[0].text);
      if (auto* value = std::get_if<Integer>(&number)) return *value;
      if (auto* bad = std::get_if<BadLiteral>(&number)) {
        diagnostics_.error("bad-literal", expression.span, bad->message).suggest(bad->suggestion);
        return std::nullopt;
      }
    }
    return error("wrong-literal", expression,
                 std::string(literal_noun(expression)) + " where an integer is needed");
  }

  std::optional<Integer> named(const Expression& expression) const {
    const Symbol* symbol = constants_.names_.resolve(*expression.name);
    if (!symbol || symbol->broken) return std::nullopt;
    if (symbol->declaration && symbol->declaration->kind == ir::DeclKind::enumerator) {
      const auto& flag = ir::as<ir::Enumerator>(*symbol->declaration);
      if (flag.owner && flag.owner->kind == ir::DeclKind::bitmask) return Integer{1} << flag.value;
    }
    const ir::Constant* constant = constants_.constant_named(expression);
    if (!constant) return std::nullopt;
    if (auto* value = std::get_if<Integer>(&constant->value)) return *value;
    diagnostics_.error("wrong-kind", expression.span, "'" + constant->name + "' is not an integer")
        .note(constant->span, "it is of type " + ir::describe(*constant->type));
    return std::nullopt;
  }

  std::optional<Integer> unary(const Expression& expression, std::optional<Integer> operand) const {
    if (!operand || expression.op == TokenKind::plus) return operand;
    if (expression.op == TokenKind::minus) return in_64_bits(expression, -*operand);
    // ~ inverts all bits of the target type.
    if (min_ == 0 && *operand >= 0) return max_ - *operand;
    return in_64_bits(expression, -*operand - 1);
  }

  std::optional<Integer> binary(const Expression& expression, Integer left, Integer right, int depth) const {
    std::optional<Integer> result;
    switch (expression.op) {
      case TokenKind::bar: result = left | right; break;
      case TokenKind::caret: result = left ^ right; break;
      case TokenKind::ampersand: result = left & right; break;
      case TokenKind::plus: result = left + right; break;
      case TokenKind::minus: result = left - right; break;
      case TokenKind::star: result = product(left, right); break;
      case TokenKind::shift_left: result = shifted(expression, left, right); break;
      case TokenKind::shift_right: return shifted(expression, left, right);
      default: result = quotient(expression, left, right); break;
    }
    if (!result) return std::nullopt;
    // Intermediate results are long or unsigned long unless the constant itself has a 64-bit type.
    if (narrow_ && depth > 0 && !fits_32(*result)) {
      diagnostics_.error("out-of-range", expression.span, "this intermediate result does not fit in 32 bits")
          .suggest("make the constant a 'long long', or put the parts in another order");
      return std::nullopt;
    }
    return in_64_bits(expression, *result);
  }

 private:
  std::nullopt_t error(std::string_view rule, const Expression& expression, std::string message) const {
    diagnostics_.error(rule, expression.span, std::move(message));
    return std::nullopt;
  }

  std::optional<Integer> in_64_bits(const Expression& expression, Integer value) const {
    if (fits_64(value)) return value;
    return error("out-of-range", expression, "this value does not fit in 64 bits");
  }

  // The product, or a value that does not fit in 64 bits.
  static Integer product(Integer left, Integer right) {
    Integer result = 0;
    return __builtin_mul_overflow(left, right, &result) ? Integer{1} << 100 : result;
  }

  std::optional<Integer> shifted(const Expression& expression, Integer value, Integer bits) const {
    if (bits < 0 || bits > 63)
      return error("out-of-range", *expression.right,
                   "a shift is by 0 to 63 bits, not " + ir::to_string(bits));
    if (expression.op == TokenKind::shift_right) return value >> static_cast<int>(bits);
    return value * (Integer{1} << static_cast<int>(bits));
  }

  std::optional<Integer> quotient(const Expression& expression, Integer left, Integer right) const {
    if (right == 0) return error("division-by-zero", *expression.right, "division by zero");
    return expression.op == TokenKind::slash ? left / right : left % right;
  }

  ConstantEvaluator& constants_;
  Diagnostics& diagnostics_;
  Integer min_, max_;  // of the type
  bool narrow_;        // of at most 32 bits
};

std::optional<Integer> ConstantEvaluator::integer(const Expression& expression, TypeKind kind) {
  return compute(expression, IntegerArithmetic(*this, kind));
}

std::optional<Integer> ConstantEvaluator::in_range(Integer value, TypeKind kind, Span span) {
  const Range range = range_of(kind);
  if (value >= range.min && value <= range.max) return value;
  diagnostics_
      .error("out-of-range", span,
             ir::to_string(value) + " is out of range for " + std::string(ir::spelling(kind)))
      .suggest("its values lie between " + ir::to_string(range.min) + " and " + ir::to_string(range.max));
  return std::nullopt;
}

std::optional<std::uint64_t> ConstantEvaluator::size(const Expression& expression, std::string_view what,
                                                     std::uint64_t maximum) {
  const std::optional<Integer> value = integer(expression, TypeKind::longlong);
  if (!value) return std::nullopt;
  if (*value >= 1 && *value <= static_cast<Integer>(maximum)) return static_cast<std::uint64_t>(*value);
  diagnostics_.error(
      "bad-size", expression.span,
      std::string(what) + (*value < 1 ? " is at least 1" : " is at most " + std::to_string(maximum)));
  return std::nullopt;
}

}  // namespace orbweaver::idl
