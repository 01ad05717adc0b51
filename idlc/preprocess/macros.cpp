#include "idlc/preprocess/macros.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "idlc/preprocess/limits.h"

namespace orbweaver::idl {
namespace {

bool same_body(const Macro& a, const Macro& b) {
  return a.function_like == b.function_like && a.parameters == b.parameters &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [](const Token& x, const Token& y) { return x.text == y.text; });
}

// Sets Macro::parameter_of.
void number_parameters(Macro& macro) {
  std::unordered_map<std::string_view, int> numbers;
  for (std::string_view each : macro.parameters) numbers.emplace(each, static_cast<int>(numbers.size()));
  for (const Token& each : macro.body) {
    const auto number = each.kind == TokenKind::identifier ? numbers.find(each.text) : numbers.end();
    macro.parameter_of.push_back(number == numbers.end() ? -1 : number->second);
  }
}

}  // namespace

void Macros::define(const std::vector<Token>& line, Span directive) {
  if (!check_name(line, directive)) return;
  auto macro = std::make_unique<Macro>();
  macro->name = line[0];
  macro->function_like = line.size() > 1 && line[1].kind == TokenKind::left_paren && !line[1].space_before;
  const std::optional<std::size_t> body = macro->function_like ? read_parameters(line, *macro) : 1;
  if (!body) return;
  macro->body.assign(line.begin() + static_cast<std::ptrdiff_t>(*body), line.end());
  number_parameters(*macro);
  if (!is_well_formed(*macro)) return;
  auto& slot = macros_[macro->name.text];
  if (slot && !same_body(*slot, *macro)) {
    diagnostics_
        .warning("macro-redefined", macro->name.span,
                 "macro '" + std::string(macro->name.text) + "' is defined again, differently")
        .suggest("#undef it first, if that is meant")
        .note(slot->name.span, "the earlier definition");
  }
  slot = std::move(macro);
}

bool Macros::check_name(const std::vector<Token>& line, Span directive) {
  if (line.empty() || line[0].kind != TokenKind::identifier) {
    diagnostics_.error("bad-define", line.empty() ? directive : line[0].span, "#define needs a name");
    return false;
  }
  if (line[0].text != "defined") return true;
  diagnostics_.error("bad-define", line[0].span, "'defined' cannot be a macro's name");
  return false;
}

// Reads the parameters of a function-like macro, which begin at index 2. Returns the index of its body.
// Reports parameters that are not a list of names and commas in turn.
std::optional<std::size_t> Macros::read_parameters(const std::vector<Token>& line, Macro& macro) {
  std::size_t at = 2;
  for (; at < line.size() && line[at].kind != TokenKind::right_paren; ++at) {
    const bool comma = line[at].kind == TokenKind::comma;
    if (comma != (at % 2 == 1)) break;
    if (comma) continue;
    macro.variadic = macro.variadic || line[at].kind == TokenKind::ellipsis;
    if (line[at].kind == TokenKind::ellipsis)
      macro.parameters.push_back("__VA_ARGS__");
    else if (line[at].kind == TokenKind::identifier)
      macro.parameters.push_back(line[at].text);
    else
      break;
    if (macro.parameters.size() > limits::kMacroArguments) break;
  }
  const bool closed = at < line.size() && line[at].kind == TokenKind::right_paren;
  if (closed && line[at - 1].kind != TokenKind::comma) return at + 1;
  diagnostics_.error(
      "bad-define", line[0].span,
      "the parameters of macro '" + std::string(line[0].text) + "' are not a list of names in parentheses");
  return std::nullopt;
}

// Checks the rules of C for a definition: distinct parameter names, '##' between two tokens, '#' before a
// parameter.
bool Macros::is_well_formed(const Macro& macro) {
  std::unordered_set<std::string_view> names;
  for (std::string_view each : macro.parameters) {
    if (names.insert(each).second) continue;
    diagnostics_.error(
        "bad-define", macro.name.span,
        "macro '" + std::string(macro.name.text) + "' has two parameters named '" + std::string(each) + "'");
    return false;
  }
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const Token& token = macro.body[i];
    const bool last = i + 1 == macro.body.size();
    if (token.kind == TokenKind::hash_hash && (i == 0 || last)) {
      diagnostics_.error("bad-define", token.span, "'##' needs an operand on both sides");
      return false;
    }
    const bool quotes = macro.function_like && token.kind == TokenKind::hash;
    if (quotes && (last || macro.parameter_of[i + 1] < 0)) {
      diagnostics_.error("bad-define", token.span, "'#' stands before a parameter of the macro only");
      return false;
    }
  }
  return true;
}

Macro* Macros::find(const Token& token) {
  if (token.kind != TokenKind::identifier || token.no_expand || macros_.empty()) return nullptr;
  const auto found = macros_.find(token.text);
  return found == macros_.end() ? nullptr : found->second.get();
}

bool Macros::is_macro(const Token& token) const {
  if (token.kind != TokenKind::identifier) return false;
  if (token.text.starts_with("__") && (token.text == "__FILE__" || token.text == "__LINE__")) return true;
  return !macros_.empty() && macros_.contains(token.text);
}

}  // namespace orbweaver::idl
