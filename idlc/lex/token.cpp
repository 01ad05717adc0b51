#include "idlc/lex/token.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {
namespace {

struct Word {
  std::string_view text;
  bool soft;
};

constexpr Word kWords[] = {
    {"", true},
#define KEYWORD(name, text) {text, false},
#define SOFT_KEYWORD(name, text) {text, true},
#include "idlc/lex/keywords.def"
#undef KEYWORD
#undef SOFT_KEYWORD
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

}  // namespace

Keyword keyword_of(std::string_view text) {
  static const auto* table = [] {
    auto* words = new std::unordered_map<std::string_view, Keyword>;
    for (std::size_t i = 1; i < std::size(kWords); ++i)
      words->emplace(kWords[i].text, static_cast<Keyword>(i));
    return words;
  }();
  if (text.size() > 11) return Keyword::none;  // "truncatable" is the longest keyword
  auto found = table->find(text);
  return found == table->end() ? Keyword::none : found->second;
}

std::string_view keyword_ignoring_case(std::string_view text) {
  static const auto* table = [] {
    auto* words = new std::unordered_map<std::string, std::string_view>;
    for (const Word& word : kWords) {
      if (!word.soft) words->emplace(lower(word.text), word.text);
    }
    return words;
  }();
  if (text.size() > 11) return {};
  auto found = table->find(lower(text));
  return found == table->end() ? std::string_view() : found->second;
}

std::string_view nearest_keyword(std::string_view text, KeywordPosition place) {
  static constexpr std::string_view kDefinitions[] = {
      "module",    "interface", "struct",   "union", "enum",   "typedef", "const",
      "exception", "valuetype", "abstract", "local", "custom", "native"};
  static constexpr std::string_view kTypes[] = {"boolean", "char",     "wchar", "octet",   "short",
                                                "long",    "unsigned", "float", "double",  "string",
                                                "wstring", "any",      "fixed", "sequence"};
  static constexpr std::string_view kModifiers[] = {
      "unsigned", "oneway",    "readonly", "attribute", "typedef",   "const",  "struct", "union",
      "enum",     "exception", "native",   "abstract",  "local",     "custom", "public", "private",
      "in",       "out",       "inout",    "interface", "valuetype", "module"};
  if (text.empty() || (text[0] >= 'A' && text[0] <= 'Z')) return {};
  switch (place) {
    case KeywordPosition::definition: return nearest(text, kDefinitions);
    case KeywordPosition::type: return nearest(text, kTypes);
    default: return nearest(text, kModifiers);
  }
}

bool is_soft(Keyword keyword) { return kWords[static_cast<std::size_t>(keyword)].soft; }
std::string_view spelling(Keyword keyword) { return kWords[static_cast<std::size_t>(keyword)].text; }

std::string_view describe(TokenKind kind) {
  struct Name {
    TokenKind kind;
    std::string_view text;
  };
  static constexpr Name kNames[] = {{TokenKind::end, "the end of the file"},
                                    {TokenKind::identifier, "an identifier"},
                                    {TokenKind::number, "a number"},
                                    {TokenKind::character, "a character literal"},
                                    {TokenKind::string, "a string literal"},
                                    {TokenKind::semicolon, "';'"},
                                    {TokenKind::comma, "','"},
                                    {TokenKind::colon, "':'"},
                                    {TokenKind::scope, "'::'"},
                                    {TokenKind::equals, "'='"},
                                    {TokenKind::at, "'@'"},
                                    {TokenKind::left_brace, "'{'"},
                                    {TokenKind::right_brace, "'}'"},
                                    {TokenKind::left_paren, "'('"},
                                    {TokenKind::right_paren, "')'"},
                                    {TokenKind::left_bracket, "'['"},
                                    {TokenKind::right_bracket, "']'"},
                                    {TokenKind::less, "'<'"},
                                    {TokenKind::greater, "'>'"}};
  const auto* name =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& each) { return each.kind == kind; });
  return name == std::end(kNames) ? "a token" : name->text;
}

}  // namespace orbweaver::idl
