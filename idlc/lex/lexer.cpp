#include "idlc/lex/lexer.h"

namespace orbweaver::idl {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(Sources& sources, std::uint32_t id, Diagnostics& diagnostics)
      : file_(sources.file(id)), id_(id), text_(file_.text()), diagnostics_(diagnostics) {
    tokens_.reserve(text_.size() / 5 + 1);
  }

  std::vector<Token> run() {
    for (;;) {
      skip_space();
      token_.kind = TokenKind::end;
      std::size_t begin = at_;
      if (at_ < text_.size()) token_.kind = read();
      token_.text = text_.substr(begin, at_ - begin);
      token_.span = {id_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
      token_.keyword = token_.kind == TokenKind::identifier ? keyword_of(token_.text) : Keyword::none;
      tokens_.push_back(token_);
      if (token_.kind == TokenKind::end) return std::move(tokens_);
      token_ = {};
    }
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  // A backslash at the end of a line joins it with the next.
  std::size_t splice() const {
    if (peek() != '\\') return 0;
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  void skip_space() {
    token_.starts_line = at_ == 0;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') {
        token_.starts_line = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        line_comment();
      } else if (c == '/' && peek(1) == '*') {
        block_comment();
      } else if (std::size_t length = splice()) {
        at_ += length;
      } else {
        return;
      }
      token_.space_before = true;
    }
  }

  void line_comment() {
    std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      std::size_t length = splice();
      at_ += length ? length : 1;
    }
    file_.add_comment(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_));
  }

  void block_comment() {
    std::size_t begin = at_;
    std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) {
      diagnostics_
          .error("unterminated-comment", {id_, static_cast<std::uint32_t>(begin), 2},
                 "this comment never ends")
          .suggest("close it with '*/'");
      at_ = text_.size();
      return;
    }
    at_ = end + 2;
    file_.add_comment(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_));
  }

  TokenKind read() {
    char c = text_[at_];
    if (c == 'L' && (peek(1) == '"' || peek(1) == '\'')) {
      ++at_;
      return quoted(text_[at_]);
    }
    if (is_letter(c)) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      return TokenKind::identifier;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return quoted(c);
    return punctuation();
  }

  TokenKind number() {
    bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
      bool exponent = !hex && (peek() == 'e' || peek() == 'E');
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-')) ++at_;
    }
    return TokenKind::number;
  }

  TokenKind quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n';) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        at_ += splice() == 3 ? 3 : 2;
      } else if (text_[at_++] == quote) {
        return quote == '"' ? TokenKind::string : TokenKind::character;
      }
    }
    return TokenKind::unknown;
  }

  TokenKind one_or_two(char second, TokenKind two, TokenKind one) {
    ++at_;
    if (peek() != second) return one;
    ++at_;
    return two;
  }

  TokenKind punctuation() {
    using enum TokenKind;
    switch (text_[at_]) {
      case ':':
        return one_or_two(':', scope, colon);
      case '&':
        return one_or_two('&', and_and, ampersand);
      case '|':
        return one_or_two('|', or_or, bar);
      case '=':
        return one_or_two('=', equal_equal, equals);
      case '!':
        return one_or_two('=', not_equal, bang);
      case '#':
        return one_or_two('#', hash_hash, hash);
      case '<':
        return peek(1) == '<' ? one_or_two('<', shift_left, less) : one_or_two('=', less_equal, less);
      case '>':
        return peek(1) == '>' ? one_or_two('>', shift_right, greater)
                              : one_or_two('=', greater_equal, greater);
      case '.':
        if (peek(1) != '.' || peek(2) != '.') break;
        at_ += 3;
        return ellipsis;
      default:
        break;
    }
    return single(text_[at_++]);
  }

  static TokenKind single(char c) {
    using enum TokenKind;
    switch (c) {
      case ';':
        return semicolon;
      case ',':
        return comma;
      case '@':
        return at;
      case '.':
        return dot;
      case '{':
        return left_brace;
      case '}':
        return right_brace;
      case '(':
        return left_paren;
      case ')':
        return right_paren;
      case '[':
        return left_bracket;
      case ']':
        return right_bracket;
      case '+':
        return plus;
      case '-':
        return minus;
      case '*':
        return star;
      case '/':
        return slash;
      case '%':
        return percent;
      case '^':
        return caret;
      case '~':
        return tilde;
      case '?':
        return question;
      default:
        return unknown;
    }
  }

  SourceFile& file_;
  std::uint32_t id_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  Token token_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  return Lexer(sources, file, diagnostics).run();
}

}  // namespace orbweaver::idl
