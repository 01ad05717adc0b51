#include <algorithm>

#include "idlc/parse/foreign_keywords.h"
#include "idlc/sema/checker.h"
#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {

using tree::Identifier;
using tree::ScopedName;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

namespace {

std::string written(const ScopedName& name) {
  std::string out = name.absolute ? "::" : "";
  for (std::size_t i = 0; i < name.parts.size(); ++i)
    out += (i ? "::" : "") + std::string(name.parts[i].text);
  return out;
}

}  // namespace

Scope* Checker::new_scope(Scope::Kind kind, Scope* outer, std::string_view name, Span span,
                          const ir::Declaration* owner) {
  scopes_.push_back(std::make_unique<Scope>());
  Scope* scope = scopes_.back().get();
  scope->kind = kind;
  scope->order = scopes_.size();
  scope->outer = outer;
  scope->name = name;
  scope->span = span;
  scope->owner = owner;
  if (owner) scope_of_[owner] = scope;
  return scope;
}

// Releases symbols at the end of a scope's definition: uses of outer names no longer matter then, and members
// are looked up so rarely that restore_members() finds them again in the declaration.
void Checker::close(Scope& scope) {
  if (!diagnostics_.ok()) return;
  bool members = false;
  scope.symbols.erase_if([&](const Symbol& each) {
    const bool member = !each.use && each.declaration == nullptr;
    members = members || member;
    return member || each.use;
  });
  scope.members_dropped = members;
}

void Checker::restore_members(Scope& scope) {
  if (!scope.members_dropped) return;
  scope.members_dropped = false;
  const auto restore = [&](std::string_view name, Span span, const char* noun) {
    Symbol symbol;
    symbol.name = name;
    symbol.span = span;
    symbol.noun = noun;
    if (!name.empty()) scope.symbols.add(symbol);
  };
  const ir::Declaration& owner = *scope.owner;
  if (owner.kind == ir::DeclKind::struct_) {
    for (const ir::Field& each : ir::as<ir::Struct>(owner).fields) restore(each.name, each.span, "member");
  } else if (owner.kind == ir::DeclKind::exception) {
    for (const ir::Field& each : ir::as<ir::Exception>(owner).fields) restore(each.name, each.span, "member");
  } else if (owner.kind == ir::DeclKind::union_) {
    for (const ir::UnionCase& each : ir::as<ir::Union>(owner).cases)
      restore(each.field.name, each.field.span, "member");
  } else if (owner.kind == ir::DeclKind::bitset) {
    for (const ir::Bitfield& each : ir::as<ir::Bitset>(owner).fields)
      restore(each.name, each.span, "bit field");
  }
}

