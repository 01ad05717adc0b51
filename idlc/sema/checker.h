#pragma once

#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "idlc/ir/components.h"
#include "idlc/sema/scope.h"
#include "idlc/sema/sema.h"

namespace orbweaver::idl {

/// Semantic checker. It has one function for each construct, in the files of this folder by subject, and
/// walks the tree once in order, because IDL requires declaration before use. Errors go to the diagnostics.
/// Not thread-safe.
class Checker final : public SemanticChecker {
 public:
  Checker(const TranslationUnit& preprocessed, const Sources& sources, Diagnostics& diagnostics);

  void module_begins(const tree::Definition& module) override;
  void module_ends() override;
  void definition(tree::DefinitionPtr definition) override;
  void imported(std::vector<tree::DefinitionPtr> body) override;
  void definition_lost() override { definition_lost_ = true; }
  std::unique_ptr<ir::Unit> finish() override;

 private:
  // declarations.cpp: order, names, repository ids
  /// Checks definitions in order. `last_use`: frees the tree of each definition after checking it.
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
  /// The declaration that a definition completes, if it was forward-declared; otherwise a new one.
  template <typename T>
  T& open(const tree::Definition& definition, bool forward, std::vector<const ir::Declaration*>& into);
  template <typename T>
  void note_forward_declaration(T& decl, const tree::Definition& definition, bool forward);
  void add(ir::Declaration& decl, const tree::Definition& definition,
           std::vector<const ir::Declaration*>& into);
  void declare_builtins();
  /// Whether this text is built into the compiler. Built-in declarations yield to those of the user's files.
  bool is_builtin(Span span) const { return preprocessed_.builtins.contains(span.file); }
  bool is_overridden_by_user(const tree::Definition& definition);
  void check_forward_declarations();

  // repository_ids.cpp
  const std::string* intern_id(const std::string& text) { return &*unit_->ids.insert(text).first; }
  void set_id_path(std::string path);
  void pragma(std::string_view text, Span span);
  void import(const tree::Import& body);
  void check_imported_ids();
  void type_id(const tree::ScopedName& target, const std::vector<Token>& text);
  void type_prefix(const tree::ScopedName& target, const std::vector<Token>& text);
  void set_id(ir::Declaration& declaration, std::string id, Span span);

  // lookup.cpp
  Scope* new_scope(Scope::Kind kind, Scope* outer, std::string_view name, Span span,
                   const ir::Declaration* owner);
  /// Adds a name to the current scope, or completes its forward declaration. Reports a collision and returns
  /// null.
  Symbol* declare(const tree::Identifier& name, Symbol symbol);
  void close(Scope& scope);
  static void restore_members(Scope& scope);
  Symbol* find_own(Scope& scope, std::string_view name);
  struct LookupResult {
    Symbol* symbol = nullptr;
    const Symbol* ambiguous_with = nullptr;
    const Symbol* differs_in_case = nullptr;
  };
  LookupResult find_here(Scope& scope, std::string_view name);
  /// The symbol that a name refers to. Reports a name that is undeclared or ambiguous and returns null.
  Symbol* resolve(const tree::ScopedName& name);
  void note_use(const tree::Identifier& name, const Symbol& symbol, const Scope* found_in);
  void undeclared(const tree::ScopedName& name, std::size_t part, const Scope* where);
  std::string suggest(std::string_view name, const Scope* where, bool outward) const;
  /// The declaration of this kind that a name refers to. Reports any other name and returns null.
  ir::Declaration* resolve_as(const tree::ScopedName& name, ir::DeclKind kind, std::string_view wanted);

  // inheritance.cpp
  void add_base(Scope& scope, Scope& base);
  static bool inherits(const Scope& scope, const Scope& base);
  static std::vector<const Scope*> bases_of(const Scope& scope);
  void find_inherited(Scope& scope, const std::string& lower, std::string_view name, LookupResult& found);
  /// The inherited symbol with this (lower-case) name that `scope` may not redeclare; null if there is none.
  /// `except` is a scope known not to be a base of it.
  const Symbol* inherited_member(const Scope& scope, const std::string& key, const Scope* except = nullptr);
  void inherited_clashes(const ir::Declaration& decl, const Scope& scope);

