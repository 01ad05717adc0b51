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

namespace {

DeclKind component_kind(Keyword word) {
  if (word == Keyword::component_) return DeclKind::component;
  return word == Keyword::connector_ ? DeclKind::connector : DeclKind::porttype;
}

}  // namespace

void Parser::component(Definition& out) {
  const Keyword word = take().keyword;
  if (word == Keyword::home_) return home(out);
  const std::string noun(spelling(word));
  out.name = identifier("the name of a " + noun);
  out.body = Component{};  // records the kind in case the rest has a syntax error
  auto& node = std::get<Component>(out.body);
  node.kind = component_kind(word);
  const bool can_be_forward_declared = word != Keyword::connector_;
  if (can_be_forward_declared && accept(TokenKind::semicolon)) {
    node.forward = true;
    return;
  }
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
  check_has_port(out, errors_before);
  if (accept(TokenKind::right_brace)) expect_semicolon("the " + noun);
}

// Reports a porttype without a port (IDL 4.2, 7.4.11.3), or such a connector. The latter is only a warning,
// because published IDL has empty base connectors.
void Parser::check_has_port(const Definition& definition, std::size_t errors_before) {
  const auto& node = std::get<Component>(definition.body);
  if (!node.body.empty() || !is(TokenKind::right_brace) || diagnostics_.error_count() != errors_before)
    return;
  const std::string message =
      std::string(ir::noun(node.kind)) + " '" + std::string(definition.name.text) + "' holds no port";
  if (node.kind == DeclKind::connector) diagnostics_.warning("empty-connector", token_.span, message);
  if (node.kind == DeclKind::porttype) {
    diagnostics_.error("empty-ports", token_.span, message)
        .suggest("put a 'provides' or 'uses' in it, or remove it");
  }
}

void Parser::home(Definition& out) {
  out.name = identifier("the name of a home");
  out.body = Home{};
  auto& node = std::get<Home>(out.body);
  if (accept(TokenKind::colon)) node.base = scoped_name("the name of a base home");
  if (accept(Keyword::supports_)) node.supports = scoped_names("the name of an interface");
  if (!accept(Keyword::manages_)) {
    fail("syntax", "expected 'manages' before the component of the home, found " + describe_token(),
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
  body.role = port_role(events);
  take();
  if (body.role == PortRole::uses && is(Keyword::multiple_) && peek().kind != TokenKind::scope) {
    take();
    body.role = PortRole::uses_multiple;
  }
  port_target(body);
  out.name = identifier("the name of the port");
  out.body = std::move(body);
  return expect_semicolon("the port"), true;
}

namespace {

bool is_event_port(PortRole role) {
  return role == PortRole::emits || role == PortRole::publishes || role == PortRole::consumes;
}

}  // namespace

// The role that the current token names. `events`: event ports are allowed.
PortRole Parser::port_role(bool events) {
  constexpr std::pair<Keyword, PortRole> kRoles[] = {
      {Keyword::provides_, PortRole::provides},    {Keyword::uses_, PortRole::uses},
      {Keyword::emits_, PortRole::emits},          {Keyword::publishes_, PortRole::publishes},
      {Keyword::consumes_, PortRole::consumes},    {Keyword::port_, PortRole::port},
      {Keyword::mirrorport_, PortRole::mirrorport}};
  for (const auto& [keyword, role] : kRoles) {
    if (!is(keyword)) continue;
    if (is_event_port(role) && !events)
      fail("syntax", "only a component has event ports, found " + describe_token());
    return role;
  }
  fail("syntax", "expected a port or an attribute, found " + describe_token(),
       events ? "a component holds provides, uses, emits, publishes, consumes, port, mirrorport and "
                "attribute; operations belong in an interface that it supports or provides"
              : "only provides, uses, port, mirrorport and attribute can stand here");
}

// Parses the name of the interface, eventtype or porttype of a port, or `Object`.
void Parser::port_target(Port& port) {
  const bool whole = port.role == PortRole::port || port.role == PortRole::mirrorport;
  port.target_span = token_.span;
  if (!whole && !is_event_port(port.role) && accept(Keyword::object_)) return;
  port.target = scoped_name(is_event_port(port.role) ? "the name of an eventtype"
                            : whole                  ? "the name of a porttype"
                                                     : "the name of an interface");
  port.target_span = port.target.span;
}

}  // namespace orbweaver::idl
