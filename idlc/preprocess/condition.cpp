#include "idlc/preprocess/condition.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "idlc/preprocess/limits.h"

namespace orbweaver::idl {
namespace {

using Value = std::int64_t;

Value wrap(std::uint64_t bits) { return static_cast<Value>(bits); }
std::uint64_t bits(Value value) { return static_cast<std::uint64_t>(value); }

// Evaluates the condition of #if by precedence climbing; arithmetic wraps around, as that of C's unsigned
// types.
class Condition {
 public:
  Condition(const std::vector<Token>& tokens, Span directive, Diagnostics& diagnostics)
      : tokens_(tokens), directive_(directive), diagnostics_(diagnostics) {}

  bool holds() {
    Value value = ternary();
    if (!failed_ && at_ < tokens_.size()) fail("this does not belong to the condition");
    return !failed_ && value != 0;
  }

 private:
  TokenKind kind() const { return at_ < tokens_.size() ? tokens_[at_].kind : TokenKind::end; }

  Value fail(const std::string& message) {
    if (!failed_)
      diagnostics_.error("bad-condition", at_ < tokens_.size() ? tokens_[at_].span : directive_, message);
    failed_ = true;
    at_ = tokens_.size();
    return 0;
  }

  Value ternary() {
    if (++depth_ > limits::kConditionDepth) return fail("this condition is nested too deeply");
    Value condition = binary(1);
    if (kind() == TokenKind::question) {
      ++at_;
      bool was_dead = dead_;
      dead_ = was_dead || condition == 0;
      Value yes = ternary();
      if (kind() != TokenKind::colon) return fail("expected ':' of '?:'");
      ++at_;
      dead_ = was_dead || condition != 0;
      Value no = ternary();
      dead_ = was_dead;
      condition = condition ? yes : no;
    }
    --depth_;
    return condition;
  }

  static int precedence(TokenKind kind) {
    using enum TokenKind;
    switch (kind) {
      case or_or: return 1;
      case and_and: return 2;
      case bar: return 3;
      case caret: return 4;
      case ampersand: return 5;
      case equal_equal:
      case not_equal: return 6;
      case less:
      case greater:
      case less_equal:
      case greater_equal: return 7;
      case shift_left:
      case shift_right: return 8;
      case plus:
      case minus: return 9;
      case star:
      case slash:
      case percent: return 10;
      default: return 0;
    }
  }

  Value binary(int lowest) {
    Value left = unary();
    while (precedence(kind()) >= lowest && !failed_) {
      TokenKind op = kind();
      ++at_;
      bool was_dead = dead_;
      if (op == TokenKind::and_and) dead_ = dead_ || left == 0;
      if (op == TokenKind::or_or) dead_ = dead_ || left != 0;
      Value right = binary(precedence(op) + 1);
      dead_ = was_dead;
      left = apply(op, left, right);
    }
    return left;
  }

  Value apply(TokenKind op, Value a, Value b) {
    using enum TokenKind;
    switch (op) {
      case or_or: return a || b;
      case and_and: return a && b;
      case bar: return a | b;
      case caret: return a ^ b;
      case ampersand: return a & b;
      case equal_equal: return a == b;
      case not_equal: return a != b;
      case less: return a < b;
      case greater: return a > b;
      case less_equal: return a <= b;
      case greater_equal: return a >= b;
      case shift_left: return b < 0 || b > 63 ? 0 : wrap(bits(a) << b);
      case shift_right: return b < 0 || b > 63 ? 0 : a >> b;
      case plus: return wrap(bits(a) + bits(b));
      case minus: return wrap(bits(a) - bits(b));
      case star: return wrap(bits(a) * bits(b));
      default: break;
    }
    if (b == 0) return dead_ ? 0 : fail("division by zero");
    if (b == -1) return op == slash ? wrap(0 - bits(a)) : 0;
    return op == slash ? a / b : a % b;
  }

  Value unary() {
    using enum TokenKind;
    if (++depth_ > limits::kConditionDepth) return fail("this condition is nested too deeply");
    Value value = 0;
    switch (kind()) {
      case bang:
        ++at_;
        value = !unary();
        break;
      case tilde:
        ++at_;
        value = ~unary();
        break;
      case minus:
        ++at_;
        value = wrap(0 - bits(unary()));
        break;
      case plus:
        ++at_;
        value = unary();
        break;
      default: value = primary(); break;
    }
    --depth_;
    return value;
  }

  Value primary() {
    if (kind() == TokenKind::left_paren) {
      ++at_;
      Value value = ternary();
      if (kind() != TokenKind::right_paren) return fail("expected ')'");
      ++at_;
      return value;
    }
    if (kind() == TokenKind::identifier) {
      bool is_true = tokens_[at_].text == "true";
      ++at_;
      return is_true;  // an undefined name counts as 0
    }
    if (kind() == TokenKind::number) return number();
    if (kind() == TokenKind::character && tokens_[at_].text.size() == 3) return tokens_[at_++].text[1];
    return fail(kind() == TokenKind::end ? "the condition ends too early" : "this is no part of a condition");
  }

  Value number() {
    std::string_view text = tokens_[at_].text;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
      base = 16;
      text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
      base = 8;
    }
    while (!text.empty() &&
           (text.back() == 'L' || text.back() == 'l' || text.back() == 'U' || text.back() == 'u')) {
      text.remove_suffix(1);
    }
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return fail("this is not an integer");
    ++at_;
    return wrap(value);
  }

  const std::vector<Token>& tokens_;
  Span directive_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool failed_ = false;
  bool dead_ = false;  // in an operand of && || ?: that is not evaluated
};

// Replaces `defined X` and `defined(X)` with 1 or 0, before macros are expanded.
bool replace_defined(const std::vector<Token>& line, const Macros& macros, Diagnostics& diagnostics,
                     std::vector<Token>& out) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    Token token = line[i];
    if (token.kind == TokenKind::identifier && token.text == "defined") {
      bool parens = i + 1 < line.size() && line[i + 1].kind == TokenKind::left_paren;
      std::size_t name = i + (parens ? 2 : 1);
      std::size_t last = name + (parens ? 1 : 0);
      if (last >= line.size() || line[name].kind != TokenKind::identifier ||
          (parens && line[last].kind != TokenKind::right_paren)) {
        diagnostics.error("bad-condition", token.span, "'defined' needs a name")
            .suggest("write defined(NAME)");
        return false;
      }
      token.kind = TokenKind::number;
      token.text = macros.is_macro(line[name]) ? "1" : "0";
      i = last;
    }
    out.push_back(token);
  }
  return true;
}

}  // namespace

bool condition_holds(const std::vector<Token>& line, Span directive, Macros& macros,
                     Diagnostics& diagnostics) {
  std::vector<Token> tokens, expanded;
  if (!replace_defined(line, macros, diagnostics, tokens) || !macros.expand_all(tokens, expanded))
    return false;
  return Condition(expanded, directive, diagnostics).holds();
}

}  // namespace orbweaver::idl
