#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "idlc/parse/parse.h"

namespace orbweaver::idl {

/// Recursive-descent parser with one function for each rule, in the files of this folder by subject. A rule
/// that cannot continue reports an error and throws `SyntaxError`; the enclosing list of definitions, members
/// or cases catches it, skips to the next element and continues.
class Parser {
 public:
  Parser(TokenSource& tokens, DefinitionSink& sink, Diagnostics& diagnostics);
  /// See parse().
  bool run();

 private:
  struct SyntaxError {};

  // tokens (parser.cpp)
  const Token& peek(std::size_t ahead = 1) const;
  void queue_marker(const Token& token);
  bool is(TokenKind kind) const { return token_.kind == kind; }
  bool is(Keyword keyword) const { return token_.keyword == keyword; }
  Token take();
  bool accept(TokenKind kind);
  bool accept(Keyword keyword);
  Token expect(TokenKind kind, std::string_view where);
  void expect(Keyword keyword, std::string_view where);
  void expect_semicolon(std::string_view after);
  void expect_closing_angle();
  bool begins_definition() const;
  /// Whether the token is the ';' of a forward declaration, or begins the next definition on a new line, so
  /// that the ';' is missing.
  bool at_end_of_forward() const;
  [[noreturn]] void fail(std::string_view rule, std::string message, std::string suggestion = {});
  std::string describe_token() const;
  void recover(int brace_depth);
  struct Nesting {  // counts one level of nesting until its destruction
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }
    Parser& parser_;
  };

  // names and lists (parser.cpp)
  /// Takes an identifier. `declared`: it is declared here, so it must not equal a keyword apart from case; a
  /// used name is checked at its declaration.
  tree::Identifier identifier(std::string_view what, bool declared = true);
  bool at_identifier() const;
  tree::ScopedName scoped_name(std::string_view what);
  std::vector<tree::ScopedName> scoped_names(std::string_view what);
  std::vector<tree::ScopedName> parenthesised_names(std::string_view what);
  tree::Annotations annotations();
  tree::Annotation annotation();
  std::vector<tree::Annotation::Argument> annotation_arguments();
  /// Calls `rule` for each element up to the closing brace (not taken) or the end of the input.
  template <typename Rule>
  void list(Token open, Rule&& rule);
  /// Returns and clears the pragmas and file markers that precede the current token.
  std::vector<tree::DefinitionPtr> take_pending_markers() { return std::exchange(pending_markers_, {}); }

  // definitions (definitions.cpp)
  using DefinitionRule = bool (Parser::*)(tree::Definition&);
  std::vector<tree::DefinitionPtr> definitions(Token open, DefinitionRule rule);
  /// Parses the definitions of the file, or of a module outside templates, and passes each to the sink as
  /// soon as it is complete. Returns whether there are any.
  bool emit_definitions(Token open);
  /// Parses one definition and passes it to `take_it`. After an error before its name, passes nothing.
  template <typename Take>
  void one_definition(DefinitionRule rule, Take&& take_it);
  bool definition(tree::Definition& out);
  bool export_(tree::Definition& out);
  bool type_definition(tree::Definition& out);
  bool soft_keyword_definition(tree::Definition& out);
  bool at_interface() const;
  bool at_value() const;
  [[noreturn]] void fail_no_definition();
  void module(tree::Definition& out);
  void constant(tree::Definition& out);
  void typedef_(tree::Definition& out);
  void native(tree::Definition& out);
  void type_id(tree::Definition& out);
  void import_builtin(const tree::ScopedName& target);
  void annotation_declaration(tree::Definition& out);

  // interfaces.cpp
  void interface(tree::Definition& out);
  void attribute(tree::Definition& out);
  void operation(tree::Definition& out);
  void operation_result(tree::Definition& out, tree::Operation& body);
  std::vector<Token> contexts();
  void reject_foreign_modifier();
  void reject_foreign_end_of_operation();
  std::vector<tree::Parameter> parameters(bool in_only);
  tree::Parameter parameter(bool in_only);
  tree::Parameter::Direction direction(bool in_only);
  void value(tree::Definition& out);
  tree::Value value_header();
  void value_body(tree::Value& value);
  bool value_element(tree::Definition& out);
  void factory(tree::Definition& out, bool finder);

