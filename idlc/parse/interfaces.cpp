#include "idlc/parse/foreign_keywords.h"
#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;

void Parser::interface(Definition& out) {
  Interface body;
  body.abstract_ = accept(Keyword::abstract_);
  body.local = accept(Keyword::local_);
  take();
  out.name = identifier("the name of an interface");
  if (at_end_of_forward()) {
    body.forward = true;
    out.body = std::move(body);
    return expect_semicolon("the interface");
  }
  out.body = std::move(body);  // records the kind in case the rest has a syntax error
  auto& interface = std::get<Interface>(out.body);
  if (accept(TokenKind::colon)) interface.bases = scoped_names("the name of a base interface");
  Token open = expect(TokenKind::left_brace, "to begin the interface");
  interface.body = definitions(open, &Parser::export_);
  if (accept(TokenKind::right_brace)) expect_semicolon("the interface");
}

void Parser::attribute(Definition& out) {
  Attribute body;
  body.readonly = accept(Keyword::readonly_);
  expect(Keyword::attribute_, "after 'readonly'");
  body.type = type_spec("the type of the attribute");
  do body.names.push_back(identifier("the name of an attribute"));
  while (accept(TokenKind::comma));
  out.name = body.names[0];
  if (accept(Keyword::raises_)) {
    if (!body.readonly) {
      diagnostics_
          .error("syntax", last_,
                 "an attribute that can be written names its exceptions with getraises and setraises")
          .suggest("write 'getraises(…)', 'setraises(…)', or both");
    }
    body.get_raises = parenthesised_names("the name of an exception");
  } else {
    bool one = body.names.size() == 1 && !body.readonly;
    if (one && accept(Keyword::getraises_)) body.get_raises = parenthesised_names("the name of an exception");
    if (one && accept(Keyword::setraises_)) body.set_raises = parenthesised_names("the name of an exception");
  }
  out.body = std::move(body);
  expect_semicolon("the attribute");
}

void Parser::operation(Definition& out) {
  Operation body;
  reject_foreign_modifier();
  body.oneway = accept(Keyword::oneway_);
  operation_result(out, body);
  if (is(TokenKind::semicolon) || is(TokenKind::comma)) {
    fail("syntax", "expected '(' after the name of the operation, found " + describe_token(),
         "write 'attribute' before the type if this is an attribute");
  }
  expect(TokenKind::left_paren, "after the name of the operation");
  body.parameters = parameters(false);
  if (accept(Keyword::raises_)) body.raises = parenthesised_names("the name of an exception");
  if (accept(Keyword::context_)) body.contexts = contexts();
  out.body = std::move(body);
  reject_foreign_end_of_operation();
  expect_semicolon("the operation");
}

// Reports a modifier of another language before an operation, such as `static` or `virtual`.
void Parser::reject_foreign_modifier() {
  const std::string advice(suggestion_for_foreign_modifier(token_.text));
  const TokenKind after = peek(2).kind;
  const bool modifier =
      peek().kind == TokenKind::identifier &&
      (after == TokenKind::identifier || after == TokenKind::scope || after == TokenKind::less);
  if (!advice.empty() && modifier)
    fail("syntax", "IDL has no word '" + std::string(token_.text) + "' for operations", advice);
}

// Parses the result type and the name of an operation.
void Parser::operation_result(Definition& out, Operation& body) {
  if (!is(TokenKind::identifier) && !is(TokenKind::scope))
    fail("syntax", "expected an operation, an attribute or a definition, found " + describe_token());
  body.result.span = token_.span;
  if (!accept(Keyword::void_)) body.result = type_spec("the type that the operation returns");
  // `op(in long x);` looks like a C++ constructor, or the result type is missing.
  if (is(TokenKind::left_paren)) {
    fail("syntax", "an operation needs a type to return before its name",
         "write 'void' if it returns nothing");
  }
  out.name = identifier("the name of the operation");
}

std::vector<Token> Parser::contexts() {
  std::vector<Token> out;
  expect(TokenKind::left_paren, "after 'context'");
  do out.push_back(expect(TokenKind::string, "naming a context"));
  while (accept(TokenKind::comma));
  expect(TokenKind::right_paren, "after the contexts");
  return out;
}

void Parser::reject_foreign_end_of_operation() {
  if (token_.text == "throw" || token_.text == "throws")
    fail("syntax", "IDL says 'raises' where other languages throw", "write 'raises (Exception, …)'");
  if (is(Keyword::const_)) fail("syntax", "an operation is never 'const' in IDL", "remove it");
  if (is(TokenKind::equals) || (is(TokenKind::left_brace) && !token_.starts_line))
    fail("syntax", "an operation has no body in IDL, found " + describe_token(), "end it with ';'");
}

