#include <cmath>
#include <limits>

#include "idlc/sema/checker.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::Integer;
using ir::TypeKind;
using tree::Expression;

namespace {

struct Range {
  Integer least, most;
};

Range range_of(TypeKind kind) {
  auto bits = [](int n, bool sign) {
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

std::string written(Integer value) {
  bool negative = value < 0;
  std::string out;
  do {
    int d = static_cast<int>(value % 10);
    out.insert(out.begin(), static_cast<char>('0' + (d < 0 ? -d : d)));
    value /= 10;
  } while (value != 0);
  return (negative ? "-" : "") + out;
}

// Whether an intermediate result can be represented in 64 bits, signed or unsigned.
bool fits_64(Integer value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= static_cast<Integer>(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

std::optional<Integer> Checker::in_range(Integer value, TypeKind kind, Span span) {
  Range range = range_of(kind);
  if (value >= range.least && value <= range.most) return value;
  diagnostics_
      .error("out-of-range", span, written(value) + " is out of range for " + std::string(ir::spelling(kind)))
      .suggest("its values lie between " + written(range.least) + " and " + written(range.most));
  return std::nullopt;
}

const ir::Constant* Checker::constant_named(const Expression& expression) {
  Symbol* symbol = resolve(*expression.name);
  if (!symbol || symbol->broken) return nullptr;
  if (symbol->declaration && symbol->declaration->kind == ir::DeclKind::constant)
    return static_cast<ir::Constant*>(symbol->declaration);
  diagnostics_
      .error("wrong-kind", expression.span,
             "'" + std::string(expression.name->parts.back().text) + "' is not a constant")
      .note(symbol->span, "it is declared here, as " + std::string(symbol->noun));
  return nullptr;
}

std::optional<ir::Value> Checker::evaluate(const Expression& expression, const ir::Type& target) {
  const ir::Type& type = ir::resolved(target);
  if (ir::is_integer(type.kind)) {
    std::optional<Integer> value = integer(expression, type);
    if (value) value = in_range(*value, type.kind, expression.span);
    return value ? std::optional<ir::Value>(*value) : std::nullopt;
  }
  if (ir::is_floating(type.kind)) {
    std::optional<long double> value = floating(expression, type);
    if (!value) return std::nullopt;
    long double limit = type.kind == TypeKind::float_    ? std::numeric_limits<float>::max()
                        : type.kind == TypeKind::double_ ? std::numeric_limits<double>::max()
                                                         : std::numeric_limits<long double>::max();
    if (!(std::fabs(*value) <= limit)) {
      diagnostics_.error("out-of-range", expression.span,
                         "this value is out of range for " + std::string(ir::spelling(type.kind)));
      return std::nullopt;
    }
    return ir::Value(*value);
  }
  switch (type.kind) {
    case TypeKind::boolean: return boolean(expression);
    case TypeKind::char_:
    case TypeKind::wchar:
    case TypeKind::string:
    case TypeKind::wstring: return text(expression, type);
    case TypeKind::fixed: {
      std::optional<ir::Fixed> value = fixed(expression);
      return value ? std::optional<ir::Value>(*value) : std::nullopt;
    }
    case TypeKind::declared:
      if (type.declaration->kind == ir::DeclKind::enum_) return enumerator(expression, type);
      if (type.declaration->kind == ir::DeclKind::bitmask) {
        std::optional<Integer> value = integer(expression, *basic(TypeKind::ulonglong));
        return value ? std::optional<ir::Value>(*value) : std::nullopt;
      }
      break;
    default: break;
  }
  diagnostics_.error("bad-constant", expression.span, "a constant cannot be of type " + ir::describe(target))
      .suggest(
          "constants are integers, floating- and fixed-point numbers, booleans, characters, strings and "
          "enumerators");
  return std::nullopt;
}

std::optional<Integer> Checker::integer(const Expression& expression, const ir::Type& target, int depth) {
  const Range wanted = range_of(target.kind);
  const bool narrow = wanted.least >= -(Integer{1} << 31) && wanted.most < (Integer{1} << 32);
  auto checked = [&](Integer value) -> std::optional<Integer> {
    // Intermediate results are long or unsigned long unless the constant itself has a 64-bit type.
    const bool part = narrow && depth > 0 && expression.kind == Expression::Kind::binary;
    if (part && (value < -(Integer{1} << 31) || value >= (Integer{1} << 32))) {
      diagnostics_.error("out-of-range", expression.span, "this intermediate result does not fit in 32 bits")
          .suggest("make the constant a 'long long', or put the parts in another order");
      return std::nullopt;
    }
    if (fits_64(value)) return value;
    diagnostics_.error("out-of-range", expression.span, "this value does not fit in 64 bits");
    return std::nullopt;
  };
  switch (expression.kind) {
    case Expression::Kind::literal: {
      if (expression.literal[0].kind != TokenKind::number) {
        diagnostics_.error("wrong-literal", expression.span,
                           std::string(literal_noun(expression)) + " where an integer is needed");
        return std::nullopt;
      }
      Number number = read_number(expression.literal[0].text);
      if (auto* value = std::get_if<Integer>(&number)) return *value;
      if (auto* bad = std::get_if<BadLiteral>(&number)) {
        diagnostics_.error("bad-literal", expression.span, bad->message).suggest(bad->suggestion);
      } else {
        diagnostics_.error("wrong-literal", expression.span,
                           std::string(literal_noun(expression)) + " where an integer is needed");
      }
      return std::nullopt;
    }
    case Expression::Kind::name: {
      if (target.kind == TypeKind::declared && target.declaration->kind == ir::DeclKind::bitmask) break;
      Symbol* symbol = resolve(*expression.name);
      if (!symbol || symbol->broken) return std::nullopt;
      if (symbol->declaration && symbol->declaration->kind == ir::DeclKind::enumerator) {
        const auto& each = ir::as<ir::Enumerator>(*symbol->declaration);
        if (each.owner && each.owner->kind == ir::DeclKind::bitmask) return Integer{1} << each.value;
      }
      const ir::Constant* constant = constant_named(expression);
      if (!constant) return std::nullopt;
      if (auto* value = std::get_if<Integer>(&constant->value)) return *value;
      diagnostics_.error("wrong-kind", expression.span, "'" + constant->name + "' is not an integer")
          .note(constant->span, "it is of type " + ir::describe(*constant->type));
      return std::nullopt;
    }
    case Expression::Kind::unary: {
      std::optional<Integer> value = integer(*expression.right, target, depth + 1);
      if (!value) return std::nullopt;
      if (expression.op == TokenKind::minus) return checked(-*value);
      if (expression.op == TokenKind::plus) return value;
      // ~ inverts all bits of the target type (CORBA 3.3 part 1, 7.4.1.4.3).
      Range range = range_of(target.kind);
      return range.least == 0 && *value >= 0 ? std::optional<Integer>(range.most - *value)
                                             : checked(-*value - 1);
    }
    case Expression::Kind::binary: {
      std::optional<Integer> left = integer(*expression.left, target, depth + 1);
      std::optional<Integer> right = integer(*expression.right, target, depth + 1);
      if (!left || !right) return std::nullopt;
      switch (expression.op) {
        case TokenKind::bar: return checked(*left | *right);
        case TokenKind::caret: return checked(*left ^ *right);
        case TokenKind::ampersand: return checked(*left & *right);
        case TokenKind::plus: return checked(*left + *right);
        case TokenKind::minus: return checked(*left - *right);
        case TokenKind::star: {
          Integer product = 0;
          return __builtin_mul_overflow(*left, *right, &product) ? checked(Integer{1} << 100)
                                                                 : checked(product);
        }
        case TokenKind::shift_left:
        case TokenKind::shift_right:
          if (*right < 0 || *right > 63) {
            diagnostics_.error("out-of-range", expression.right->span,
                               "a shift is by 0 to 63 bits, not " + written(*right));
            return std::nullopt;
          }
          if (expression.op == TokenKind::shift_right) return *left >> static_cast<int>(*right);
          return checked(*left * (Integer{1} << static_cast<int>(*right)));
        default: break;
      }
      if (*right == 0) {
        diagnostics_.error("division-by-zero", expression.right->span, "division by zero");
        return std::nullopt;
      }
      return checked(expression.op == TokenKind::slash ? *left / *right : *left % *right);
    }
  }
  return std::nullopt;
}

std::optional<long double> Checker::floating(const Expression& expression, const ir::Type& target) {
  switch (expression.kind) {
    case Expression::Kind::literal: {
      Number number = expression.literal[0].kind == TokenKind::number
                          ? read_number(expression.literal[0].text)
                          : Number(BadLiteral{});
      if (auto* value = std::get_if<long double>(&number)) return *value;
      if (std::holds_alternative<Integer>(number)) {
        diagnostics_
            .error("wrong-literal", expression.span, "an integer where a floating-point number is needed")
            .suggest("write '" + std::string(expression.literal[0].text) + ".0'");
        return std::nullopt;
      }
      auto* bad = std::get_if<BadLiteral>(&number);
      if (bad && !bad->message.empty())
        diagnostics_.error("bad-literal", expression.span, bad->message).suggest(bad->suggestion);
      else
        diagnostics_.error(
            "wrong-literal", expression.span,
            std::string(literal_noun(expression)) + " where a floating-point number is needed");
      return std::nullopt;
    }
    case Expression::Kind::name: {
      const ir::Constant* constant = constant_named(expression);
      if (!constant) return std::nullopt;
      if (auto* value = std::get_if<long double>(&constant->value)) return *value;
      diagnostics_
          .error("wrong-kind", expression.span, "'" + constant->name + "' is not a floating-point number")
          .note(constant->span, "it is of type " + ir::describe(*constant->type));
      return std::nullopt;
    }
    case Expression::Kind::unary: {
      std::optional<long double> value = floating(*expression.right, target);
      if (expression.op == TokenKind::tilde && value) {
        diagnostics_.error("bad-operator", expression.span, "'~' works on integers only");
        return std::nullopt;
      }
      return value && expression.op == TokenKind::minus ? std::optional(-*value) : value;
    }
    case Expression::Kind::binary: {
      std::optional<long double> left = floating(*expression.left, target);
      std::optional<long double> right = floating(*expression.right, target);
      if (!left || !right) return std::nullopt;
      switch (expression.op) {
        case TokenKind::plus: return *left + *right;
        case TokenKind::minus: return *left - *right;
        case TokenKind::star: return *left * *right;
        case TokenKind::slash:
          if (*right != 0) return *left / *right;
          diagnostics_.error("division-by-zero", expression.right->span, "division by zero");
          return std::nullopt;
        default: break;
      }
      diagnostics_.error("bad-operator", expression.span, "this operator works on integers only");
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace orbweaver::idl
