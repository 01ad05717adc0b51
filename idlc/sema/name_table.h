#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "idlc/preprocess/preprocess.h"
#include "idlc/sema/id_path.h"
#include "idlc/sema/inherited_names.h"
#include "idlc/sema/scope.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// The scopes of a unit and their names: declares names and finds what a name refers to (CORBA 3.3 part 1,
/// 7.20). One scope is the current one. Reports errors in names. Not thread-safe.
class NameTable {
 public:
  /// `unit` may grow while the table is used.
  NameTable(const TranslationUnit& unit, const IdPath& id_path, Diagnostics& diagnostics);

  Scope& global() { return *global_; }
  Scope& current() { return *current_; }
  /// The declaration in whose body the current scope is; null outside of all declarations. The parameters of
  /// an operation are in the body of its interface.
  const ir::Declaration* enclosing_declaration() const;
  /// Whether the body of `declaration` is being checked.
  bool is_open(const ir::Declaration* declaration) const;

  Scope& make_scope(Scope::Kind kind, Scope* outer, std::string_view name, Span span,
                    const ir::Declaration* owner);
  /// Makes the scope of a declaration in the current scope. If the declaration's name is declared there,
  /// names are found in the new scope through it.
  Scope& open_scope(Scope::Kind kind, const ir::Declaration& decl);
  /// Ends the definition of a scope and frees the symbols that are no longer needed.
  void close(Scope& scope);

  /// Adds a name to the current scope, or completes its forward declaration. Reports a collision and returns
  /// null.
  Symbol* declare(const tree::Identifier& name, Symbol symbol);

  /// The symbol declared in `scope` itself; null if there is none.
  Symbol* find_own(Scope& scope, std::string_view name);
  /// Looks up a name in `scope` and its bases.
  LookupResult find_in(Scope& scope, std::string_view name);
  /// The symbol that a name refers to; null if there is none. Reports nothing.
  const Symbol* find(const tree::ScopedName& name);
  /// The symbol that a name refers to. Reports a name that is undeclared or ambiguous and returns null.
  Symbol* resolve(const tree::ScopedName& name);
  /// The declaration of this kind that a name refers to. Reports any other name and returns null.
  ir::Declaration* resolve_as(const tree::ScopedName& name, ir::DeclKind kind, std::string_view wanted);
  /// The user-defined annotation of this name that is visible in the current scope; null if there is none.
  const ir::AnnotationDeclaration* annotation_named(std::string_view name) const;

  /// The scope of a declaration; null if it has none.
  Scope* scope_of(const ir::Declaration& decl) const;
  /// Makes the scope of `base` a direct base of `scope`.
  void add_base(Scope& scope, const ir::Declaration& base);
  /// Reports names that `decl`, which owns `scope`, inherits from two bases.
  void report_inherited_clashes(const ir::Declaration& decl, const Scope& scope) {
    inherited_.report_clashes(decl, scope);
  }

  /// Whether this text is built into the compiler. Built-in declarations yield to those of the user's files.
  bool is_builtin(Span span) const { return unit_.builtins.contains(span.file); }
  /// Whether declarations are missing because of an earlier error: undeclared names are not reported then.
  bool names_lost() const { return definition_lost_ || unit_.incomplete || unit_.stopped; }
  void note_lost_definition() { definition_lost_ = true; }

 private:
  friend class ScopeGuard;

  bool check_scope_name(const tree::Identifier& name);
  void check_not_inherited(const tree::Identifier& name);
  bool yields(const Symbol& earlier, const tree::Identifier& name) const;
  void report_redeclaration(const Symbol& earlier, const tree::Identifier& name);

  LookupResult find_first(const tree::ScopedName& name, Scope*& found_in);
  bool check_found(const LookupResult& found, const tree::Identifier& part);
  void note_use(const tree::Identifier& name, const Symbol& symbol, const Scope* found_in);
  void report_undeclared(const tree::ScopedName& name, std::size_t part, const Scope* where);
  std::string suggestion_for_undeclared(const tree::ScopedName& name, std::size_t part,
                                        const Scope* where) const;

  const TranslationUnit& unit_;
  const IdPath& id_path_;
  Diagnostics& diagnostics_;
  std::deque<std::unique_ptr<Scope>> scopes_;
  std::unordered_map<const ir::Declaration*, Scope*> scope_of_;
  InheritedNames inherited_;
  Scope* global_;
  Scope* current_;
  std::set<std::string, std::less<>> reported_undeclared_;
  bool definition_lost_ = false;
};

/// Makes a scope the current one; the destructor restores the previous one.
class ScopeGuard {
 public:
  ScopeGuard(NameTable& names, Scope& scope) : names_(names), outer_(names.current_) {
    names.current_ = &scope;
  }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ~ScopeGuard() { names_.current_ = outer_; }

  Scope* outer() const { return outer_; }

 private:
  NameTable& names_;
  Scope* outer_;
};

/// The current scope while the parameters of an operation or factory are checked. It is not searched later.
class OperationScope {
 public:
  OperationScope(NameTable& names, const ir::Declaration& operation)
      : scope_(parameters_of(operation, names.current())), entered_(names, scope_) {}

 private:
  static Scope parameters_of(const ir::Declaration& operation, Scope& outer);

  Scope scope_;
  ScopeGuard entered_;
};

}  // namespace orbweaver::idl
