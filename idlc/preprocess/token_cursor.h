#pragma once

#include <vector>

#include "idlc/lex/lexer.h"

namespace orbweaver::idl {

/// Reads tokens from a lexer or from a list, with one token of lookahead. The list or lexer must outlive it.
class TokenCursor {
 public:
  explicit TokenCursor(Lexer& lexer) : lexer_(&lexer), lookahead_(lexer.next()) {}
  explicit TokenCursor(const std::vector<Token>& tokens) : tokens_(&tokens) { look(); }

  /// The token that the next take() returns; `end` after the last one.
  const Token& peek() const { return lookahead_; }
  bool at_end() const { return lookahead_.kind == TokenKind::end; }
  Token take() {
    const Token taken = lookahead_;
    if (lexer_ != nullptr)
      lookahead_ = lexer_->next();
    else if (at_ < tokens_->size())
      ++at_, look();
    return taken;
  }

 private:
  void look() { lookahead_ = at_ < tokens_->size() ? (*tokens_)[at_] : Token{}; }

  Lexer* lexer_ = nullptr;
  const std::vector<Token>* tokens_ = nullptr;
  std::size_t at_ = 0;
  Token lookahead_;
};

}  // namespace orbweaver::idl
