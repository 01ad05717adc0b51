#include "idlc/lex/lexer.h"

namespace orbweaver::idl {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct SingleCharacter {
  char character;
  TokenKind kind;
};

// The tokens of one character that begin no longer token.
constexpr SingleCharacter kSingles[] = {
    {';', TokenKind::semicolon},     {',', TokenKind::comma},       {'@', TokenKind::at},
    {'.', TokenKind::dot},           {'{', TokenKind::left_brace},  {'}', TokenKind::right_brace},
    {'(', TokenKind::left_paren},    {')', TokenKind::right_paren}, {'[', TokenKind::left_bracket},
    {']', TokenKind::right_bracket}, {'+', TokenKind::plus},        {'-', TokenKind::minus},
    {'*', TokenKind::star},          {'/', TokenKind::slash},       {'%', TokenKind::percent},
    {'^', TokenKind::caret},         {'~', TokenKind::tilde},       {'?', TokenKind::question}};

TokenKind single(char c) {
  for (const SingleCharacter& each : kSingles) {
    if (each.character == c) return each.kind;
  }
  return TokenKind::unknown;
}

}  // namespace

Lexer::Lexer(Sources& sources, std::uint32_t id, Diagnostics& diagnostics)
    : file_(sources.file(id)), id_(id), text_(file_.text()), diagnostics_(diagnostics) {}

Token Lexer::next() {
  token_ = {};
  skip_space();
  const std::size_t begin = at_;
  if (at_ < text_.size()) token_.kind = read();
  token_.text = text_.substr(begin, at_ - begin);
  token_.span = {id_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
  token_.keyword = token_.kind == TokenKind::identifier ? keyword_of(token_.text) : Keyword::none;
  return token_;
}

// The length of a line continuation (a backslash and a line end) at this point; 0 if there is none.
std::size_t Lexer::splice() const {
  if (peek() != '\\') return 0;
  if (peek(1) == '\n') return 2;
  return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
}

void Lexer::skip_space() {
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

void Lexer::line_comment() {
  std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '\n') {
    std::size_t length = splice();
    at_ += length ? length : 1;
  }
  file_.add_comment(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_));
}

void Lexer::block_comment() {
  std::size_t begin = at_;
  std::size_t end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos) {
    diagnostics_
        .error("unterminated-comment", {id_, static_cast<std::uint32_t>(begin), 2}, "this comment never ends")
        .suggest("close it with '*/'");
    at_ = text_.size();
    return;
  }
  at_ = end + 2;
  file_.add_comment(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_));
}

TokenKind Lexer::read() {
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

TokenKind Lexer::number() {
  bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
    bool exponent = !hex && (peek() == 'e' || peek() == 'E');
    ++at_;
    if (exponent && (peek() == '+' || peek() == '-')) ++at_;
  }
  return TokenKind::number;
}

TokenKind Lexer::quoted(char quote) {
  for (++at_; at_ < text_.size() && text_[at_] != '\n';) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      at_ += splice() == 3 ? 3 : 2;
    } else if (text_[at_++] == quote) {
      return quote == '"' ? TokenKind::string : TokenKind::character;
    }
  }
  return TokenKind::unknown;
}

TokenKind Lexer::one_or_two(char second, TokenKind two, TokenKind one) {
  ++at_;
  if (peek() != second) return one;
  ++at_;
  return two;
}

TokenKind Lexer::punctuation() {
  using enum TokenKind;
  switch (text_[at_]) {
    case ':': return one_or_two(':', scope, colon);
    case '&': return one_or_two('&', and_and, ampersand);
    case '|': return one_or_two('|', or_or, bar);
    case '=': return one_or_two('=', equal_equal, equals);
    case '!': return one_or_two('=', not_equal, bang);
    case '#': return one_or_two('#', hash_hash, hash);
    case '<': return peek(1) == '<' ? one_or_two('<', shift_left, less) : one_or_two('=', less_equal, less);
    case '>':
      return peek(1) == '>' ? one_or_two('>', shift_right, greater) : one_or_two('=', greater_equal, greater);
    case '.':
      if (peek(1) != '.' || peek(2) != '.') break;
      at_ += 3;
      return ellipsis;
    default: break;
  }
  return single(text_[at_++]);
}

std::vector<Token> lex(Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Lexer lexer(sources, file, diagnostics);
  std::vector<Token> out;
  do out.push_back(lexer.next());
  while (out.back().kind != TokenKind::end);
  return out;
}

}  // namespace orbweaver::idl
