// Constants of characters and strings.
#include "idlc/preprocess/limits.h"
#include "idlc/sema/constant_evaluator.h"
#include "idlc/sema/literals.h"

namespace orbweaver::idl {

using ir::TypeKind;
using tree::Expression;

/// The type of a character or string constant.
struct ConstantEvaluator::TextTarget {
  explicit TextTarget(const ir::Type& of)
      : type(of), wide(of.kind == TypeKind::wchar || of.kind == TypeKind::wstring),
        character(of.kind == TypeKind::wchar || of.kind == TypeKind::char_),
        noun(character ? (wide ? "a wide character" : "a character")
                       : (wide ? "a wide string" : "a string")) {}

  const ir::Type& type;
  bool wide;
  bool character;  // one character, not a string
  std::string noun;
};

std::optional<ir::Value> ConstantEvaluator::text(const Expression& expression, const ir::Type& type) {
  const TextTarget target(type);
  std::optional<std::u32string> characters;
  if (expression.kind == Expression::Kind::name) {
    const ir::Constant* constant = text_constant(expression, target);
    if (!constant) return std::nullopt;
    if (target.character) return constant->value;
    if (auto* wide = std::get_if<ir::WideText>(&constant->value)) characters = wide->text;
    if (auto* narrow = std::get_if<std::string>(&constant->value))
      characters.emplace(narrow->begin(), narrow->end());
  } else {
    characters = text_literal(expression, target);
  }
  if (!characters || !check_length(expression, *characters, target)) return std::nullopt;
  if (target.wide) return ir::Value(ir::WideText{*characters});
  if (target.character) return ir::Value(static_cast<char>((*characters)[0]));
  return ir::Value(std::string(characters->begin(), characters->end()));
}

// The constant that a name refers to. A constant that names another one copies its text, so the total could
// grow with the square of the file.
const ir::Constant* ConstantEvaluator::text_constant(const Expression& expression, const TextTarget& target) {
  const ir::Constant* constant = constant_named(expression);
  if (!constant) return nullptr;
  if (ir::resolved(*constant->type).kind != target.type.kind) {
    diagnostics_.error("wrong-kind", expression.span, "'" + constant->name + "' is not " + target.noun)
        .note(constant->span, "declared here");
    return nullptr;
  }
  if (auto* narrow = std::get_if<std::string>(&constant->value)) copied_text_ += narrow->size();
  if (auto* wide = std::get_if<ir::WideText>(&constant->value)) copied_text_ += 4 * wide->text.size();
  if (copied_text_ <= limits::kCopiedTextBytes) return constant;
  diagnostics_.error("too-large", expression.span, "the constants here copy more than 64 MiB of text");
  return nullptr;
}

// The characters of one literal, or of adjacent string literals, which are concatenated.
std::optional<std::u32string> ConstantEvaluator::text_literal(const Expression& expression,
                                                              const TextTarget& target) {
  const bool literal = expression.kind == Expression::Kind::literal;
  if (!literal ||
      expression.literal[0].kind != (target.character ? TokenKind::character : TokenKind::string)) {
    diagnostics_
        .error("wrong-literal", expression.span,
               (literal ? std::string(literal_noun(expression)) : "an expression") + " where " + target.noun +
                   " is needed")
        .suggest(target.character ? "write one character between apostrophes"
                                  : "write text between quotation marks");
    return std::nullopt;
  }
  std::u32string characters;
  for (const Token& token : expression.literal) {
    const auto read = read_text(token.text);
    if (auto* bad = std::get_if<BadLiteral>(&read)) {
      diagnostics_.error("bad-literal", token.span, bad->message).suggest(bad->suggestion);
      return std::nullopt;
    }
    const TextLiteral& text = std::get<TextLiteral>(read);
    if (text.wide != target.wide) {
      diagnostics_
          .error(
              "wrong-literal", token.span,
              std::string(text.wide ? "a wide" : "a narrow") + " literal where " + target.noun + " is needed")
          .suggest(target.wide ? "put an L before it" : "remove the L");
      return std::nullopt;
    }
    characters += text.characters;
  }
  return characters;
}

bool ConstantEvaluator::check_length(const Expression& expression, const std::u32string& characters,
                                     const TextTarget& target) {
  if (target.character) {
    if (characters.size() == 1) return true;
    diagnostics_.error("bad-literal", expression.span,
                       characters.empty() ? "a character literal holds a character"
                                          : "a character literal holds one character only");
    return false;
  }
  if (characters.find(U'\0') != std::u32string::npos) {
    diagnostics_.error("bad-literal", expression.span, "a string cannot hold the character 0");
    return false;
  }
  if (target.type.bound == 0 || characters.size() <= target.type.bound) return true;
  diagnostics_.error("out-of-range", expression.span,
                     "this string has " + std::to_string(characters.size()) +
                         " characters; its type allows " + std::to_string(target.type.bound));
  return false;
}

}  // namespace orbweaver::idl
