#pragma once

#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "idlc/ir/components.h"
#include "idlc/sema/scope.h"
#include "idlc/sema/sema.h"

namespace orbweaver::idl {

/// The checker: a function a construct, spread over the files of this folder by subject. Walks the tree once,
/// in order, as IDL asks for declaration before use.
class Checker final : public Checking {
 public:
  Checker(const Preprocessed& preprocessed, const Sources& sources, Diagnostics& diagnostics);

  void module_begins(const tree::Definition& module) override;
  void module_ends() override;
  void definition(tree::DefinitionPtr definition) override;
  void imported(std::vector<tree::DefinitionPtr> body) override;
  void definition_lost() override { definition_lost_ = true; }
  std::unique_ptr<ir::Unit> finish() override;

 private:
  // declarations.cpp: order, names, ids
  /// `last_use`: the tree of each definition is freed once it is checked.
  void definitions(const std::vector<tree::DefinitionPtr>& body, std::vector<const ir::Declaration*>& into,
                   bool last_use = false);
  void check(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void open_module(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void close_module();
  void module(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void constant(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void typedef_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void native(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void annotation_declaration(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  template <typename T>
  T& make(const tree::Identifier& name, const tree::Definition& definition);
  template <typename T>
  T& make(const tree::Identifier& name, Span start);
  /// A definition that may have been declared ahead: the same declaration, or a new one.
  template <typename T>
  T& open(const tree::Definition& definition, bool forward, std::vector<const ir::Declaration*>& into);
  template <typename T>
  void note_ahead(T& made, const tree::Definition& definition, bool forward);
  void add(ir::Declaration& made, const tree::Definition& definition,
           std::vector<const ir::Declaration*>& into);
  void builtins();
  /// Does this text come with the compiler? Such declarations yield to those of the user's files.
  bool is_builtin(Span span) const { return preprocessed_.builtins.contains(span.file); }
  bool yields(const tree::Definition& definition);
  void declared_ahead();

  // ids.cpp
  const std::string* keep_id(const std::string& text) { return &*unit_->ids.insert(text).first; }
  void set_id_path(std::string path);
  void pragma(std::string_view text, Span span);
  void import(const tree::Import& body);
  void imported_ids();
  void type_id(const tree::ScopedName& target, const std::vector<Token>& text);
  void type_prefix(const tree::ScopedName& target, const std::vector<Token>& text);
  void set_id(ir::Declaration& declaration, std::string id, Span span);

  // lookup.cpp
  Scope* new_scope(Scope::Kind kind, Scope* outer, std::string_view name, Span span,
                   const ir::Declaration* owner);
  /// Adds a name to the present scope; false, and a message, if it collides. A forward declaration is
  /// completed.
  Symbol* declare(const tree::Identifier& name, Symbol symbol);
  void close(Scope& scope);
  static void restore_members(Scope& scope);
  Symbol* find_own(Scope& scope, std::string_view name);
  struct Found {
    Symbol* symbol = nullptr;
    const Symbol* ambiguous_with = nullptr;
    const Symbol* differs_in_case = nullptr;
  };
  Found find_here(Scope& scope, std::string_view name);
  /// What a name stands for; null, and a message, if nothing or not to be told.
  Symbol* resolve(const tree::ScopedName& name);
  void note_use(const tree::Identifier& name, const Symbol& symbol, const Scope* found_in);
  void undeclared(const tree::ScopedName& name, std::size_t part, const Scope* where);
  std::string suggest(std::string_view name, const Scope* where, bool outward) const;
  /// Resolves to a declaration of one kind; null with a message otherwise.
  ir::Declaration* resolve_as(const tree::ScopedName& name, ir::DeclKind kind, std::string_view wanted);

  // inheritance.cpp
  void add_base(Scope& scope, Scope& base);
  static bool inherits(const Scope& scope, const Scope& base);
  static std::vector<const Scope*> bases_of(const Scope& scope);
  void find_inherited(Scope& scope, const std::string& lower, std::string_view name, Found& found);
  /// What `scope` inherits under this (lower-case) name and may not declare again; or null. `except` is known to be no
  /// base of it.
  const Symbol* inherited_member(const Scope& scope, const std::string& key, const Scope* except = nullptr);
  void inherited_clashes(const ir::Declaration& made, const Scope& scope);

  // types.cpp
  const ir::Type* basic(ir::TypeKind kind);
  const ir::Type* add_type(ir::Type type);
  const ir::Type* declared_type(const ir::Declaration& declaration);
  /// `indirect`: a member with @external or @optional, which may hold what is not defined yet.
  enum class Use { any, member, indirect, element, parameter, result, constant };
  const ir::Type* type(const tree::TypeSpec& spec, Use use,
                       std::vector<const ir::Declaration*>* contents = nullptr);
  const ir::Type* named_type(const tree::TypeSpec& spec, Use use);
  const ir::Type* array(const ir::Type* element, const tree::Declarator& declarator);
  std::optional<std::uint64_t> size(const tree::Expression& expression, std::string_view what,
                                    std::uint64_t most);
  static const ir::Declaration* awaited(const ir::Type& type);
  bool is_open(const ir::Declaration* declaration) const;
  bool incomplete(const ir::Type& type, Use use, Span span);

  // constants.cpp
  std::optional<ir::Value> evaluate(const tree::Expression& expression, const ir::Type& target);
  std::optional<ir::Integer> integer(const tree::Expression& expression, const ir::Type& target,
                                     int depth = 0);
  std::optional<long double> floating(const tree::Expression& expression, const ir::Type& target);
  std::optional<ir::Fixed> fixed(const tree::Expression& expression);
  std::optional<ir::Value> text(const tree::Expression& expression, const ir::Type& target);
  std::optional<ir::Value> enumerator(const tree::Expression& expression, const ir::Type& target);
  std::optional<ir::Value> boolean(const tree::Expression& expression);
  const ir::Constant* constant_named(const tree::Expression& expression);
  std::optional<ir::Integer> in_range(ir::Integer value, ir::TypeKind kind, Span span);

  // constructed.cpp
  ir::Declaration* struct_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void exception(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  using MemberIds = std::map<ir::Integer, Span>;  // of @id
  static bool is_indirect(const tree::Annotations& annotations);
  void unique_id(const ir::Annotations& annotations, MemberIds& ids);
  void members(const std::deque<tree::Member>& members, std::vector<ir::Field>& fields,
               std::vector<const ir::Declaration*>& contents);
  struct EnumeratorValues {  // those given with @value so far, and those that follow on them
    std::map<ir::Integer, Span> taken;
    ir::Integer next = 0;
    Span default_literal;
  };
  void enumerator_value(const ir::Enumerator& made, EnumeratorValues& values);
  ir::Declaration* enum_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void bitmask(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  bool bit_bound(const ir::AnnotationUse& use, std::uint32_t most, std::string_view what);
  void bitset(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  ir::Declaration* constructed(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);

  // unions.cpp
  ir::Declaration* union_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void labels(const tree::UnionCase& from, ir::UnionCase& to, ir::Union& union_type, struct LabelsSeen& seen);
  void coverage(ir::Union& union_type, const struct LabelsSeen& seen);

  // interfaces.cpp
  void interface(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void bases(const std::vector<tree::ScopedName>& names, ir::Interface& made, Scope& scope);
  void attribute(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void operation(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  std::vector<ir::Parameter> parameters(const std::vector<tree::Parameter>& parameters, bool oneway);
  void must_have_name(const tree::TypeSpec& spec);
  bool raises_native(const tree::ScopedName& name);
  std::vector<const ir::Declaration*> raises(const std::vector<tree::ScopedName>& names);

  // locals.cpp
  bool is_local(const ir::Type& type) const;
  bool holds(const ir::Declaration& made, const ir::Type& type);
  void must_travel(const ir::Type& type, Span span);

  // values.cpp
  void value(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void value_bases(const tree::Value& body, ir::Value_& made, Scope& scope);
  void value_box(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void state_member(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void factory(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);

  // components.cpp
  void component(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void home(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void port(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void supports(const std::vector<tree::ScopedName>& names, std::vector<const ir::Interface*>& into,
                Scope& scope);
  void manages_as_its_base(const tree::Home& body, const ir::Home& made);

  // templates.cpp
  void template_module(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void template_instance(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  bool too_many_instances(const tree::Definition& definition);
  void join(const Scope& from, Scope& into);
  Scope* arguments(const tree::Definition& definition, const ir::TemplateModule& of,
                   const tree::TemplateModule& source, Scope* around);
  std::optional<Symbol> argument(const tree::TemplateArgument& given, const tree::TemplateParameter& wanted,
                                 Scope* names);
  static bool fits(const ir::Type& type, ir::TemplateKind kind);

  // annotations.cpp
  enum class On {
    declaration,
    module,
    interface,
    type,
    typedef_,
    member,
    parameter,
    enumerator,
    operation,
    attribute,
    union_
  };
  /// `about`: the type of what they stand before, where it has one that values are checked against.
  ir::Annotations annotations(const tree::Annotations& annotations, On on, const ir::Type* about = nullptr);
  /// What stands before the whole, and before this declarator of it.
  ir::Annotations annotations(const tree::Annotations& annotations, const tree::Declarator& own, On on,
                              const ir::Type* about = nullptr);
  bool well_formed(const tree::Annotation& annotation);
  void standard_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                           const struct StandardAnnotation& rule, On on, const ir::Type* about);
  std::optional<ir::Value> argument_value(const tree::Expression& expression,
                                          const struct AnnotationParameter& parameter, On on, const ir::Type* about);
  std::optional<ir::Value> value_of_type(const tree::Expression& expression, const ir::Type& type);
  const ir::Enumerator* enumerator_named(const ir::Enum& made, std::string_view name);
  void ordered(const ir::Annotations& all);
  void declared_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                           const ir::AnnotationDeclaration& rule);
  bool view(const ir::Annotations& annotations, const ir::Type* type);
  static const ir::AnnotationUse* find(const ir::Annotations& annotations, std::string_view name);

  /// Uses each of a definition's parts in turn, and frees its tree at once where no instance of a template
  /// needs it again: tree and checked form of a large definition need not be in memory together.
  template <typename Parts, typename Use_>
  void use_each(const Parts& parts, Use_&& use) {
    if (!instantiating_.empty()) {
      for (const auto& each : parts) use(each);
      return;
    }
    for (auto& left = const_cast<Parts&>(parts); !left.empty(); left.pop_front()) use(left.front());
  }

  struct Entered {  // a scope and its repository ids, for as long as it lives
    Entered(Checker& checker, Scope* scope, std::string_view name);
    ~Entered();
    Checker& checker_;
    Scope* outer_;
    std::string id_path_;
    const std::string* id_here_;
  };

  struct OpenModule {
    OpenModule(Checker& checker, Scope* inner, ir::Module& made);
    ~OpenModule();
    ir::Module& made_;
    Scope* inner_;
    Entered entered_;
    const ir::Declaration* first_;
    Scope* outer_;
  };

  const Preprocessed& preprocessed_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  std::unique_ptr<ir::Unit> unit_ = std::make_unique<ir::Unit>();
  std::deque<std::unique_ptr<Scope>> scopes_;
  Scope* global_ = nullptr;
  Scope* scope_ = nullptr;
  std::string id_path_;                     // "P1/M1": what ids begin with here
  const std::string* id_here_ = nullptr;    // the same, kept by the Unit; null before a declaration
  std::vector<std::string> id_path_files_;  // one for each #include around
  std::set<std::string, std::less<>> told_undeclared_;
  std::unordered_map<const ir::Declaration*, Scope*> scope_of_;
  std::unordered_map<std::string, std::vector<Scope*>> inheritable_;  // by lower-case name: bases that declare it
  std::unordered_map<const ir::Declaration*, Span> explicit_id_;  // set by pragma ID or typeid
  bool definition_lost_ = false;
  /// An undeclared name may not be its user's fault.
  bool names_lost() const {
    return definition_lost_ || preprocessed_.incomplete || preprocessed_.stopped;
  }
  std::vector<std::unique_ptr<OpenModule>> modules_;  // those around what is checked, the innermost last
  std::vector<tree::DefinitionPtr> templates_kept_;
  struct Ahead {
    ir::Declaration* declaration;
    bool* defined;
    Span span;
  };
  std::vector<Token> imported_;  // repository ids that something of the unit must have
  std::vector<Ahead> ahead_;     // declared ahead, to be defined before the end
  struct Template {
    const tree::TemplateModule* body;
    Scope* scope;  // around it
  };
  std::unordered_map<const ir::Declaration*, Template> templates_;
  std::vector<const ir::Declaration*> instantiating_;  // templates that are being made into modules
  std::size_t instance_definitions_ = 0;
  std::size_t copied_text_ = 0;
  Span comment_at_;  // where make() has last asked for a comment, …
  std::string_view comment_;
  std::optional<bool> in_main_;  // what is made in an instance lies where the instance does
  std::unordered_set<const ir::Declaration*> local_holders_;  // see locals.cpp
  std::unordered_map<const ir::Declaration*, std::vector<const ir::Declaration*>> holders_;
  const ir::Type* basics_[32] = {};
  std::unordered_map<const ir::Enum*, std::unordered_map<std::string_view, const ir::Enumerator*>> enumerators_;
  std::unordered_map<const ir::Declaration*, const ir::Type*> declared_types_;
};

/// Makes a declaration of kind T with all that every declaration has.
template <typename T>
T& Checker::make(const tree::Identifier& name, Span start) {
  auto owned = std::make_unique<T>();
  T& made = *owned;
  unit_->declarations.push_back(std::move(owned));
  made.name = name.text;
  made.parent = scope_->owner;
  made.span = name.span;
  bool located = name.span.known();
  made.in_main_file = located && start.file == preprocessed_.main_file &&
                      sources_.file(name.span.file).own_text(name.span.offset);
  if (in_main_) made.in_main_file = *in_main_;
  made.builtin = is_builtin(start);
  if (located && start.known()) {
    // `typedef long a, b, …`: found once, and a long comment kept once.
    const bool again = start == comment_at_;
    if (!again) comment_ = sources_.file(start.file).comment_before(start.offset);
    comment_at_ = start;
    if (!again || comment_.size() <= 1000) made.comment = comment_;
  }
  if (id_here_ == nullptr) id_here_ = keep_id(id_path_);
  made.id = id_here_;
  return made;
}
template <typename T>
T& Checker::make(const tree::Identifier& name, const tree::Definition& definition) {
  return make<T>(name, definition.start);
}

template <typename T>
void Checker::note_ahead(T& made, const tree::Definition& definition, bool forward) {
  if constexpr (std::is_same_v<T, ir::Interface>) {
    const bool elsewhere = definition.start.file != preprocessed_.main_file && !is_builtin(definition.start);
    made.ahead_elsewhere = made.ahead_elsewhere || (forward && elsewhere);
  }
}

template <typename T>
T& Checker::open(const tree::Definition& definition, bool forward,
                 std::vector<const ir::Declaration*>& into) {
  Symbol* earlier = find_own(*scope_, definition.name.text);
  ir::DeclKind kind = T().kind;
  bool known = earlier && earlier->name == definition.name.text && earlier->declaration &&
               earlier->declaration->kind == kind;
  bool replaces = known && !forward && is_builtin(earlier->span) && !is_builtin(definition.start);
  if (known && !replaces && (forward || !static_cast<T&>(*earlier->declaration).defined)) {
    T& made = static_cast<T&>(*earlier->declaration);
    note_ahead(made, definition, forward);
    if (forward) return made;
    T& fresh = make<T>(definition.name, definition);  // for its place and comment
    made.span = fresh.span;
    made.comment = fresh.comment;
    made.in_main_file = fresh.in_main_file;
    earlier->span = made.span;
    earlier->forward = false;
    earlier->broken = definition.broken;
    into.push_back(&made);
    return made;
  }
  T& made = make<T>(definition.name, definition);
  Symbol symbol;
  symbol.declaration = &made;
  symbol.noun = ir::noun(kind).data();
  symbol.forward = forward;
  symbol.broken = definition.broken;
  bool declared = declare(definition.name, symbol) != nullptr;
  made.ahead = forward;
  note_ahead(made, definition, forward);
  if (forward && declared) ahead_.push_back({&made, &made.defined, definition.name.span});
  if (!forward) into.push_back(&made);
  return made;
}

}  // namespace orbweaver::idl
