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

// A binary operator. Without `apply` it is a division, which may fail.
struct Operator {
  TokenKind token;
  int precedence;
  Value (*apply)(Value, Value);
};

constexpr Operator kOperators[] = {
    {TokenKind::or_or, 1, [](Value a, Value b) -> Value { return a || b; }},
    {TokenKind::and_and, 2, [](Value a, Value b) -> Value { return a && b; }},
    {TokenKind::bar, 3, [](Value a, Value b) { return a | b; }},
    {TokenKind::caret, 4, [](Value a, Value b) { return a ^ b; }},
    {TokenKind::ampersand, 5, [](Value a, Value b) { return a & b; }},
    {TokenKind::equal_equal, 6, [](Value a, Value b) -> Value { return a == b; }},
    {TokenKind::not_equal, 6, [](Value a, Value b) -> Value { return a != b; }},
    {TokenKind::less, 7, [](Value a, Value b) -> Value { return a < b; }},
    {TokenKind::greater, 7, [](Value a, Value b) -> Value { return a > b; }},
    {TokenKind::less_equal, 7, [](Value a, Value b) -> Value { return a <= b; }},
    {TokenKind::greater_equal, 7, [](Value a, Value b) -> Value { return a >= b; }},
    {TokenKind::shift_left, 8, [](Value a, Value b) { return b < 0 || b > 63 ? 0 : wrap(bits(a) << b); }},
    {TokenKind::shift_right, 8, [](Value a, Value b) { return b < 0 || b > 63 ? 0 : a >> b; }},
    {TokenKind::plus, 9, [](Value a, Value b) { return wrap(bits(a) + bits(b)); }},
    {TokenKind::minus, 9, [](Value a, Value b) { return wrap(bits(a) - bits(b)); }},
    {TokenKind::star, 10, [](Value a, Value b) { return wrap(bits(a) * bits(b)); }},
    {TokenKind::slash, 10, nullptr},
    {TokenKind::percent, 10, nullptr},
};

const Operator* operator_of(TokenKind token) {
  for (const Operator& each : kOperators) {
    if (each.token == token) return &each;
  }
  return nullptr;
}

// Evaluates the condition of #if by precedence climbing. Arithmetic wraps around, as that of C's unsigned
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

  Value binary(int lowest) {
    Value left = unary();
    while (!failed_) {
      const Operator* op = operator_of(kind());
      if (!op || op->precedence < lowest) break;
      ++at_;
      const bool was_dead = dead_;
      if (op->token == TokenKind::and_and) dead_ = dead_ || left == 0;
      if (op->token == TokenKind::or_or) dead_ = dead_ || left != 0;
      const Value right = binary(op->precedence + 1);
      dead_ = was_dead;
      left = op->apply ? op->apply(left, right) : quotient(op->token, left, right);
    }
    return left;
  }

  Value quotient(TokenKind op, Value a, Value b) {
    if (b == 0) return dead_ ? 0 : fail("division by zero");
    if (b == -1) return op == TokenKind::slash ? wrap(0 - bits(a)) : 0;
    return op == TokenKind::slash ? a / b : a % b;
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
  const auto is = [&](std::size_t i, TokenKind kind) { return i < line.size() && line[i].kind == kind; };
  for (std::size_t i = 0; i < line.size(); ++i) {
    Token token = line[i];
    if (token.kind == TokenKind::identifier && token.text == "defined") {
      const bool parens = is(i + 1, TokenKind::left_paren);
      const std::size_t name = i + (parens ? 2 : 1);
      if (!is(name, TokenKind::identifier) || (parens && !is(name + 1, TokenKind::right_paren))) {
        diagnostics.error("bad-condition", token.span, "'defined' needs a name")
            .suggest("write defined(NAME)");
        return false;
      }
      token.kind = TokenKind::number;
      token.text = macros.is_macro(line[name]) ? "1" : "0";
      i = name + (parens ? 1 : 0);
    }
    out.push_back(token);
  }
  return true;
}

}  // namespace

bool condition_holds(const std::vector<Token>& line, Span directive, MacroExpander& expander,
                     Diagnostics& diagnostics) {
  std::vector<Token> tokens, expanded;
  if (!replace_defined(line, expander.macros(), diagnostics, tokens) ||
      !expander.expand_all(tokens, expanded))
    return false;
  return Condition(expanded, directive, diagnostics).holds();
}

}  // namespace orbweaver::idl
