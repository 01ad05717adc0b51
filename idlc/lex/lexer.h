#pragma once

#include <vector>

#include "idlc/lex/token.h"
#include "idlc/source/diagnostics.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Splits a file into tokens, including those of the preprocessor. Adds comments to the SourceFile. An
/// invalid byte or an unterminated literal becomes a token of kind `unknown`; it is an error only if the
/// preprocessor keeps it. An unterminated comment is reported here.
class Lexer {
 public:
  Lexer(Sources& sources, std::uint32_t file, Diagnostics& diagnostics);
  /// The next token; after the last one, `end` at every call.
  Token next();

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::size_t splice() const;
  void skip_space();
  void line_comment();
  void block_comment();
  TokenKind read();
  TokenKind number();
  TokenKind quoted(char quote);
  TokenKind one_or_two(char second, TokenKind two, TokenKind one);
  TokenKind punctuation();

  SourceFile& file_;
  std::uint32_t id_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  Token token_;
};

/// All tokens of a file; the last one is `end`.
std::vector<Token> lex(Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace orbweaver::idl
