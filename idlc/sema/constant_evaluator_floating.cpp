// Floating-point constants: CORBA 3.3 part 1, 7.4.1.4.3.
#include <cmath>
#include <limits>

#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/constant_expression.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::TypeKind;
using tree::Expression;

class ConstantEvaluator::FloatingArithmetic {
 public:
  using Number = long double;

  explicit FloatingArithmetic(ConstantEvaluator& constants)
      : constants_(constants), diagnostics_(constants.diagnostics_) {}

  std::optional<long double> literal(const Expression& expression) const {
    if (expression.literal[0].kind == TokenKind::number) {
      const idl::Number number = read_number(expression.literal[0].text);
      if (auto* value = std::get_if<long double>(&number)) return *value;
      if (std::holds_alternative<ir::Integer>(number)) {
        diagnostics_
            .error("wrong-literal", expression.span, "an integer where a floating-point number is needed")
            .suggest("write '" + std::string(expression.literal[0].text) + ".0'");
        return std::nullopt;
      }
      if (auto* bad = std::get_if<BadLiteral>(&number)) {
        diagnostics_.error("bad-literal", expression.span, bad->message).suggest(bad->suggestion);
        return std::nullopt;
      }
    }
    return error("wrong-literal", expression,
                 std::string(literal_noun(expression)) + " where a floating-point number is needed");
  }

  std::optional<long double> named(const Expression& expression) const {
    const ir::Constant* constant = constants_.constant_named(expression);
    if (!constant) return std::nullopt;
    if (auto* value = std::get_if<long double>(&constant->value)) return *value;
    diagnostics_
        .error("wrong-kind", expression.span, "'" + constant->name + "' is not a floating-point number")
        .note(constant->span, "it is of type " + ir::describe(*constant->type));
    return std::nullopt;
  }

  std::optional<long double> unary(const Expression& expression, std::optional<long double> operand) const {
    if (!operand) return std::nullopt;
    if (expression.op == TokenKind::tilde)
      return error("bad-operator", expression, "'~' works on integers only");
    return expression.op == TokenKind::minus ? -*operand : *operand;
  }

  std::optional<long double> binary(const Expression& expression, long double left, long double right,
                                    int) const {
    switch (expression.op) {
      case TokenKind::plus: return left + right;
      case TokenKind::minus: return left - right;
      case TokenKind::star: return left * right;
      case TokenKind::slash:
        if (right != 0) return left / right;
        return error("division-by-zero", *expression.right, "division by zero");
      default: return error("bad-operator", expression, "this operator works on integers only");
    }
  }

 private:
  std::nullopt_t error(std::string_view rule, const Expression& expression, std::string message) const {
    diagnostics_.error(rule, expression.span, std::move(message));
    return std::nullopt;
  }

  ConstantEvaluator& constants_;
  Diagnostics& diagnostics_;
};

std::optional<long double> ConstantEvaluator::floating(const Expression& expression) {
  return compute(expression, FloatingArithmetic(*this));
}

std::optional<ir::Value> ConstantEvaluator::floating_value(const Expression& expression, TypeKind kind) {
  const std::optional<long double> value = floating(expression);
  if (!value) return std::nullopt;
  const long double limit = kind == TypeKind::float_    ? std::numeric_limits<float>::max()
                            : kind == TypeKind::double_ ? std::numeric_limits<double>::max()
                                                        : std::numeric_limits<long double>::max();
  if (std::fabs(*value) <= limit) return ir::Value(*value);
  diagnostics_.error("out-of-range", expression.span,
                     "this value is out of range for " + std::string(ir::spelling(kind)));
  return std::nullopt;
}

}  // namespace orbweaver::idl