// Parses parameters after the '('; also takes the ')'. `in_only`: of a factory or finder.
std::vector<Parameter> Parser::parameters(bool in_only) {
  std::vector<Parameter> out;
  if (accept(TokenKind::right_paren)) return out;
  do out.push_back(parameter(in_only));
  while (accept(TokenKind::comma));
  expect(TokenKind::right_paren, "after the parameters");
  return out;
}

Parameter Parser::parameter(bool in_only) {
  Parameter out;
  out.annotations = annotations();
  out.direction = direction(in_only);
  out.type = type_spec("the type of the parameter");
  reject_pointer();
  out.name = identifier("the name of the parameter");
  if (is(TokenKind::equals)) fail("syntax", "a parameter has no default in IDL", "remove '= …'");
  if (is(TokenKind::left_bracket)) {
    fail("anonymous-array", "a parameter cannot be an array in itself",
         "name the array with a typedef and use that name");
  }
  return out;
}

Parameter::Direction Parser::direction(bool in_only) {
  if (accept(Keyword::in_)) return Parameter::Direction::in;
  if (in_only) {
    fail("syntax", "expected 'in', found " + describe_token(),
         "the parameters of a factory or finder are all 'in'");
  }
  if (accept(Keyword::out_)) return Parameter::Direction::out;
  if (accept(Keyword::inout_)) return Parameter::Direction::inout;
  if (is(TokenKind::right_paren)) fail("syntax", "expected a parameter after ','");
  fail("syntax", "expected 'in', 'out' or 'inout', found " + describe_token(),
       "say in which direction the parameter travels");
}

void Parser::value(Definition& out) {
  Value header = value_header();
  out.name = identifier("the name of a value type");
  const bool plain = !header.custom && !header.abstract_ && !header.event;
  const bool ends = is(TokenKind::semicolon);
  const bool begins = is(TokenKind::colon) || is(Keyword::supports_) || is(TokenKind::left_brace);
  if (plain && !ends && !begins) {
    ValueBox box{type_spec("the type to put in a box", true)};
    out.body = std::move(box);
    return expect_semicolon("the value box");
  }
  if (ends && header.custom)
    fail("syntax", "a forward-declared value type is not 'custom' yet", "write 'custom' where it is defined");
  header.forward = accept(TokenKind::semicolon);
  out.body = std::move(header);
  if (!ends) value_body(std::get<Value>(out.body));
}

// Parses the words before the name of a value type.
Value Parser::value_header() {
  Value out;
  out.custom = accept(Keyword::custom_);
  out.abstract_ = !out.custom && accept(Keyword::abstract_);
  out.event = accept(Keyword::eventtype_);
  if (!out.event) {
    expect(Keyword::valuetype_, out.custom      ? "after 'custom'"
                                : out.abstract_ ? "or 'interface' after 'abstract'"
                                                : "");
  }
  return out;
}

void Parser::value_body(Value& value) {
  if (accept(TokenKind::colon)) {
    value.truncatable = accept(Keyword::truncatable_);
    value.bases = scoped_names("the name of a base value type");
  }
  if (accept(Keyword::supports_)) value.supports = scoped_names("the name of an interface");
  Token open = expect(TokenKind::left_brace, "to begin the value type");
  value.body = definitions(open, &Parser::value_element);
  if (accept(TokenKind::right_brace)) expect_semicolon("the value type");
}

bool Parser::value_element(Definition& out) {
  if (is(Keyword::public_) || is(Keyword::private_)) {
    StateMember body;
    body.public_ = take().keyword == Keyword::public_;
    body.member = member();
    out.name = body.member.declarators[0].name;
    out.body = std::move(body);
    return expect_semicolon("the state member"), true;
  }
  if (is(Keyword::factory_)) return factory(out, false), true;
  return export_(out);
}

void Parser::factory(Definition& out, bool finder) {
  take();
  Factory body;
  body.finder = finder;
  const std::string noun = finder ? "finder" : "factory";
  out.name = identifier("the name of a " + noun);
  expect(TokenKind::left_paren, "after the name of the " + noun);
  body.parameters = parameters(true);
  if (accept(Keyword::raises_)) body.raises = parenthesised_names("the name of an exception");
  out.body = std::move(body);
  expect_semicolon("the " + noun);
}

}  // namespace orbweaver::idl
