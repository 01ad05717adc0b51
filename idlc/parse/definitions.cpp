#include "idlc/parse/parser.h"

namespace orbweaver::idl {

using namespace tree;

template <typename Take>
void Parser::one_definition(DefinitionRule rule, Take&& take_it) {
  auto node = std::make_unique<Definition>();
  Definition* definition = node.get();
  definition->start = token_.span;
  try {
    definition->annotations = annotations();
    (this->*rule)(*definition);
    take_it(std::move(node));
  } catch (SyntaxError) {
    // A named definition is kept, so that its uses are not reported as well.
    definition->broken = true;
    if (definition->name.empty())
      sink_.definition_lost();
    else
      take_it(std::move(node));
    throw;
  }
}

std::vector<DefinitionPtr> Parser::definitions(Token open, DefinitionRule rule) {
  std::vector<DefinitionPtr> body;
  const auto keep = [&](DefinitionPtr node) { body.push_back(std::move(node)); };
  const auto keep_pending_markers = [&] {
    for (DefinitionPtr& each : take_pending_markers()) keep(std::move(each));
  };
  list(open, [&] {
    keep_pending_markers();
    one_definition(rule, keep);
  });
  keep_pending_markers();
  return body;
}

bool Parser::emit_definitions(Token open) {
  bool any = false;
  const auto deliver = [&](DefinitionPtr node) {
    if (stopped_ || tokens_.stopped()) return;  // the definition is incomplete
    const auto* module = std::get_if<Module>(&node->body);
    if (!module || !module->emitted) sink_.definition(std::move(node));
  };
  const auto emit_pending_markers = [&] {
    for (DefinitionPtr& each : take_pending_markers()) {
      any = true;
      sink_.definition(std::move(each));
    }
  };
  list(open, [&] {
    emit_pending_markers();
    any = true;
    one_definition(&Parser::definition, deliver);
  });
  emit_pending_markers();
  return any;
}

bool Parser::at_interface() const {
  if (is(Keyword::interface_)) return true;
  return (is(Keyword::abstract_) || is(Keyword::local_)) && peek().keyword == Keyword::interface_;
}

bool Parser::at_value() const {
  if (is(Keyword::valuetype_) || is(Keyword::custom_) || is(Keyword::abstract_)) return true;
  return is(Keyword::eventtype_) && peek().kind == TokenKind::identifier;
}

bool Parser::definition(Definition& out) {
  Nesting deeper(*this);
  if (is(TokenKind::semicolon)) fail("syntax", "this ';' follows no definition", "remove it");
  if (is(Keyword::module_)) return module(out), true;
  if (at_interface()) return interface(out), true;
  if (at_value()) return value(out), true;
  if (is(Keyword::exception_)) return exception(out), expect_semicolon("the exception"), true;
  if (at_component()) return component(out), true;
  if (in_template_ && is(Keyword::alias_)) return take(), template_instance(out, true), true;
  if (type_definition(out)) return true;
  fail_no_definition();
}

void Parser::fail_no_definition() {
  const std::string text(token_.text);
  if (text == "class" || text == "namespace" || text == "using") {
    fail("syntax", "IDL has no '" + text + "'",
         text == "class"       ? "use 'interface' for operations, 'struct' for data"
         : text == "namespace" ? "use 'module'"
                               : "use 'typedef'");
  }
  const std::string near(at_identifier() ? nearest_keyword(token_.text, KeywordPosition::definition) : "");
  const bool of_interface =
      is(Keyword::attribute_) || is(Keyword::readonly_) || is(Keyword::oneway_) || is(Keyword::void_);
  fail("syntax", "expected a definition, found " + describe_token(),
       !near.empty()  ? "did you mean '" + near + "'?"
       : of_interface ? "attributes and operations belong in an interface"
                      : "a definition begins with module, interface, struct, union, enum, typedef, const, "
                        "exception or valuetype");
}

bool Parser::export_(Definition& out) {
  Nesting deeper(*this);
  if (is(TokenKind::semicolon)) fail("syntax", "this ';' follows no definition", "remove it");
  if (is(Keyword::attribute_) || is(Keyword::readonly_)) return attribute(out), true;
  if (is(Keyword::exception_)) return exception(out), expect_semicolon("the exception"), true;
  if (is(Keyword::interface_) || is(Keyword::module_) || is(Keyword::valuetype_)) {
    fail("syntax",
         "a definition of " +
             std::string(is(Keyword::module_)      ? "a module"
                         : is(Keyword::interface_) ? "an interface"
                                                   : "a value type") +
             " cannot stand within another interface or value type",
         "close the one around it with '};' first, or move this out");
  }
  if (type_definition(out)) return true;
  return operation(out), true;
}

// Parses a definition that is allowed in modules, interfaces and value types; returns false if there is none.
bool Parser::type_definition(Definition& out) {
  if (is(TokenKind::at) && peek().text == "annotation") return annotation_declaration(out), true;
  switch (token_.keyword) {
    case Keyword::typedef_: return typedef_(out), true;
    case Keyword::const_: return constant(out), true;
    case Keyword::native_: return native(out), true;
    case Keyword::struct_: return struct_(out), expect_semicolon("the struct"), true;
    case Keyword::union_: return union_(out), expect_semicolon("the union"), true;
    case Keyword::enum_: return enum_(out), expect_semicolon("the enum"), true;
    default: return soft_keyword_definition(out);
  }
}

// Parses a definition that begins with a word that older IDL uses as a name: the tokens after it decide.
bool Parser::soft_keyword_definition(Definition& out) {
  const TokenKind next = peek().kind;
  const bool named = next == TokenKind::identifier;
  const bool qualified = named || next == TokenKind::scope;
  const auto after_name = [&] { return named ? peek(2).kind : TokenKind::end; };
  switch (token_.keyword) {
    case Keyword::bitmask_:
      if (after_name() != TokenKind::left_brace) return false;
      return bitmask(out), expect_semicolon("the bitmask"), true;
    case Keyword::bitset_:
      if (after_name() != TokenKind::left_brace && after_name() != TokenKind::colon) return false;
      return bitset(out), expect_semicolon("the bitset"), true;
    case Keyword::typeid_:
    case Keyword::typeprefix_:
      if (!qualified || peek(2).kind == TokenKind::left_paren) return false;
      return type_id(out), true;
    case Keyword::import_:
      if (!qualified && next != TokenKind::string) return false;
      return type_id(out), true;
    default: return false;
  }
}

void Parser::module(Definition& out) {
  take();
  if (at_template_instance()) return template_instance(out, false);
  out.name = identifier("the name of a module");
  if (is(TokenKind::less)) return template_module(out);
  Token open = expect(TokenKind::left_brace, "after the name of the module");
  out.body = Module{};
  auto& body = std::get<Module>(out.body);
  const std::size_t errors_before = diagnostics_.error_count();
  bool empty = false;
  if (in_template_) {
    body.body = definitions(open, &Parser::definition);
    empty = body.body.empty();
  } else {
    struct ModuleDelivery {
      ModuleDelivery(DefinitionSink& to, const Definition& module) : sink(to) { sink.module_begins(module); }
      ~ModuleDelivery() { sink.module_ends(); }
      DefinitionSink& sink;
    };
    body.emitted = true;
    ModuleDelivery emitted(sink_, out);
    empty = !emit_definitions(open);
  }
  if (empty && is(TokenKind::right_brace) && diagnostics_.error_count() == errors_before) {
    diagnostics_
        .error("empty-module", token_.span, "module '" + std::string(out.name.text) + "' holds no definition")
        .suggest("put a definition in it, or remove it");
  }
  if (accept(TokenKind::right_brace)) expect_semicolon("the module");
}

void Parser::constant(Definition& out) {
  take();
  Const body;
  body.type = type_spec("the type of the constant");
  out.name = identifier("the name of the constant");
  expect(TokenKind::equals, "after the name of the constant");
  body.value = expression();
  if (is(TokenKind::comma) && peek().kind == TokenKind::number) {
    fail("syntax", "a constant has one value, found ','",
         "write the decimal point as '.', or each constant on its own");
  }
  out.body = std::move(body);
  expect_semicolon("the constant");
}

void Parser::native(Definition& out) {
  take();
  out.name = identifier("the name of a native type");
  out.body = Native{};
  expect_semicolon("the native type");
}

void Parser::typedef_(Definition& out) {
  take();
  Typedef body;
  body.type = type_spec("a type", true);
  if (body.type.constructed) body.type.constructed->start = body.type.span;
  body.declarators = declarators();
  out.name = body.declarators[0].name;
  out.body = std::move(body);
  expect_semicolon("the typedef");
}

void Parser::type_id(Definition& out) {
  Keyword keyword = take().keyword;
  ScopedName target;
  std::vector<Token> text;
  if (keyword == Keyword::import_ && is(TokenKind::string))
    text.push_back(take());
  else
    target = scoped_name("the name it is about");
  if (keyword == Keyword::import_ && !target.empty()) import_builtin(target);
  if (keyword != Keyword::import_) {
    if (!is(TokenKind::string)) fail("syntax", "expected a string, found " + describe_token());
    text.push_back(take());
  }
  if (keyword == Keyword::typeid_) {
    out.body = TypeId{std::move(target), std::move(text)};
  } else if (keyword == Keyword::typeprefix_) {
    out.body = TypePrefix{std::move(target), std::move(text)};
  } else if (keyword == Keyword::import_) {
    out.body = Import{std::move(target), std::move(text)};
  }
  // In some published IDL (CORBA components) the ';' is missing.
  if (keyword == Keyword::typeprefix_ && token_.starts_line && !is(TokenKind::semicolon)) {
    diagnostics_.warning("typeprefix-semicolon", last_.after(), "expected ';' after typeprefix")
        .suggest("add ';' here");
    return;
  }
  expect_semicolon(spelling(keyword));
}

namespace {

// A token source that reads from a list; returns `end` after the last token.
class TokenList final : public TokenSource {
 public:
  explicit TokenList(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  Token next() override { return at_ < tokens_.size() ? tokens_[at_++] : Token{}; }
  bool stopped() const override { return false; }
  std::vector<Token> imported(std::string_view) override { return {}; }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

// Parses the built-in file that an import refers to. Other imports need no action, because their definitions
// are in included files.
void Parser::import_builtin(const ScopedName& target) {
  std::vector<Token> tokens = tokens_.imported(target.parts[0].text);
  if (tokens.empty()) return;
  TokenList list(std::move(tokens));
  Parser inner(list, sink_, diagnostics_);
  inner.in_template_ = true;  // collects the definitions instead of emitting them one at a time
  sink_.imported(inner.definitions(Token{}, &Parser::definition));
}

// Parses `@annotation Name { type member default value; … };`.
void Parser::annotation_declaration(Definition& out) {
  take();
  take();
  AnnotationDeclaration body;
  out.name = identifier("the name of the annotation");
  Token open = expect(TokenKind::left_brace, "after the name of the annotation");
  list(open, [&] {
    if (is(Keyword::enum_) || is(Keyword::const_) || is(Keyword::typedef_)) {
      auto inner = std::make_unique<Definition>();
      inner->start = token_.span;
      type_definition(*inner);
      body.body.push_back(std::move(inner));
      return;
    }
    AnnotationMember member;
    member.type = type_spec("the type of an annotation's member");
    member.name = identifier("the name of an annotation's member");
    if (accept(Keyword::default_)) member.default_value = expression();
    body.members.push_back(std::move(member));
    expect_semicolon("the member");
  });
  out.body = std::move(body);
  if (accept(TokenKind::right_brace)) expect_semicolon("the annotation");
}

}  // namespace orbweaver::idl