  // types.cpp
  const ir::Type* basic(ir::TypeKind kind);
  const ir::Type* add_type(ir::Type type);
  const ir::Type* declared_type(const ir::Declaration& declaration);
  /// Where a type is used. `indirect`: a member with @external or @optional, whose type may be incomplete.
  enum class TypeUse { any, member, indirect, element, parameter, result, constant };
  const ir::Type* type(const tree::TypeSpec& spec, TypeUse use,
                       std::vector<const ir::Declaration*>* contents = nullptr);
  const ir::Type* named_type(const tree::TypeSpec& spec, TypeUse use);
  const ir::Type* array(const ir::Type* element, const tree::Declarator& declarator);
  std::optional<std::uint64_t> size(const tree::Expression& expression, std::string_view what,
                                    std::uint64_t maximum);
  static const ir::Declaration* incomplete_declaration(const ir::Type& type);
  bool is_open(const ir::Declaration* declaration) const;
  bool incomplete(const ir::Type& type, TypeUse use, Span span);

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
  struct EnumeratorValues {  // values of an enum so far: those set with @value, and those that follow them
    std::map<ir::Integer, Span> taken;
    ir::Integer next = 0;
    Span default_literal;
  };
  void enumerator_value(const ir::Enumerator& decl, EnumeratorValues& values);
  ir::Declaration* enum_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void bitmask(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  bool bit_bound(const ir::AnnotationUse& use, std::uint32_t max_bits, std::string_view what);
  void bitset(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  ir::Declaration* constructed(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);

  // unions.cpp
  ir::Declaration* union_(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void labels(const tree::UnionCase& from, ir::UnionCase& to, ir::Union& union_type, struct UsedLabels& seen);
  void check_label_coverage(ir::Union& union_type, const struct UsedLabels& seen);

  // interfaces.cpp
  void interface(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void bases(const std::vector<tree::ScopedName>& names, ir::Interface& decl, Scope& scope);
  void attribute(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void operation(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  std::vector<ir::Parameter> parameters(const std::vector<tree::Parameter>& parameters, bool oneway);
  void reject_anonymous_type(const tree::TypeSpec& spec);
  bool raises_native(const tree::ScopedName& name);
  std::vector<const ir::Declaration*> raises(const std::vector<tree::ScopedName>& names);

  // local_types.cpp
  bool is_local(const ir::Type& type) const;
  bool holds(const ir::Declaration& decl, const ir::Type& type);
  void reject_local_type(const ir::Type& type, Span span);

  // values.cpp
  void value(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void value_bases(const tree::Value& body, ir::Value_& decl, Scope& scope);
  void value_box(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void state_member(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void factory(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);

  // components.cpp
  void component(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void home(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void port(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void supports(const std::vector<tree::ScopedName>& names, std::vector<const ir::Interface*>& into,
                Scope& scope);
  void check_managed_component(const tree::Home& body, const ir::Home& decl);

  // templates.cpp
  void template_module(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  void template_instance(const tree::Definition& definition, std::vector<const ir::Declaration*>& into);
  bool too_many_instances(const tree::Definition& definition);
  void merge(const Scope& from, Scope& into);
  Scope* arguments(const tree::Definition& definition, const ir::TemplateModule& of,
                   const tree::TemplateModule& source, Scope* around);
  std::optional<Symbol> argument(const tree::TemplateArgument& given, const tree::TemplateParameter& wanted,
                                 Scope* names);
  static bool matches(const ir::Type& type, ir::TemplateKind kind);

  // annotations.cpp
  enum class AnnotationTarget {
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
  /// Checks annotations. `about`: the annotated declaration's type, against which values are checked; may be
  /// null.
  ir::Annotations annotations(const tree::Annotations& annotations, AnnotationTarget on,
                              const ir::Type* about = nullptr);
  /// The annotations of a whole declaration together with those of one of its declarators.
  ir::Annotations annotations(const tree::Annotations& annotations, const tree::Declarator& own,
                              AnnotationTarget on, const ir::Type* about = nullptr);
  bool well_formed(const tree::Annotation& annotation);
  void standard_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                           const struct StandardAnnotation& rule, AnnotationTarget on, const ir::Type* about);
  std::optional<ir::Value> argument_value(const tree::Expression& expression,
                                          const struct AnnotationParameter& parameter, AnnotationTarget on,
                                          const ir::Type* about);
  std::optional<ir::Value> value_of_type(const tree::Expression& expression, const ir::Type& type);
  const ir::Enumerator* enumerator_named(const ir::Enum& decl, std::string_view name);
  void ordered(const ir::Annotations& all);
  void declared_annotation(const tree::Annotation& annotation, ir::AnnotationUse& use,
                           const ir::AnnotationDeclaration& rule);
  bool view(const ir::Annotations& annotations, const ir::Type* type);
  static const ir::AnnotationUse* find(const ir::Annotations& annotations, std::string_view name);

  /// Calls `use` for each of a definition's parts. Frees the part's tree after the call, unless a template is
  /// being instantiated, which needs the tree again: a large definition's tree and IR need not be in memory
  /// together.
  template <typename Parts, typename Use_>
  void use_each(const Parts& parts, Use_&& use) {
    if (!instantiating_.empty()) {
      for (const auto& each : parts) use(each);
      return;
    }
    for (auto& left = const_cast<Parts&>(parts); !left.empty(); left.pop_front()) use(left.front());
  }

  struct ScopeGuard {  // enters a scope and its repository id path; the destructor restores the previous ones
    ScopeGuard(Checker& checker, Scope* scope, std::string_view name);
    ~ScopeGuard();
    Checker& checker_;
    Scope* outer_;
    std::string id_path_;
    const std::string* id_here_;
  };

  struct OpenModule {
    OpenModule(Checker& checker, Scope* inner, ir::Module& decl);
    ~OpenModule();
    ir::Module& module_;
    Scope* inner_;
    ScopeGuard entered_;
    const ir::Declaration* first_;
    Scope* outer_;
  };

  const TranslationUnit& preprocessed_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  std::unique_ptr<ir::Unit> unit_ = std::make_unique<ir::Unit>();
  std::deque<std::unique_ptr<Scope>> scopes_;
  Scope* global_ = nullptr;
  Scope* scope_ = nullptr;
  std::string id_path_;                     // "P1/M1": the beginning of repository ids in this scope
  const std::string* id_here_ = nullptr;    // the same text, owned by the Unit; null until first needed
  std::vector<std::string> id_path_files_;  // id_path_ of each including file, the outermost first
  std::set<std::string, std::less<>> reported_undeclared_;
  std::unordered_map<const ir::Declaration*, Scope*> scope_of_;
  // By lower-case name: the base scopes that declare it. See inheritance.cpp.
  std::unordered_map<std::string, std::vector<Scope*>> base_scopes_by_name_;
  std::unordered_map<const ir::Declaration*, Span> explicit_id_;  // set by pragma ID or typeid
  bool definition_lost_ = false;
  /// Whether declarations are missing because of an earlier error: undeclared names are not reported then.
  bool names_lost() const { return definition_lost_ || preprocessed_.incomplete || preprocessed_.stopped; }
  std::vector<std::unique_ptr<OpenModule>> modules_;  // enclosing modules, the innermost last
  std::vector<tree::DefinitionPtr> retained_templates_;
  struct ForwardDeclaration {
    ir::Declaration* declaration;
    bool* defined;
    Span span;
  };
  std::vector<Token> imported_;  // imported repository ids, each of which some declaration must have
  std::vector<ForwardDeclaration> forward_declarations_;  // must be defined before the end of the unit
  struct Template {
    const tree::TemplateModule* body;
    Scope* scope;  // the enclosing scope
  };
  std::unordered_map<const ir::Declaration*, Template> templates_;
  std::vector<const ir::Declaration*> instantiating_;  // templates being instantiated, the innermost last
  std::size_t instance_definitions_ = 0;
  std::size_t copied_text_ = 0;
  Span comment_at_;                            // the place of which make() last looked up the comment
  std::string_view comment_;                   // that comment
  std::optional<bool> instance_in_main_file_;  // in_main_file of all declarations of a template instance
  std::unordered_set<const ir::Declaration*> local_containers_;  // see local_types.cpp
  std::unordered_map<const ir::Declaration*, std::vector<const ir::Declaration*>> containers_;
  const ir::Type* basics_[32] = {};
  std::unordered_map<const ir::Enum*, std::unordered_map<std::string_view, const ir::Enumerator*>>
      enumerators_;
  std::unordered_map<const ir::Declaration*, const ir::Type*> declared_types_;
};

/// Makes a declaration of kind T, owned by the Unit, and sets the members that all declarations have.
template <typename T>
T& Checker::make(const tree::Identifier& name, Span start) {
  auto owned = std::make_unique<T>();
  T& decl = *owned;
  unit_->declarations.push_back(std::move(owned));
  decl.name = name.text;
  decl.parent = scope_->owner;
  decl.span = name.span;
  bool located = name.span.known();
  decl.in_main_file = located && start.file == preprocessed_.main_file &&
                      sources_.file(name.span.file).belongs_to_file(name.span.offset);
  if (instance_in_main_file_) decl.in_main_file = *instance_in_main_file_;
  decl.builtin = is_builtin(start);
  if (located && start.known()) {
    // `typedef long a, b, …`: looks up the comment once; only the first declaration gets a long one.
    const bool again = start == comment_at_;
    if (!again) comment_ = sources_.file(start.file).comment_before(start.offset);
    comment_at_ = start;
    if (!again || comment_.size() <= 1000) decl.comment = comment_;
  }
  if (id_here_ == nullptr) id_here_ = intern_id(id_path_);
  decl.id = id_here_;
  return decl;
}
template <typename T>
T& Checker::make(const tree::Identifier& name, const tree::Definition& definition) {
  return make<T>(name, definition.start);
}

template <typename T>
void Checker::note_forward_declaration(T& decl, const tree::Definition& definition, bool forward) {
  if constexpr (std::is_same_v<T, ir::Interface>) {
    const bool elsewhere = definition.start.file != preprocessed_.main_file && !is_builtin(definition.start);
    decl.forward_declared_in_include = decl.forward_declared_in_include || (forward && elsewhere);
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
    T& decl = static_cast<T&>(*earlier->declaration);
    note_forward_declaration(decl, definition, forward);
    if (forward) return decl;
    T& fresh = make<T>(definition.name, definition);  // only for its location and comment
    decl.span = fresh.span;
    decl.comment = fresh.comment;
    decl.in_main_file = fresh.in_main_file;
    earlier->span = decl.span;
    earlier->forward = false;
    earlier->broken = definition.broken;
    into.push_back(&decl);
    return decl;
  }
  T& decl = make<T>(definition.name, definition);
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = ir::noun(kind).data();
  symbol.forward = forward;
  symbol.broken = definition.broken;
  bool declared = declare(definition.name, symbol) != nullptr;
  decl.ahead = forward;
  note_forward_declaration(decl, definition, forward);
  if (forward && declared) forward_declarations_.push_back({&decl, &decl.defined, definition.name.span});
  if (!forward) into.push_back(&decl);
  return decl;
}

}  // namespace orbweaver::idl
