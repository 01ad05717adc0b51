// Evaluates constants that are not numbers: booleans, enumerators, characters and strings.
#include "idlc/preprocess/limits.h"
#include "idlc/sema/checker.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::TypeKind;
using tree::Expression;

std::optional<ir::Value> Checker::boolean(const Expression& expression) {
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

std::optional<ir::Value> Checker::enumerator(const Expression& expression, const ir::Type& target) {
  if (expression.kind != Expression::Kind::name) {
    diagnostics_.error("wrong-literal", expression.span,
                       "an enumerator of '" + ir::describe(target) + "' is needed here");
    return std::nullopt;
  }
  Symbol* symbol = resolve(*expression.name);
  if (!symbol || symbol->broken) return std::nullopt;
  ir::Declaration* declaration = symbol->declaration;
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

std::optional<ir::Value> Checker::text(const Expression& expression, const ir::Type& target) {
  bool wide = target.kind == TypeKind::wchar || target.kind == TypeKind::wstring;
  bool one = target.kind == TypeKind::wchar || target.kind == TypeKind::char_;
  std::string wanted =
      one ? (wide ? "a wide character" : "a character") : (wide ? "a wide string" : "a string");
  std::u32string characters;
  if (expression.kind == Expression::Kind::name) {
    const ir::Constant* constant = constant_named(expression);
    if (!constant) return std::nullopt;
    bool same = ir::resolved(*constant->type).kind == target.kind;
    if (!same) {
      diagnostics_.error("wrong-kind", expression.span, "'" + constant->name + "' is not " + wanted)
          .note(constant->span, "declared here");
      return std::nullopt;
    }
    // A constant that names another one copies its text, so the total could grow with the square of the file.
    if (auto* narrow = std::get_if<std::string>(&constant->value)) copied_text_ += narrow->size();
    if (auto* w = std::get_if<ir::WideText>(&constant->value)) copied_text_ += 4 * w->text.size();
    if (copied_text_ > limits::kCopiedTextBytes) {
      diagnostics_.error("too-large", expression.span, "the constants here copy more than 64 MiB of text");
      return std::nullopt;
    }
    if (auto* narrow = std::get_if<std::string>(&constant->value))
      characters.assign(narrow->begin(), narrow->end());
    else if (auto* w = std::get_if<ir::WideText>(&constant->value))
      characters = w->text;
    else
      return constant->value;
    if (one) return constant->value;
  } else {
    bool right = expression.kind == Expression::Kind::literal &&
                 expression.literal[0].kind == (one ? TokenKind::character : TokenKind::string);
    if (!right) {
      diagnostics_
          .error("wrong-literal", expression.span,
                 (expression.kind == Expression::Kind::literal ? std::string(literal_noun(expression))
                                                               : "an expression") +
                     " where " + wanted + " is needed")
          .suggest(one ? "write one character between apostrophes" : "write text between quotation marks");
      return std::nullopt;
    }
    for (const Token& token : expression.literal) {
      auto read = read_text(token.text);
      if (auto* bad = std::get_if<BadLiteral>(&read)) {
        diagnostics_.error("bad-literal", token.span, bad->message).suggest(bad->suggestion);
        return std::nullopt;
      }
      const TextLiteral& text = std::get<TextLiteral>(read);
      if (text.wide != wide) {
        diagnostics_
            .error("wrong-literal", token.span,
                   std::string(text.wide ? "a wide" : "a narrow") + " literal where " + wanted + " is needed")
            .suggest(wide ? "put an L before it" : "remove the L");
        return std::nullopt;
      }
      characters += text.characters;
    }
  }
  if (one && characters.size() != 1) {
    diagnostics_.error("bad-literal", expression.span,
                       characters.empty() ? "a character literal holds a character"
                                          : "a character literal holds one character only");
    return std::nullopt;
  }
  if (!one && characters.find(U'\0') != std::u32string::npos) {
    diagnostics_.error("bad-literal", expression.span, "a string cannot hold the character 0");
    return std::nullopt;
  }
  if (!one && target.bound && characters.size() > target.bound) {
    diagnostics_.error("out-of-range", expression.span,
                       "this string has " + std::to_string(characters.size()) +
                           " characters; its type allows " + std::to_string(target.bound));
    return std::nullopt;
  }
  if (wide) return ir::Value(ir::WideText{characters});
  if (one) return ir::Value(static_cast<char>(characters[0]));
  return ir::Value(std::string(characters.begin(), characters.end()));
}

}  // namespace orbweaver::idl