  // components.cpp
  bool at_component() const;
  void component(tree::Definition& out);
  void check_has_port(const tree::Definition& definition, std::size_t errors_before);
  void home(tree::Definition& out);
  bool component_element(tree::Definition& out);
  bool connector_element(tree::Definition& out);
  bool port_element(tree::Definition& out, bool events);
  ir::PortRole port_role(bool events);
  void port_target(tree::Port& port);
  bool home_element(tree::Definition& out);

  // templates.cpp
  bool at_template_instance() const;
  void template_module(tree::Definition& out);
  void template_instance(tree::Definition& out, bool alias);

  // constructed.cpp
  void struct_(tree::Definition& out);
  void exception(tree::Definition& out);
  void union_(tree::Definition& out);
  void enum_(tree::Definition& out);
  void bitmask(tree::Definition& out);
  void bitset(tree::Definition& out);
  std::deque<tree::Member> members(tree::Definition& owner);
  tree::Member member();
  tree::UnionCase union_case();
  std::deque<tree::Enumerator> enumerators(std::string_view what);
  tree::Declarator declarator();
  void reject_pointer();
  void reject_c_style_name(std::string_view noun);
  std::vector<tree::Declarator> declarators();

  // types.cpp
  tree::TypeSpec type_spec(std::string_view what, bool constructed_allowed = false);
  tree::TypeSpec template_type();
  tree::DefinitionPtr constructed_type();
  tree::ScopedName type_name(std::string_view what);
  bool basic_type(tree::TypeSpec& out);
  ir::TypeKind long_type();
  ir::TypeKind unsigned_type();
  bool at_template_type() const;
  void reject_excess_type_keyword();
  bool at_constructed() const;

  // expressions.cpp
  tree::ExpressionPtr expression();
  tree::ExpressionPtr binary(int lowest);
  tree::ExpressionPtr unary();
  tree::ExpressionPtr primary();

  TokenSource& tokens_;
  DefinitionSink& sink_;
  Diagnostics& diagnostics_;
  mutable std::deque<Token> lookahead_;  // tokens after the current one that peek() has read
  std::size_t taken_ = 0;
  Token token_;
  Span last_;                  // span of the token taken last
  std::string_view previous_;  // its text, if it was a word
  int braces_ = 0;             // number of open braces
  int nesting_ = 0;
  int angles_ = 0;                                    // open '<' of templates: '>>' may close two
  bool stopped_ = false;                              // nested too deeply: the rest of the tokens is ignored
  bool in_template_ = false;                          // `alias` is a keyword, and nothing is emitted early
  bool end_reported_ = false;                         // the unexpected end of the file is reported once
  std::vector<tree::DefinitionPtr> pending_markers_;  // pragmas and file markers before the current token
};

/// Calls `rule` once for each element between braces, and recovers after each syntax error.
template <typename Rule>
void Parser::list(Token open, Rule&& rule) {
  int depth = braces_;
  for (;;) {
    if (is(TokenKind::end) || is(TokenKind::right_brace)) break;
    if (diagnostics_.too_many_errors()) throw SyntaxError{};
    const std::size_t before = taken_;
    try {
      rule();
    } catch (SyntaxError) {
      recover(depth);
      if (taken_ == before && !is(TokenKind::end) && !is(TokenKind::right_brace)) take();
    }
  }
  if (is(TokenKind::end) && open.span.known() && !end_reported_) {
    end_reported_ = true;
    if (!tokens_.stopped()) {
      diagnostics_.error("unclosed-brace", last_.after(), "expected '}' before the end of the file")
          .note(open.span, "to match this '{'");
    }
  }
}

}  // namespace orbweaver::idl
