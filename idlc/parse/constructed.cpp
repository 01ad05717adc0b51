#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;

// Reports type definitions in C style: `typedef struct { … } S;`, `enum class E { … };`
void Parser::reject_c_style_name(std::string_view noun) {
  if (is(TokenKind::left_brace)) {
    fail("syntax", "the " + std::string(noun) + " needs a name before its '{'",
         "write '" + std::string(noun) + " Name { … };'");
  }
  if ((token_.text == "class" || is(Keyword::struct_)) && peek().kind == TokenKind::identifier)
    fail("syntax", "IDL has no '" + std::string(noun) + " " + std::string(token_.text) + "'",
         "write '" + std::string(noun) + " Name { … };'");
}

void Parser::struct_(Definition& out) {
  Nesting deeper(*this);
  take();
  reject_c_style_name("struct");
  out.body = Struct{};
  auto& body = std::get<Struct>(out.body);
  out.name = identifier("the name of a struct");
  if (at_end_of_forward()) {
    body.forward = true;
    return;
  }
  if (accept(TokenKind::colon)) body.base = scoped_name("the name of the base struct");
  body.members = members(out);
}

void Parser::exception(Definition& out) {
  take();
  out.body = Exception{};
  out.name = identifier("the name of an exception");
  std::get<Exception>(out.body).members = members(out);
}

std::deque<Member> Parser::members(Definition& owner) {
  std::deque<Member> out;
  Token open = expect(TokenKind::left_brace, "to begin its members");
  list(open, [&] {
    try {
      out.push_back(member());
      expect_semicolon("the member");
    } catch (SyntaxError) {
      owner.broken = true;
      throw;
    }
  });
  accept(TokenKind::right_brace);
  return out;
}

Member Parser::member() {
  Member out;
  out.annotations = annotations();
  if (is(Keyword::attribute_) || is(Keyword::readonly_) || is(Keyword::typedef_) || is(Keyword::const_) ||
      is(Keyword::void_)) {
    fail("syntax", "expected a member, found " + describe_token());
  }
  out.type = type_spec("the type of a member", true);
  out.declarators = declarators();
  if (is(TokenKind::equals)) {
    fail("syntax", "a member gets no value where it is declared",
         "write '@default(…)' before the member, or leave the value to the program");
  }
  return out;
}

void Parser::reject_pointer() {
  if (is(TokenKind::star) || is(TokenKind::ampersand)) {
    fail("syntax", "IDL has no pointers and no references, found " + describe_token(),
         "remove the '" + std::string(token_.text) + "'; hold what may be missing in a sequence");
  }
}

Declarator Parser::declarator() {
  Declarator out;
  out.annotations = annotations();
  reject_pointer();
  out.name = identifier("a name");
  if (is(TokenKind::at))
    fail("syntax", "an annotation precedes the declaration it applies to",
         "write '@… " + std::string(out.name.text) + "'");
  while (is(TokenKind::left_bracket)) {
    take();
    if (is(TokenKind::right_bracket))
      fail("syntax", "an array needs its size between the brackets", "use a sequence where the size varies");
    out.dimensions.push_back(expression());
    expect(TokenKind::right_bracket, "after the size of the array");
    if (out.dimensions.size() > 64) fail("nesting", "an array has at most 64 dimensions");
  }
  return out;
}

std::vector<Declarator> Parser::declarators() {
  std::vector<Declarator> out;
  do out.push_back(declarator());
  while (accept(TokenKind::comma));
  return out;
}

void Parser::union_(Definition& out) {
  Nesting deeper(*this);
  take();
  reject_c_style_name("union");
  out.body = Union{};
  auto& body = std::get<Union>(out.body);
  out.name = identifier("the name of a union");
  if (at_end_of_forward()) {
    body.forward = true;
    return;
  }
  if (!is(Keyword::switch_)) {
    fail("syntax", "expected 'switch' after the name of the union, found " + describe_token(),
         "write 'union " + std::string(out.name.text) + " switch (long) { case 1: … };'");
  }
  take();
  expect(TokenKind::left_paren, "after 'switch'");
  body.switch_annotations = annotations();
  body.discriminator = type_spec("the type to switch on", true);
  expect(TokenKind::right_paren, "after the type to switch on");
  Token open = expect(TokenKind::left_brace, "to begin the union's cases");
  list(open, [&] {
    try {
      body.cases.push_back(union_case());
      expect_semicolon("the case");
    } catch (SyntaxError) {
      out.broken = true;
      throw;
    }
  });
  accept(TokenKind::right_brace);
}

UnionCase Parser::union_case() {
  UnionCase out;
  while (is(Keyword::case_) || is(Keyword::default_) || (is(TokenKind::at) && out.labels.empty())) {
    if (is(TokenKind::at)) {
      if (peek().text == "annotation") fail("syntax", "expected 'case' or 'default', found '@annotation'");
      out.annotations = annotations();
      continue;
    }
    CaseLabel label;
    bool is_default = is(Keyword::default_);
    label.span = take().span;
    if (!is_default) label.value = expression();
    expect(TokenKind::colon, "after the label");
    out.labels.push_back(std::move(label));
  }
  if (out.labels.empty()) fail("syntax", "expected 'case' or 'default', found " + describe_token());
  for (Annotation& annotation : annotations()) out.annotations.push_back(std::move(annotation));
  out.type = type_spec("the type of the case", true);
  out.declarator = declarator();
  return out;
}

std::deque<Enumerator> Parser::enumerators(std::string_view what) {
  std::deque<Enumerator> out;
  expect(TokenKind::left_brace, "to begin the list");
  do {
    if (is(TokenKind::right_brace) && !out.empty()) {
      diagnostics_.error("syntax", last_, "expected an element after ','").suggest("remove this ','");
      break;
    }
    Enumerator enumerator;
    enumerator.annotations = annotations();
    enumerator.name = identifier(what);
    if (is(TokenKind::equals)) {
      fail("syntax", "IDL gives an enumerator its value with an annotation",
           "write '@value(N) " + std::string(enumerator.name.text) + "'");
    }
    out.push_back(std::move(enumerator));
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_brace, "or ',' after " + std::string(what));
  return out;
}

void Parser::enum_(Definition& out) {
  take();
  reject_c_style_name("enum");
  out.body = Enum{};
  out.name = identifier("the name of an enum");
  std::get<Enum>(out.body).enumerators = enumerators("an enumerator");
}

void Parser::bitmask(Definition& out) {
  take();
  out.body = Bitmask{};
  out.name = identifier("the name of a bitmask");
  std::get<Bitmask>(out.body).flags = enumerators("a flag");
}

void Parser::bitset(Definition& out) {
  take();
  Bitset body;
  out.name = identifier("the name of a bitset");
  if (accept(TokenKind::colon)) body.base = scoped_name("the name of the base bitset");
  Token open = expect(TokenKind::left_brace, "to begin the bit fields");
  list(open, [&] {
    Bitfield field;
    field.annotations = annotations();
    field.span = token_.span;
    expect(Keyword::bitfield_, "in a bitset");
    expect(TokenKind::less, "after 'bitfield'");
    ++angles_;
    field.bits = expression();
    if (accept(TokenKind::comma)) field.type = type_spec("the type of the bit field");
    expect_closing_angle();
    while (at_identifier()) field.names.push_back(identifier("the name of a bit field"));
    body.fields.push_back(std::move(field));
    expect_semicolon("the bit field");
  });
  out.body = std::move(body);
  accept(TokenKind::right_brace);
}

}  // namespace orbweaver::idl
