#include "idlc/sema/constant_evaluator.h"

namespace orbweaver::idl {

using ir::Integer;
using ir::TypeKind;
using tree::Expression;

namespace {

template <typename Number>
std::optional<ir::Value> as_value(const std::optional<Number>& number) {
  return number ? std::optional<ir::Value>(*number) : std::nullopt;
}

// Whether a fixed-point type that a typedef names can have the value.
bool fits(const ir::Fixed& value, const ir::Type& type) {
  Integer limit = 1;
  for (std::uint32_t i = type.scale; i < type.digits + static_cast<std::uint32_t>(value.scale); ++i)
    limit *= 10;
  return value.scale <= static_cast<int>(type.scale) && value.digits < limit && value.digits > -limit;
}

}  // namespace

std::optional<ir::Value> ConstantEvaluator::evaluate(const Expression& expression, const ir::Type& target) {
  const ir::Type& type = ir::resolved(target);
  if (ir::is_integer(type.kind)) {
    const std::optional<Integer> value = integer(expression, type.kind);
    return value ? as_value(in_range(*value, type.kind, expression.span)) : std::nullopt;
  }
  if (ir::is_floating(type.kind)) return floating_value(expression, type.kind);
  switch (type.kind) {
    case TypeKind::boolean: return boolean(expression);
    case TypeKind::char_:
    case TypeKind::wchar:
    case TypeKind::string:
    case TypeKind::wstring: return text(expression, type);
    case TypeKind::fixed: {
      const std::optional<ir::Fixed> value = fixed(expression);
      if (!value || type.digits == 0 || fits(*value, type)) return as_value(value);
      diagnostics_.error("out-of-range", expression.span,
                         "this value does not fit into " + ir::describe(type));
      return std::nullopt;
    }
    case TypeKind::declared:
      if (type.declaration->kind == ir::DeclKind::enum_) return enumerator(expression, type);
      if (type.declaration->kind == ir::DeclKind::bitmask)
        return as_value(integer(expression, TypeKind::ulonglong));
      break;
    default: break;
  }
  diagnostics_.error("bad-constant", expression.span, "a constant cannot be of type " + ir::describe(target))
      .suggest(
          "constants are integers, floating- and fixed-point numbers, booleans, characters, strings and "
          "enumerators");
  return std::nullopt;
}

std::optional<ir::Value> ConstantEvaluator::evaluate(const Expression& expression, TypeKind kind) {
  ir::Type type;
  type.kind = kind;
  return evaluate(expression, type);
}

std::optional<ir::Value> ConstantEvaluator::boolean(const Expression& expression) {
  if (expression.kind == Expression::Kind::literal && expression.literal[0].keyword != Keyword::none) {
    return ir::Value(expression.literal[0].keyword == Keyword::true_);
  }
  if (expression.kind == Expression::Kind::name) {
    const ir::Constant* constant = constant_named(expression);
    if (!constant) return std::nullopt;
    if (std::holds_alternative<bool>(constant->value)) return constant->value;
  }
  diagnostics_.error("wrong-literal", expression.span, "a boolean is TRUE or FALSE");
  return std::nullopt;
}

std::optional<ir::Value> ConstantEvaluator::enumerator(const Expression& expression, const ir::Type& target) {
  if (expression.kind != Expression::Kind::name) {
    diagnostics_.error("wrong-literal", expression.span,
                       "an enumerator of '" + ir::describe(target) + "' is needed here");
    return std::nullopt;
  }
  const Symbol* symbol = names_.resolve(*expression.name);
  if (!symbol || symbol->broken) return std::nullopt;
  const ir::Declaration* declaration = symbol->declaration;
  if (declaration && declaration->kind == ir::DeclKind::enumerator &&
      ir::as<ir::Enumerator>(*declaration).owner == target.declaration) {
    return ir::Value(static_cast<const ir::Enumerator*>(declaration));
  }
  if (declaration && declaration->kind == ir::DeclKind::constant) {
    const ir::Value& value = ir::as<ir::Constant>(*declaration).value;
    auto* named = std::get_if<const ir::Enumerator*>(&value);
    if (named && (*named)->owner == target.declaration) return value;
  }
  diagnostics_
      .error("wrong-kind", expression.span,
             "'" + std::string(expression.name->parts.back().text) + "' is not an enumerator of '" +
                 ir::describe(target) + "'")
      .note(symbol->span, "declared here")
      .note(target.declaration->span, "the enum");
  return std::nullopt;
}

const ir::Constant* ConstantEvaluator::constant_named(const Expression& expression) {
  const Symbol* symbol = names_.resolve(*expression.name);
  if (!symbol || symbol->broken) return nullptr;
  if (symbol->declaration && symbol->declaration->kind == ir::DeclKind::constant)
    return static_cast<const ir::Constant*>(symbol->declaration);
  diagnostics_
      .error("wrong-kind", expression.span,
             "'" + std::string(expression.name->parts.back().text) + "' is not a constant")
      .note(symbol->span, "it is declared here, as " + std::string(symbol->noun));
  return nullptr;
}

}  // namespace orbweaver::idl