Symbol* Checker::declare(const Identifier& name, Symbol symbol) {
  symbol.name = name.text;
  symbol.span = name.span;
  // CORBA 3.3 part 1, 7.20.2: a scope's own name may not be redefined directly inside it.
  bool own_name = scope_->kind != Scope::Kind::global && scope_->kind != Scope::Kind::operation &&
                  same_name(scope_->name, name.text);
  // Exception: the OMG's Security module has `struct Right { … string right; }`.
  bool published = id_path_.starts_with("omg.org/") && scope_->kind == Scope::Kind::constructed &&
                   scope_->name != name.text;
  if (own_name && published) {
    diagnostics_
        .warning("scope-name", name.span,
                 "'" + std::string(name.text) + "' differs only in case from the name of the scope around it")
        .note(scope_->span, "'" + std::string(scope_->name) + "' is defined here");
  } else if (own_name) {
    diagnostics_
        .error("redefinition", name.span,
               "'" + std::string(name.text) + "' is the name of the scope around it")
        .suggest("choose another name")
        .note(scope_->span, "'" + std::string(scope_->name) + "' is defined here");
    return nullptr;
  }
  const Symbol* base = scope_->inherited.empty() ? nullptr : inherited_member(*scope_, lower_case(name.text));
  if (base) {
    diagnostics_
        .error("redefinition", name.span,
               "'" + std::string(name.text) + "' is inherited; it cannot be declared again")
        .suggest("choose another name")
        .note(base->span, "inherited from here");
  }
  const auto [at, fresh] = scope_->symbols.add(symbol);
  Symbol& earlier = *at;
  if (fresh) return &earlier;
  if (is_builtin(name.span) && !is_builtin(earlier.span)) return nullptr;
  // Module CORBA is always declared; a file that does not use it may declare another `corba`.
  bool unasked = !earlier.span.known() && earlier.name != name.text && scope_ == global_;
  bool module = earlier.declaration && earlier.declaration->kind == ir::DeclKind::module;
  bool yields = is_builtin(earlier.span) && !is_builtin(name.span) && !earlier.use && !module;
  if (unasked || yields) {
    earlier = symbol;
    return &earlier;
  }
  std::string text(name.text);
  if (earlier.broken || symbol.broken) {
    earlier.broken = true;
    return nullptr;
  }
  if (earlier.use) {
    diagnostics_
        .error("redefinition", name.span,
               "'" + text + "' cannot be defined here: the name " +
                   (earlier.name == name.text ? "" : "'" + std::string(earlier.name) + "' ") +
                   "was used in this scope before, with another meaning")
        .suggest("choose another name, or write the earlier use with its scope ('::…')")
        .note(earlier.span, "used here");
  } else if (earlier.name != name.text) {
    diagnostics_
        .error("case-collision", name.span,
               "'" + text + "' differs only in case from '" + std::string(earlier.name) + "'")
        .suggest("IDL tells names apart by more than case; choose another name")
        .note(earlier.span,
              std::string(earlier.noun) + " '" + std::string(earlier.name) + "' is declared here");
  } else {
    diagnostics_.error("redefinition", name.span, "'" + text + "' is already declared in this scope")
        .suggest("choose another name")
        .note(earlier.span, "as " + std::string(earlier.noun) + " here");
  }
  return nullptr;
}

Symbol* Checker::find_own(Scope& scope, std::string_view name) {
  restore_members(scope);
  Symbol* found = scope.symbols.find(name);
  return found && !found->use ? found : nullptr;
}

Checker::LookupResult Checker::find_here(Scope& scope, std::string_view name) {
  LookupResult found;
  restore_members(scope);
  if (Symbol* own = scope.symbols.find(name); own && !own->use) {
    if (own->name == name)
      found.symbol = own;
    else
      found.differs_in_case = own;
    return found;
  }
  if (!scope.inherited.empty()) find_inherited(scope, lower_case(name), name, found);
  return found;
}

Symbol* Checker::resolve(const ScopedName& name) {
  LookupResult found;
  Scope* where = name.absolute ? global_ : scope_;
  for (; where; where = name.absolute ? nullptr : where->outer) {
    found = find_here(*where, name.parts[0].text);
    if (found.symbol || found.differs_in_case) break;
  }
  for (std::size_t i = 0;; ++i) {
    const Identifier& part = name.parts[i];
    if (!found.symbol) {
      if (found.differs_in_case) {
        diagnostics_
            .error("case-collision", part.span,
                   "'" + std::string(part.text) + "' is spelled '" +
                       std::string(found.differs_in_case->name) + "' where it is declared")
            .suggest("write '" + std::string(found.differs_in_case->name) + "'")
            .note(found.differs_in_case->span, "declared here");
      } else {
        undeclared(name, i, i == 0 ? nullptr : where);
      }
      return nullptr;
    }
    if (found.ambiguous_with) {
      diagnostics_
          .error("ambiguous", part.span, "'" + std::string(part.text) + "' is inherited from two interfaces")
          .suggest("write it with the interface's name: 'Interface::" + std::string(part.text) + "'")
          .note(found.symbol->span, "one is declared here")
          .note(found.ambiguous_with->span, "the other here");
      return nullptr;
    }
    if (i == 0 && !name.absolute) note_use(part, *found.symbol, where);
    if (i + 1 == name.parts.size() || found.symbol->broken) return found.symbol;
    where = found.symbol->inner;
    if (!where) {
      diagnostics_
          .error("not-a-scope", part.span,
                 "'" + std::string(part.text) + "' is " +
                     (found.symbol->forward ? "only declared ahead; its members are not known yet"
                                            : "no module, interface or type that holds names"))
          .note(found.symbol->span, "declared here");
      return nullptr;
    }
    found = find_here(*where, name.parts[i + 1].text);
  }
}

