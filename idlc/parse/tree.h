#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "idlc/ir/kinds.h"
#include "idlc/ir/type_kind.h"
#include "idlc/lex/token.h"

/// Syntax tree: the IDL as written, before names are resolved or rules checked. Plain data; text refers to
/// the `Sources`.
namespace orbweaver::idl::tree {

struct Identifier {
  std::string_view text;  // without the escaping underscore
  Span span;
  bool escaped = false;
  bool empty() const { return text.empty(); }
};

struct ScopedName {
  bool absolute = false;
  std::vector<Identifier> parts;
  Span span;
  bool empty() const { return parts.empty(); }
};

struct Expression {
  enum class Kind : std::uint8_t { literal, name, unary, binary };
  Kind kind = Kind::literal;
  TokenKind op = TokenKind::end;            // unary and binary expressions
  std::uint32_t depth = 0;                  // depth of the tree below
  Span span;                                // the operator, the name or the literal
  std::vector<Token> literal;               // several tokens: adjacent strings, which are concatenated
  std::unique_ptr<ScopedName> name;         // names only
  std::unique_ptr<Expression> left, right;  // unary expressions: right only
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct Annotation {
  struct Argument {
    Identifier name;  // empty: a single argument without a name
    ExpressionPtr value;
  };
  ScopedName name;
  Span span;
  std::vector<Argument> arguments;
};
using Annotations = std::vector<Annotation>;

struct Definition;
using DefinitionPtr = std::unique_ptr<Definition>;

struct TypeSpec {
  ir::TypeKind kind = ir::TypeKind::void_;
  Span span;
  Annotations annotations;            // on a sequence's element: sequence<@external T>
  ScopedName name;                    // declared
  DefinitionPtr constructed;          // declared, if the type is defined within the declaration
  std::unique_ptr<TypeSpec> element;  // sequence; the value of a map
  std::unique_ptr<TypeSpec> key;      // map
  ExpressionPtr bound;                // string, wstring, sequence, map; the digits of fixed
  ExpressionPtr scale;                // fixed
};

struct Declarator {
  Annotations annotations;  // `long @key a, @id(3) b`
  Identifier name;
  std::vector<ExpressionPtr> dimensions;
};

struct Member {
  Annotations annotations;
  TypeSpec type;
  std::vector<Declarator> declarators;
};

struct Parameter {
  enum class Direction : std::uint8_t { in, out, inout };
  Annotations annotations;
  Direction direction = Direction::in;
  TypeSpec type;
  Identifier name;
};

struct Enumerator {
  Annotations annotations;
  Identifier name;
};

struct CaseLabel {
  Span span;
  ExpressionPtr value;  // null: default
};

struct UnionCase {
  std::vector<CaseLabel> labels;
  Annotations annotations;
  TypeSpec type;
  Declarator declarator;
};

struct Bitfield {
  Annotations annotations;
  ExpressionPtr bits;
  TypeSpec type;                  // void: chosen by the number of bits
  std::vector<Identifier> names;  // none: padding
  Span span;
};

// --- definitions -------------------------------------------------------------------------------------

struct Module {
  std::vector<DefinitionPtr> body;
  bool emitted = false;  // its contents were passed to the sink while they were parsed
};
struct Interface {
  bool abstract_ = false, local = false, forward = false;
  std::vector<ScopedName> bases;
  std::vector<DefinitionPtr> body;
};
struct Value {
  bool abstract_ = false, custom = false, truncatable = false, forward = false;
  bool event = false;  // eventtype: a value type that components send (CORBA 3.3 part 3, 6.7)
  std::vector<ScopedName> bases, supports;
  std::vector<DefinitionPtr> body;
};
struct ValueBox {
  TypeSpec type;
};
struct Struct {
  bool forward = false;
  ScopedName base;
  std::deque<Member> members;
};
struct Exception {
  std::deque<Member> members;
};
struct Union {
  bool forward = false;
  Annotations switch_annotations;
  TypeSpec discriminator;
  std::deque<UnionCase> cases;
};
struct Enum {
  std::deque<Enumerator> enumerators;
};
struct Bitmask {
  std::deque<Enumerator> flags;
};
struct Bitset {
  ScopedName base;
  std::vector<Bitfield> fields;
};
struct Typedef {
  TypeSpec type;
  std::vector<Declarator> declarators;
};
struct Const {
  TypeSpec type;
  ExpressionPtr value;
};
struct Native {};
struct Attribute {
  bool readonly = false;
  TypeSpec type;
  std::vector<Identifier> names;
  std::vector<ScopedName> get_raises, set_raises;
};
struct Operation {
  bool oneway = false;
  TypeSpec result;
  std::vector<Parameter> parameters;
  std::vector<ScopedName> raises;
  std::vector<Token> contexts;
};
struct Factory {
  bool finder = false;  // a finder of a home
  std::vector<Parameter> parameters;
  std::vector<ScopedName> raises;
};
struct StateMember {
  bool public_ = false;
  Member member;
};
// Components and their parts: IDL 4.2, 7.4.8 to 7.4.11; CORBA 3.3 part 3, 6.
struct Component {
  ir::DeclKind kind = ir::DeclKind::component;  // or connector, porttype
  bool forward = false;
  ScopedName base;
  std::vector<ScopedName> supports;
  std::vector<DefinitionPtr> body;
};
struct Home {
  ScopedName base, component, primary_key;
  std::vector<ScopedName> supports;
  std::vector<DefinitionPtr> body;
};
struct Port {
  ir::PortRole role = ir::PortRole::provides;
  ScopedName target;  // empty: Object
  Span target_span;
};

// Template modules: IDL 4.2, 7.4.12.
struct TemplateParameter {
  ir::TemplateKind kind = ir::TemplateKind::typename_;
  TypeSpec type;  // for const: its type; for sequence: its element type
  Identifier name;
};
struct TemplateModule {
  std::vector<TemplateParameter> parameters;
  std::vector<DefinitionPtr> body;
};
struct TemplateArgument {
  Span span;
  TypeSpec type;  // void: the argument is a value, or a name that may denote a type or a value
  ExpressionPtr value;
};
struct TemplateInstance {
  bool alias = false;  // within another template: instantiated together with it
  ScopedName target;
  std::vector<TemplateArgument> arguments;
};

struct TypeId {
  ScopedName target;
  std::vector<Token> text;
};
struct TypePrefix {
  ScopedName target;
  std::vector<Token> text;
};
struct Import {
  ScopedName target;        // empty: the import names a repository id
  std::vector<Token> text;  // the repository id
};
struct AnnotationMember {
  TypeSpec type;
  Identifier name;
  ExpressionPtr default_value;
};
struct AnnotationDeclaration {
  std::vector<AnnotationMember> members;
  std::vector<DefinitionPtr> body;  // enums, constants and typedefs within
};
struct Pragma {
  std::string_view text;
};
struct FileEnter {};
struct FileLeave {};

struct Definition {
  using Body = std::variant<Module, Interface, Value, ValueBox, Struct, Exception, Union, Enum, Bitmask,
                            Bitset, Typedef, Const, Native, Attribute, Operation, Factory, StateMember,
                            Component, Home, Port, TemplateModule, TemplateInstance, TypeId, TypePrefix,
                            Import, AnnotationDeclaration, Pragma, FileEnter, FileLeave>;
  Annotations annotations;
  Identifier name;
  Span start;           // its first token
  bool broken = false;  // has a syntax error, already reported, so it is incomplete
  Body body;
};

}  // namespace orbweaver::idl::tree
