#pragma once

#include <cstdint>
#include <string_view>

#include "idlc/source/span.h"

namespace orbweaver::idl {

enum class TokenKind : std::uint8_t {
  end,
  identifier,  // keywords too: see Token::keyword
  number,      // anything that begins like a number; literals.h reads it
  character,   // with its quotes and an L, if any
  string,
  unknown,  // a byte that begins no token, or a literal without its end
  // punctuation
  semicolon,
  comma,
  colon,
  scope,
  equals,
  at,
  dot,
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  less,
  greater,
  shift_left,
  shift_right,
  plus,
  minus,
  star,
  slash,
  percent,
  ampersand,
  bar,
  caret,
  tilde,
  // of the preprocessor only
  hash,
  hash_hash,
  question,
  bang,
  and_and,
  or_or,
  equal_equal,
  not_equal,
  less_equal,
  greater_equal,
  ellipsis,
  // what the preprocessor leaves for the parser
  pragma,      // text: the rest of the line
  file_enter,  // an included file begins here, or …
  file_leave,  // … has ended
};

enum class Keyword : std::uint8_t {
  none,
#define KEYWORD(name, text) name,
#define SOFT_KEYWORD(name, text) name,
#include "idlc/lex/keywords.def"
#undef KEYWORD
#undef SOFT_KEYWORD
};

/// One token. `text` lives as long as the `Sources`.
struct Token {
  TokenKind kind = TokenKind::end;
  Keyword keyword = Keyword::none;
  bool starts_line : 1 = false;
  bool space_before : 1 = false;
  bool no_expand : 1 = false;  // a macro's own name inside its expansion
  bool from_macro : 1 = false;
  Span span;
  std::string_view text;
};

/// The keyword that `text` spells exactly, or none.
Keyword keyword_of(std::string_view text);
/// The keyword (not a soft one) from which `text` differs in case only, or an empty view.
std::string_view keyword_like(std::string_view text);
/// Where a misspelt keyword stands: before a definition, where a type is named, before what a word modifies.
enum class KeywordPlace : std::uint8_t { definition, type, modifier };
/// The keyword that `text`, standing there, may be a misspelling of, or an empty view. Words with a capital are
/// names.
std::string_view keyword_near(std::string_view text, KeywordPlace place);
bool is_soft(Keyword keyword);
std::string_view spelling(Keyword keyword);
/// How messages name a kind: `';'`, `an identifier`.
std::string_view describe(TokenKind kind);

}  // namespace orbweaver::idl
