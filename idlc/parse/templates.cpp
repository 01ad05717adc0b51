// Parses template modules: IDL 4.2, 7.4.12.
#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;
using ir::TemplateKind;
using ir::TypeKind;

namespace {

std::optional<TemplateKind> kind_of(Keyword keyword) {
  switch (keyword) {
    case Keyword::typename_: return TemplateKind::typename_;
    case Keyword::interface_: return TemplateKind::interface;
    case Keyword::valuetype_: return TemplateKind::valuetype;
    case Keyword::eventtype_: return TemplateKind::eventtype;
    case Keyword::struct_: return TemplateKind::struct_;
    case Keyword::union_: return TemplateKind::union_;
    case Keyword::exception_: return TemplateKind::exception;
    case Keyword::enum_: return TemplateKind::enum_;
    case Keyword::sequence_: return TemplateKind::sequence;
    case Keyword::const_: return TemplateKind::const_;
    default: return std::nullopt;
  }
}

}  // namespace

// After `module`: whether an instantiation `M<long> Name;` follows, rather than a definition `M<typename T>
// {`.
bool Parser::at_template_instance() const {
  if (is(TokenKind::scope) || peek().kind == TokenKind::scope) return true;
  if (peek().kind != TokenKind::less) return false;
  const Token& first = peek(2);
  if (first.keyword == Keyword::sequence_ && peek(3).kind == TokenKind::less) {
    // `sequence<T> Ts` is a parameter, `sequence<T>` alone an argument.
    std::size_t ahead = 4;
    for (int open = 1; open > 0 && ahead < 64; ++ahead) {
      TokenKind kind = peek(ahead).kind;
      if (kind == TokenKind::less) ++open;
      if (kind == TokenKind::greater) --open;
      if (kind == TokenKind::shift_right) open -= 2;
      if (kind == TokenKind::end) return false;
    }
    return peek(ahead).kind != TokenKind::identifier;
  }
  bool named = peek(3).kind == TokenKind::identifier || first.keyword == Keyword::const_;
  return !(kind_of(first.keyword) && named) && first.kind != TokenKind::greater;
}

// Parses the parameters and body of a template module; the current token is the '<'.
void Parser::template_module(Definition& out) {
  take();
  ++angles_;
  TemplateModule body;
  do {
    std::optional<TemplateKind> kind = kind_of(token_.keyword);
    if (!kind) {
      fail("syntax", "expected the kind of a template's parameter, found " + describe_token(),
           "write 'typename T', 'interface T', 'struct T', 'sequence<X> T', 'const long N', …");
    }
    TemplateParameter parameter;
    parameter.kind = *kind;
    take();
    if (*kind == TemplateKind::const_) parameter.type = type_spec("the type of the constant");
    if (*kind == TemplateKind::sequence && accept(TokenKind::less)) {
      ++angles_;
      parameter.type = type_spec("the type of the elements");
      expect_closing_angle();
    }
    parameter.name = identifier("the name of a template's parameter");
    body.parameters.push_back(std::move(parameter));
  } while (accept(TokenKind::comma));
  expect_closing_angle();
  out.body = std::move(body);
  auto& node = std::get<TemplateModule>(out.body);
  Token open = expect(TokenKind::left_brace, "to begin the template module");
  const std::size_t errors_before = diagnostics_.error_count();
  bool outer = std::exchange(in_template_, true);
  node.body = definitions(open, &Parser::definition);
  in_template_ = outer;
  if (node.body.empty() && is(TokenKind::right_brace) && diagnostics_.error_count() == errors_before) {
    diagnostics_
        .error("empty-module", token_.span, "module '" + std::string(out.name.text) + "' holds no definition")
        .suggest("put a definition in it, or remove it");
  }
  if (accept(TokenKind::right_brace)) expect_semicolon("the module");
}

// Parses an instantiation after `module` or `alias`.
void Parser::template_instance(Definition& out, bool alias) {
  TemplateInstance body;
  body.alias = alias;
  body.target = scoped_name("the name of a template module");
  if (is(TokenKind::left_brace)) {
    fail("syntax", "a module is opened by its own name, one level at a time",
         "write 'module Outer { module Inner { … }; };'");
  }
  expect(TokenKind::less, "before the arguments of the template module");
  ++angles_;
  do {
    TemplateArgument argument;
    argument.span = token_.span;
    bool map = is(Keyword::map_) && peek().kind == TokenKind::less;
    bool type =
        map || (is(TokenKind::identifier) && !at_identifier() && !is(Keyword::true_) && !is(Keyword::false_));
    if (type)
      argument.type = type_spec("a type or a value");
    else
      argument.value = expression();
    body.arguments.push_back(std::move(argument));
  } while (accept(TokenKind::comma));
  expect_closing_angle();
  out.name = identifier(alias ? "the name that the template module gets here" : "the name of the new module");
  out.body = std::move(body);
  expect_semicolon(alias ? "the alias" : "the module");
}

}  // namespace orbweaver::idl
