#pragma once

#include <cstdint>
#include <string_view>

#include "idlc/source/source_span.h"

namespace orbweaver::idl {

enum class TokenKind : std::uint8_t {
  end,
  identifier,  // keywords too: see Token::keyword
  number,      // any text that begins like a number; sema/literals.h checks it
  character,   // includes its quotes and the L of a wide literal
  string,
  unknown,  // an invalid byte, or an unterminated literal
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
  // used by the preprocessor only
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
  // made by the preprocessor for the parser
  pragma,      // text: the rest of the line
  file_enter,  // beginning of an included file
  file_leave,  // end of an included file
};

enum class Keyword : std::uint8_t {
  none,
#define KEYWORD(name, text) name,
#define SOFT_KEYWORD(name, text) name,
#include "idlc/lex/keywords.def"
#undef KEYWORD
#undef SOFT_KEYWORD
};

/// One token. `text` refers to the `Sources`.
struct Token {
  TokenKind kind = TokenKind::end;
  Keyword keyword = Keyword::none;
  bool starts_line : 1 = false;
  bool space_before : 1 = false;
  bool no_expand : 1 = false;  // a macro's own name within its expansion, which is not expanded again
  bool from_macro : 1 = false;
  Span span;
  std::string_view text;
};

/// The keyword with exactly this spelling, or none.
Keyword keyword_of(std::string_view text);
/// The keyword (except soft ones) that equals `text` apart from case; empty if there is none.
std::string_view keyword_ignoring_case(std::string_view text);
/// Where a misspelt keyword occurs: at the beginning of a definition, in place of a type, or before the word
/// that it modifies.
enum class KeywordPosition : std::uint8_t { definition, type, modifier };
/// The keyword that `text` at this position is likely a misspelling of; empty if there is none. Words that
/// begin with a capital letter are taken for names.
std::string_view nearest_keyword(std::string_view text, KeywordPosition place);
bool is_soft(Keyword keyword);
std::string_view spelling(Keyword keyword);
/// The name of a token kind in messages: `';'`, `an identifier`.
std::string_view describe(TokenKind kind);

}  // namespace orbweaver::idl