// Records the use of a name from an enclosing scope: in an interface or a type it may not be redefined after
// that (CORBA 3.3 part 1, 7.20.3). In a module only direct uses count.
void Checker::note_use(const Identifier& name, const Symbol& symbol, const Scope* found_in) {
  for (Scope* at = scope_; at && at != found_in; at = at->outer) {
    bool module = at->kind == Scope::Kind::module || at->kind == Scope::Kind::global;
    if (module && at != scope_) return;
    Symbol use = symbol;
    use.use = true;
    use.span = name.span;
    at->symbols.add(use);
  }
}

std::string Checker::suggest(std::string_view name, const Scope* where, bool outward) const {
  std::string_view best;
  std::size_t max_edits = max_typo_distance(name);
  if (max_edits == 0) return "";
  for (const Scope* at = where; at; at = outward ? at->outer : nullptr) {
    for (const Symbol& symbol : at->symbols) {
      if (symbol.use || !symbol.declaration || symbol.name[0] == '@') continue;
      std::size_t edits = edit_distance(name, symbol.name, max_edits);
      if (edits > max_edits || (!best.empty() && edits == max_edits && symbol.name > best)) continue;
      if (edits < max_edits || best.empty() || symbol.name < best) best = symbol.name;
      if (edits < max_edits) max_edits = edits;
    }
  }
  return best.empty() ? "" : "did you mean '" + std::string(best) + "'?";
}

void Checker::undeclared(const ScopedName& name, std::size_t part, const Scope* where) {
  const Identifier& missing = name.parts[part];
  // An include that was not found or a definition that could not be parsed may be the cause, already
  // reported.
  if (names_lost() || diagnostics_.too_many_errors()) return;
  // Each undeclared name is reported once.
  if (!reported_undeclared_.insert(std::string(where ? where->name : "") + "::" + std::string(missing.text))
           .second)
    return;
  std::string_view foreign =
      part == 0 && !name.absolute ? suggestion_for_foreign_type(missing.text) : std::string_view();
  std::string message = where
                            ? "'" + std::string(where->name) + "' has no '" + std::string(missing.text) + "'"
                            : "'" + std::string(missing.text) + "' is not declared";
  std::string help = where ? suggest(missing.text, where, false) : suggest(missing.text, scope_, true);
  if (!foreign.empty()) {
    message = "IDL has no " + std::string(missing.text == "std" ? "namespace" : "type") + " '" +
              std::string(missing.text) + "'";
    help = foreign;
  }
  if (help.empty() && !where && name.parts.size() == 1) {
    if (std::string_view word = nearest_keyword(missing.text, KeywordPosition::type); !word.empty())
      help = "did you mean '" + std::string(word) + "'?";
  }
  if (help.empty() && !where) {
    help = name.parts.size() > 1 ? "include the IDL file that declares '" + written(name) + "'"
                                 : "declare it first, or include the file that does";
  }
  diagnostics_.error("undeclared-name", missing.span, message)
      .suggest(help)
      .note(where ? where->span : Span{}, "declared here");
}

ir::Declaration* Checker::resolve_as(const ScopedName& name, ir::DeclKind kind, std::string_view wanted) {
  Symbol* symbol = resolve(name);
  if (!symbol || symbol->broken) return nullptr;
  ir::Declaration* declaration = symbol->declaration;
  // A typedef of an interface or struct is accepted as a name of it.
  while (declaration && declaration->kind != kind && declaration->kind == ir::DeclKind::typedef_) {
    const ir::Declaration* aliased = ir::declared(*static_cast<ir::Typedef*>(declaration)->type);
    if (!aliased) break;
    declaration = const_cast<ir::Declaration*>(aliased);
  }
  if (declaration && declaration->kind == kind) return declaration;
  diagnostics_.error("wrong-kind", name.span, "'" + written(name) + "' is not " + std::string(wanted))
      .note(symbol->span,
            declaration ? "it is " + ir::noun_with_article(symbol->declaration->kind) + ", declared here"
                        : "it is declared here, as a " + std::string(symbol->noun));
  return nullptr;
}

}  // namespace orbweaver::idl
