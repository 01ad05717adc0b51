// The look-ups of NameTable, and their messages.
#include "idlc/parse/foreign_keywords.h"
#include "idlc/sema/name_table.h"
#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {

using tree::Identifier;
using tree::ScopedName;

namespace {

std::string written(const ScopedName& name) {
  std::string out = name.absolute ? "::" : "";
  for (std::size_t i = 0; i < name.parts.size(); ++i)
    out += (i ? "::" : "") + std::string(name.parts[i].text);
  return out;
}

// The declared name in `scope` that `name` is most likely a misspelling of, as a suggestion; empty if none is
// similar enough. `outward`: the enclosing scopes are searched too.
std::string suggestion_of_similar_name(std::string_view name, const Scope* scope, bool outward) {
  NearestName nearest(name);
  for (const Scope* at = scope; at; at = outward ? at->outer : nullptr) {
    for (const Symbol& symbol : at->symbols) {
      if (!symbol.from_use && symbol.declaration && symbol.name[0] != '@') nearest.offer(symbol.name);
    }
  }
  return nearest.best().empty() ? "" : "did you mean '" + std::string(nearest.best()) + "'?";
}

}  // namespace

Symbol* NameTable::find_own(Scope& scope, std::string_view name) {
  restore_members(scope);
  Symbol* found = scope.symbols.find(name);
  return found && !found->from_use ? found : nullptr;
}

LookupResult NameTable::find_in(Scope& scope, std::string_view name) {
  LookupResult found;
  if (Symbol* own = find_own(scope, name)) {
    if (own->name == name)
      found.symbol = own;
    else
      found.differs_in_case = own;
    return found;
  }
  inherited_.find(scope, name, found);
  return found;
}

const Symbol* NameTable::find(const ScopedName& name) {
  LookupResult found;
  for (Scope* at = name.absolute ? global_ : current_; at && !found.symbol; at = at->outer)
    found = find_in(*at, name.parts[0].text);
  for (std::size_t i = 1; i < name.parts.size() && found.symbol && found.symbol->inner; ++i)
    found = find_in(*found.symbol->inner, name.parts[i].text);
  return found.symbol;
}

const ir::AnnotationDeclaration* NameTable::annotation_named(std::string_view name) const {
  const std::string symbol_name = "@" + std::string(name);
  for (const Scope* at = current_; at; at = at->outer) {
    const Symbol* found = at->symbols.find(symbol_name);
    if (found && found->name == symbol_name)
      return static_cast<const ir::AnnotationDeclaration*>(found->declaration);
  }
  return nullptr;
}

Symbol* NameTable::resolve(const ScopedName& name) {
  Scope* where = nullptr;
  LookupResult found = find_first(name, where);
  for (std::size_t i = 0;; ++i) {
    const Identifier& part = name.parts[i];
    if (!found.symbol && !found.differs_in_case) {
      report_undeclared(name, i, i == 0 ? nullptr : where);
      return nullptr;
    }
    if (!check_found(found, part)) return nullptr;
    if (i == 0 && !name.absolute) note_use(part, *found.symbol, where);
    if (i + 1 == name.parts.size() || found.symbol->broken) return found.symbol;
    where = found.symbol->inner;
    if (!where) {
      diagnostics_
          .error("not-a-scope", part.span,
                 "'" + std::string(part.text) + "' is " +
                     (found.symbol->forward ? "only forward-declared; its members are not known yet"
                                            : "no module, interface or type that holds names"))
          .note(found.symbol->span, "declared here");
      return nullptr;
    }
    found = find_in(*where, name.parts[i + 1].text);
  }
}

// Looks up the first part of a name and sets the scope in which it is found.
LookupResult NameTable::find_first(const ScopedName& name, Scope*& found_in) {
  LookupResult found;
  for (found_in = name.absolute ? global_ : current_; found_in;
       found_in = name.absolute ? nullptr : found_in->outer) {
    found = find_in(*found_in, name.parts[0].text);
    if (found.symbol || found.differs_in_case) break;
  }
  return found;
}

// Reports a name that is spelled in another case, or ambiguous.
bool NameTable::check_found(const LookupResult& found, const Identifier& part) {
  const std::string text(part.text);
  if (!found.symbol) {
    const std::string declared(found.differs_in_case->name);
    diagnostics_
        .error("case-collision", part.span,
               "'" + text + "' is spelled '" + declared + "' where it is declared")
        .suggest("write '" + declared + "'")
        .note(found.differs_in_case->span, "declared here");
    return false;
  }
  if (!found.ambiguous_with) return true;
  diagnostics_.error("ambiguous", part.span, "'" + text + "' is inherited from two interfaces")
      .suggest("write it with the interface's name: 'Interface::" + text + "'")
      .note(found.symbol->span, "one is declared here")
      .note(found.ambiguous_with->span, "the other here");
  return false;
}

// Records the use of a name from an enclosing scope: in an interface or a type it may not be redefined after
// that (CORBA 3.3 part 1, 7.20.3). In a module only direct uses count.
void NameTable::note_use(const Identifier& name, const Symbol& symbol, const Scope* found_in) {
  for (Scope* at = current_; at && at != found_in; at = at->outer) {
    const bool module = at->kind == Scope::Kind::module || at->kind == Scope::Kind::global;
    if (module && at != current_) return;
    Symbol use = symbol;
    use.from_use = true;
    use.span = name.span;
    at->symbols.add(use);
  }
}

// Reports a part of a name that is not declared in `where`; null: in no enclosing scope. Each name is
// reported once, and none if an include that was not found or a definition that could not be parsed may be
// the cause.
void NameTable::report_undeclared(const ScopedName& name, std::size_t part, const Scope* where) {
  if (names_lost() || diagnostics_.too_many_errors()) return;
  const Identifier& missing = name.parts[part];
  const std::string text(missing.text), scope_name(where ? where->name : "");
  if (!reported_undeclared_.insert(scope_name + "::" + text).second) return;
  const std::string_view foreign =
      part == 0 && !name.absolute ? suggestion_for_foreign_type(missing.text) : std::string_view();
  if (!foreign.empty()) {
    diagnostics_
        .error("undeclared-name", missing.span,
               std::string("IDL has no ") + (text == "std" ? "namespace" : "type") + " '" + text + "'")
        .suggest(std::string(foreign));
    return;
  }
  diagnostics_
      .error("undeclared-name", missing.span,
             where ? "'" + scope_name + "' has no '" + text + "'" : "'" + text + "' is not declared")
      .suggest(suggestion_for_undeclared(name, part, where))
      .note(where ? where->span : Span{}, "declared here");
}

std::string NameTable::suggestion_for_undeclared(const ScopedName& name, std::size_t part,
                                                 const Scope* where) const {
  const std::string_view missing = name.parts[part].text;
  if (where) return suggestion_of_similar_name(missing, where, false);
  if (std::string help = suggestion_of_similar_name(missing, current_, true); !help.empty()) return help;
  if (name.parts.size() > 1) return "include the IDL file that declares '" + written(name) + "'";
  const std::string_view keyword = nearest_keyword(missing, KeywordPosition::type);
  return keyword.empty() ? "declare it first, or include the file that does"
                         : "did you mean '" + std::string(keyword) + "'?";
}

ir::Declaration* NameTable::resolve_as(const ScopedName& name, ir::DeclKind kind, std::string_view wanted) {
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
