// Parses components, homes, porttypes and connectors: IDL 4.2, 7.4.8 to 7.4.11; CORBA 3.3 part 3, 6.
#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;
using ir::DeclKind;
using ir::PortRole;

// Whether a component, connector, porttype or home begins here. Older IDL uses these words as names, so
// another name must follow.
bool Parser::at_component() const {
  bool word =
      is(Keyword::component_) || is(Keyword::connector_) || is(Keyword::porttype_) || is(Keyword::home_);
  return word && peek().kind == TokenKind::identifier;
}

void Parser::component(Definition& out) {
  Keyword word = take().keyword;
  if (word == Keyword::home_) return home(out);
  Component body;
  body.kind = word == Keyword::component_   ? DeclKind::component
              : word == Keyword::connector_ ? DeclKind::connector
                                            : DeclKind::porttype;
  const std::string noun(spelling(word));
  out.name = identifier("the name of a " + noun);
  const bool can_be_forward_declared = word != Keyword::connector_;
  if (can_be_forward_declared && is(TokenKind::semicolon)) {
    take();
    body.forward = true;
    out.body = std::move(body);
    return;
  }
  out.body = std::move(body);  // records the kind in case the rest has a syntax error
  auto& node = std::get<Component>(out.body);
  if (word != Keyword::porttype_ && accept(TokenKind::colon)) {
    node.base = scoped_name("the name of a base " + noun);
    if (is(TokenKind::comma)) fail("syntax", "a " + noun + " has one base at most");
  }
  if (word == Keyword::component_ && accept(Keyword::supports_))
    node.supports = scoped_names("the name of an interface");
  Token open = expect(TokenKind::left_brace, "to begin the " + noun);
  const std::size_t errors_before = diagnostics_.error_count();
  node.body = definitions(
      open, word == Keyword::component_ ? &Parser::component_element : &Parser::connector_element);
  // A porttype begins with a port (IDL 4.2, 7.4.11.3), and so does a connector. An empty connector is only a
  // warning, because published IDL has empty base connectors.
  if (word == Keyword::connector_ && node.body.empty() && is(TokenKind::right_brace) &&
      diagnostics_.error_count() == errors_before) {
    diagnostics_.warning("empty-connector", token_.span,
                         noun + " '" + std::string(out.name.text) + "' holds no port");
  }
  if (word == Keyword::porttype_ && node.body.empty() && is(TokenKind::right_brace) &&
      diagnostics_.error_count() == errors_before) {
    diagnostics_
        .error("empty-ports", token_.span, noun + " '" + std::string(out.name.text) + "' holds no port")
        .suggest("put a 'provides' or 'uses' in it, or remove it");
  }
  if (accept(TokenKind::right_brace)) expect_semicolon("the " + noun);
}

void Parser::home(Definition& out) {
  out.name = identifier("the name of a home");
  out.body = Home{};
  auto& node = std::get<Home>(out.body);
  if (accept(TokenKind::colon)) node.base = scoped_name("the name of a base home");
  if (accept(Keyword::supports_)) node.supports = scoped_names("the name of an interface");
  if (!accept(Keyword::manages_)) {
    fail("syntax", "expected 'manages' before the component of the home, found " + found(),
         "write 'home " + std::string(out.name.text) + " manages Component { … };'");
  }
  node.component = scoped_name("the name of the component that the home manages");
  if (accept(Keyword::primarykey_)) node.primary_key = scoped_name("the value type of the key");
  Token open = expect(TokenKind::left_brace, "to begin the home");
  node.body = definitions(open, &Parser::home_element);
  if (accept(TokenKind::right_brace)) expect_semicolon("the home");
}

bool Parser::home_element(Definition& out) {
  if (is(Keyword::factory_)) return factory(out, false), true;
  bool finder =
      is(Keyword::finder_) && peek().kind == TokenKind::identifier && peek(2).kind == TokenKind::left_paren;
  if (finder) return factory(out, true), true;
  return export_(out);
}

bool Parser::component_element(Definition& out) { return port_element(out, true); }
bool Parser::connector_element(Definition& out) { return port_element(out, false); }

bool Parser::port_element(Definition& out, bool events) {
  if (is(TokenKind::semicolon)) fail("syntax", "unexpected ';'", "remove it");
  if (is(Keyword::attribute_) || is(Keyword::readonly_)) return attribute(out), true;
  Port body;
  Keyword word = token_.keyword;
  switch (word) {
    case Keyword::provides_: body.role = PortRole::provides; break;
    case Keyword::uses_: body.role = PortRole::uses; break;
    case Keyword::emits_: body.role = PortRole::emits; break;
    case Keyword::publishes_: body.role = PortRole::publishes; break;
    case Keyword::consumes_: body.role = PortRole::consumes; break;
    case Keyword::port_: body.role = PortRole::port; break;
    case Keyword::mirrorport_: body.role = PortRole::mirrorport; break;
    default:
      fail("syntax", "expected a port or an attribute, found " + found(),
           events ? "a component holds provides, uses, emits, publishes, consumes, port, mirrorport and "
                    "attribute; operations belong in an interface that it supports or provides"
                  : "only provides, uses, port, mirrorport and attribute can stand here");
  }
  bool event = word == Keyword::emits_ || word == Keyword::publishes_ || word == Keyword::consumes_;
  if (event && !events) fail("syntax", "only a component has event ports, found " + found());
  take();
  if (word == Keyword::uses_ && is(Keyword::multiple_) && peek().kind != TokenKind::scope) {
    take();
    body.role = PortRole::uses_multiple;
  }
  body.target_span = token_.span;
  bool object = (word == Keyword::provides_ || word == Keyword::uses_) && accept(Keyword::object_);
  if (!object) {
    body.target =
        scoped_name(event                                                    ? "the name of an eventtype"
                    : word == Keyword::port_ || word == Keyword::mirrorport_ ? "the name of a porttype"
                                                                             : "the name of an interface");
    body.target_span = body.target.span;
  }
  out.name = identifier("the name of the port");
  out.body = std::move(body);
  return expect_semicolon("the port"), true;
}

}  // namespace orbweaver::idl
