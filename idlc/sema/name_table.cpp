#include "idlc/sema/name_table.h"

namespace orbweaver::idl {

using tree::Identifier;

NameTable::NameTable(const TranslationUnit& unit, const IdPath& id_path, Diagnostics& diagnostics)
    : unit_(unit), id_path_(id_path), diagnostics_(diagnostics), inherited_(diagnostics),
      global_(&make_scope(Scope::Kind::global, nullptr, "", {}, nullptr)), current_(global_) {}

const ir::Declaration* NameTable::enclosing_declaration() const {
  return current_->kind == Scope::Kind::operation ? current_->outer->owner : current_->owner;
}

bool NameTable::is_open(const ir::Declaration* declaration) const {
  for (const Scope* at = current_; at; at = at->outer) {
    if (at->owner == declaration) return true;
  }
  return false;
}

Scope& NameTable::make_scope(Scope::Kind kind, Scope* outer, std::string_view name, Span span,
                             const ir::Declaration* owner) {
  scopes_.push_back(std::make_unique<Scope>());
  Scope& scope = *scopes_.back();
  scope.kind = kind;
  scope.order = scopes_.size();
  scope.outer = outer;
  scope.name = name;
  scope.span = span;
  scope.owner = owner;
  if (owner) scope_of_[owner] = &scope;
  return scope;
}

Scope& NameTable::open_scope(Scope::Kind kind, const ir::Declaration& decl) {
  Scope& scope = make_scope(kind, current_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*current_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = &scope;
  return scope;
}

Scope OperationScope::parameters_of(const ir::Declaration& operation, Scope& outer) {
  Scope scope;
  scope.kind = Scope::Kind::operation;
  scope.outer = &outer;
  scope.name = operation.name;
  scope.span = operation.span;
  return scope;
}

// Members are looked up so rarely that restore_members() finds them again in the declaration. After an error
// it might not find all of them.
void NameTable::close(Scope& scope) {
  if (diagnostics_.ok()) drop_members(scope);
}

Scope* NameTable::scope_of(const ir::Declaration& decl) const {
  const auto at = scope_of_.find(&decl);
  return at == scope_of_.end() ? nullptr : at->second;
}

void NameTable::add_base(Scope& scope, const ir::Declaration& base) {
  if (Scope* base_scope = scope_of(base)) inherited_.add_base(scope, *base_scope);
}

Symbol* NameTable::declare(const Identifier& name, Symbol symbol) {
  symbol.name = name.text;
  symbol.span = name.span;
  if (!check_scope_name(name)) return nullptr;
  check_not_inherited(name);
  const auto [at, fresh] = current_->symbols.add(symbol);
  Symbol& earlier = *at;
  if (fresh) return &earlier;
  if (is_builtin(name.span) && !is_builtin(earlier.span)) return nullptr;
  if (yields(earlier, name)) {
    earlier = symbol;
    return &earlier;
  }
  if (earlier.broken || symbol.broken)
    earlier.broken = true;
  else
    report_redeclaration(earlier, name);
  return nullptr;
}

// A scope's own name may not be redefined directly inside it (CORBA 3.3 part 1, 7.20.2).
bool NameTable::check_scope_name(const Identifier& name) {
  const bool named_scope = current_->kind != Scope::Kind::global && current_->kind != Scope::Kind::operation;
  if (!named_scope || !same_name(current_->name, name.text)) return true;
  // Exception: the OMG's Security module has `struct Right { … string right; }`.
  if (id_path_.is_omg() && current_->kind == Scope::Kind::constructed && current_->name != name.text) {
    diagnostics_
        .warning("scope-name", name.span,
                 "'" + std::string(name.text) + "' differs only in case from the name of the scope around it")
        .note(current_->span, "'" + std::string(current_->name) + "' is defined here");
    return true;
  }
  diagnostics_
      .error("redefinition", name.span, "'" + std::string(name.text) + "' is the name of the scope around it")
      .suggest("choose another name")
      .note(current_->span, "'" + std::string(current_->name) + "' is defined here");
  return false;
}

void NameTable::check_not_inherited(const Identifier& name) {
  if (current_->inherited.empty()) return;
  const Symbol* base = inherited_.member(*current_, lower_case(name.text));
  if (!base) return;
  diagnostics_
      .error("redefinition", name.span,
             "'" + std::string(name.text) + "' is inherited; it cannot be declared again")
      .suggest("choose another name")
      .note(base->span, "inherited from here");
}

// Whether a new declaration silently replaces an earlier one: a built-in one, or module CORBA, which is
// always declared, when a file that does not use it declares another `corba`.
bool NameTable::yields(const Symbol& earlier, const Identifier& name) const {
  if (!earlier.span.known()) return earlier.name != name.text && current_ == global_;
  const bool module = earlier.declaration && earlier.declaration->kind == ir::DeclKind::module;
  return is_builtin(earlier.span) && !is_builtin(name.span) && !earlier.from_use && !module;
}

void NameTable::report_redeclaration(const Symbol& earlier, const Identifier& name) {
  const std::string text(name.text), earlier_name(earlier.name);
  if (earlier.from_use) {
    const std::string used = earlier.declaration ? ir::scoped_name(earlier.declaration) : "::…";
    diagnostics_
        .error("redefinition", name.span,
               earlier_name == text
                   ? "'" + text +
                         "' cannot be defined here: the name was used in this scope before, with another "
                         "meaning"
                   : "'" + text + "' differs only in case from '" + earlier_name +
                         "', which is used in this scope")
        .suggest("choose another name, or write '" + used + "' where it is used")
        .note(earlier.span, "used here");
  } else if (earlier_name != text) {
    diagnostics_
        .error("case-collision", name.span, "'" + text + "' differs only in case from '" + earlier_name + "'")
        .suggest("IDL tells names apart by more than case; choose another name")
        .note(earlier.span, std::string(earlier.noun) + " '" + earlier_name + "' is declared here");
  } else {
    diagnostics_.error("redefinition", name.span, "'" + text + "' is already declared in this scope")
        .suggest("choose another name")
        .note(earlier.span, "as " + std::string(earlier.noun) + " here");
  }
}

}  // namespace orbweaver::idl
