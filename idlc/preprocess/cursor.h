#pragma once

#include <vector>

#include "idlc/lex/lexer.h"

namespace orbweaver::idl {

/// A place in a run of tokens: of a file that is cut into tokens as they are asked for, or of a list. Sees
/// one token ahead. The list or lexer must outlive it.
class TokenCursor {
 public:
  explicit TokenCursor(Lexer& lexer) : lexer_(&lexer), ahead_(lexer.next()) {}
  explicit TokenCursor(const std::vector<Token>& tokens) : tokens_(&tokens) { look(); }

  /// The token that take() will return: `end` behind the last one.
  const Token& peek() const { return ahead_; }
  bool at_end() const { return ahead_.kind == TokenKind::end; }
  Token take() {
    const Token taken = ahead_;
    if (lexer_ != nullptr)
      ahead_ = lexer_->next();
    else if (at_ < tokens_->size())
      ++at_, look();
    return taken;
  }

 private:
  void look() { ahead_ = at_ < tokens_->size() ? (*tokens_)[at_] : Token{}; }

  Lexer* lexer_ = nullptr;
  const std::vector<Token>* tokens_ = nullptr;
  std::size_t at_ = 0;
  Token ahead_;
};

}  // namespace orbweaver::idl
