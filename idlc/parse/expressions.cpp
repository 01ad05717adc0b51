#include <algorithm>

#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;

namespace {

// Maximum number of operators in one chain, such as a + b + c, whose tree is as deep as the chain is long.
constexpr int kMaxChain = 1000;
// Maximum depth of an expression's tree, chains in parentheses included: functions that walk the tree recurse
// once for each level.
constexpr std::uint32_t kMaxDepth = 3000;

int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::bar: return 1;
    case TokenKind::caret: return 2;
    case TokenKind::ampersand: return 3;
    case TokenKind::shift_left:
    case TokenKind::shift_right: return 4;
    case TokenKind::plus:
    case TokenKind::minus: return 5;
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent: return 6;
    default: return 0;
  }
}

std::string_view unary_spelling(TokenKind op) {
  return op == TokenKind::plus ? "+" : op == TokenKind::minus ? "-" : "~";
}

}  // namespace

ExpressionPtr Parser::expression() {
  Nesting deeper(*this);
  return binary(1);
}

ExpressionPtr Parser::binary(int lowest) {
  ExpressionPtr left = unary();
  for (int chain = 0; precedence(token_.kind) >= lowest; ++chain) {
    // Within two open templates '>>' closes both, as in C++; within one it is a shift.
    if (is(TokenKind::shift_right) && angles_ > 1) break;
    if (chain == kMaxChain)
      fail("nesting", "this expression has more than " + std::to_string(kMaxChain) + " operators");
    auto node = std::make_unique<Expression>();
    node->kind = Expression::Kind::binary;
    node->op = token_.kind;
    node->span = take().span;
    node->left = std::move(left);
    node->right = binary(precedence(node->op) + 1);
    node->depth = std::max(node->left->depth, node->right->depth) + 1;
    if (node->depth > kMaxDepth) fail("nesting", "this expression is nested too deeply");
    left = std::move(node);
  }
  return left;
}

ExpressionPtr Parser::unary() {
  if (!is(TokenKind::plus) && !is(TokenKind::minus) && !is(TokenKind::tilde)) return primary();
  auto node = std::make_unique<Expression>();
  node->kind = Expression::Kind::unary;
  node->op = token_.kind;
  node->span = take().span;
  // At most one unary operator and a primary expression: IDL 4.2, 7.4.1.3, rule 14.
  if (is(TokenKind::plus) || is(TokenKind::minus) || is(TokenKind::tilde)) {
    fail("syntax",
         "expected a value after '" + std::string(unary_spelling(node->op)) + "', found " + describe_token(),
         "put what follows in parentheses");
  }
  node->right = primary();
  node->depth = node->right->depth + 1;
  return node;
}

ExpressionPtr Parser::primary() {
  auto node = std::make_unique<Expression>();
  node->span = token_.span;
  switch (token_.kind) {
    case TokenKind::left_paren: {
      take();
      int angles = std::exchange(angles_, 0);
      node = expression();
      angles_ = angles;
      expect(TokenKind::right_paren, "to close '('");
      return node;
    }
    case TokenKind::number:
    case TokenKind::character: node->literal.push_back(take()); return node;
    case TokenKind::string:
      do node->literal.push_back(take());
      while (is(TokenKind::string));
      return node;
    case TokenKind::identifier:
      if (is(Keyword::true_) || is(Keyword::false_)) {
        node->literal.push_back(take());
        return node;
      }
      if (token_.text == "true" || token_.text == "false") {
        fail("syntax", "a boolean is written in capitals",
             token_.text == "true" ? "write TRUE" : "write FALSE");
      }
      [[fallthrough]];
    case TokenKind::scope:
      node->kind = Expression::Kind::name;
      node->name = std::make_unique<ScopedName>(scoped_name("a value"));
      node->span = node->name->span;
      return node;
    default: fail("syntax", "expected a value, found " + describe_token());
  }
}

}  // namespace orbweaver::idl
