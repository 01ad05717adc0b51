// Looks up inherited names without walking all bases of a scope: an interface may have thousands of
// ancestors.
//
// When a scope (closed by then) first becomes a base, its names are entered in
// `base_scopes_by_name_`. A name that is not in this table is inherited by no scope. Otherwise the shorter
// list is searched: the scopes that declare the name, or the bases of the scope. Whether one scope is a base
// of another is decided from the chain of first bases, in which each scope points to one distant ancestor (a
// skip list), and from the further bases of those scopes in the chain that have several bases.
#include <algorithm>
#include <unordered_set>

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

namespace {

bool in_first_chain(const Scope* scope, const Scope* base) {
  while (scope && scope->depth > base->depth) {
    const bool far = scope->far && scope->far->depth >= base->depth;
    scope = far ? scope->far : scope->inherited[0];
  }
  return scope == base;
}

// Whether a derived scope may neither redeclare the symbol nor inherit another one of its name. True for
// operations, attributes and state members (CORBA 3.3 part 1, 7.8.2 and 7.9.5), struct members and bitset
// fields; false for types and constants.
bool stays_unique(const Symbol& symbol) {
  if (symbol.use) return false;
  if (!symbol.declaration) return true;
  switch (symbol.declaration->kind) {
    case ir::DeclKind::operation:
    case ir::DeclKind::attribute:
    case ir::DeclKind::state_member:
    case ir::DeclKind::port: return true;
    case ir::DeclKind::factory:  // a value type's factories are not inherited
    case ir::DeclKind::finder:
      return symbol.declaration->parent && symbol.declaration->parent->kind == ir::DeclKind::home;
    default: return false;
  }
}

}  // namespace

void Checker::add_base(Scope& scope, Scope& base) {
  if (base.uses++ == 0) {
    restore_members(base);
    for (const Symbol& symbol : base.symbols) {
      if (!symbol.use) base_scopes_by_name_[lower_case(symbol.name)].push_back(&base);
    }
  }
  scope.inherited.push_back(&base);
  scope.ancestors = std::min<std::size_t>(scope.ancestors + base.ancestors + 1, std::size_t{1} << 32);
  if (scope.inherited.size() > 1) {
    scope.several = &scope;
    return;
  }
  // Myers' skip list: if the last two jumps have the same length, the new one spans both and this step.
  const bool doubles =
      base.far && base.far->far && base.depth - base.far->depth == base.far->depth - base.far->far->depth;
  scope.depth = base.depth + 1;
  scope.far = doubles ? base.far->far : &base;
  scope.several = base.several;
}

// Whether `base` is a direct or indirect base of `scope`. A scope of lower `order` than `base` cannot inherit
// from it.
bool Checker::inherits(const Scope& scope, const Scope& base) {
  std::vector<const Scope*> open{&scope};
  std::unordered_set<const Scope*> seen;
  while (!open.empty()) {
    const Scope* each = open.back();
    open.pop_back();
    if (each->order < base.order) continue;
    if (each != &scope && each == &base) return true;
    if (in_first_chain(each, &base) && each != &base) return true;
    for (const Scope* at = each->several; at && at->order > base.order && seen.insert(at).second;
         at = at->inherited[0]->several) {
      for (std::size_t i = 1; i < at->inherited.size(); ++i) {
        if (in_first_chain(at->inherited[i], &base)) return true;
        if (at->inherited[i]->several) open.push_back(at->inherited[i]);
      }
    }
  }
  return false;
}

void Checker::find_inherited(Scope& scope, const std::string& lower, std::string_view name,
                             LookupResult& found) {
  const auto declared = base_scopes_by_name_.find(lower);
  if (declared == base_scopes_by_name_.end()) return;
  const auto take = [&](Symbol& symbol) {
    if (symbol.name != name)
      found.differs_in_case = &symbol;
    else if (found.symbol && found.symbol != &symbol)
      found.ambiguous_with = &symbol;
    else
      found.symbol = &symbol;
  };
  if (declared->second.size() < scope.ancestors) {
    std::vector<Scope*> bases;
    for (Scope* each : declared->second) {
      if (inherits(scope, *each)) bases.push_back(each);
    }
    if (bases.empty()) return;
    if (bases.size() == 1) return take(*bases[0]->symbols.find(lower));
  }
  // Nearest bases first: a name hides those that its scope inherits.
  std::vector<Scope*> open(scope.inherited.rbegin(), scope.inherited.rend());
  std::unordered_set<const Scope*> seen;
  while (!open.empty()) {
    Scope* base = open.back();
    open.pop_back();
    if (!seen.insert(base).second) continue;
    Symbol* own = base->symbols.find(lower);
    if (!own || own->use)
      open.insert(open.end(), base->inherited.rbegin(), base->inherited.rend());
    else
      take(*own);
  }
}

const Symbol* Checker::inherited_member(const Scope& scope, const std::string& key, const Scope* except) {
  if (scope.inherited.empty()) return nullptr;
  const auto declared = base_scopes_by_name_.find(key);
  if (declared == base_scopes_by_name_.end()) return nullptr;
  const auto unique = [&](const Scope& base) -> const Symbol* {
    const Symbol* found = base.symbols.find(key);
    return found && stays_unique(*found) ? found : nullptr;
  };
  if (declared->second.size() < scope.ancestors) {
    for (const Scope* each : declared->second) {
      const Symbol* found = each == except ? nullptr : unique(*each);
      if (found && inherits(scope, *each)) return found;
    }
    return nullptr;
  }
  for (const Scope* each : bases_of(scope)) {
    if (const Symbol* found = unique(*each)) return found;
  }
  return nullptr;
}

// All direct and indirect bases of `scope`, each once.
std::vector<const Scope*> Checker::bases_of(const Scope& scope) {
  std::vector<const Scope*> out(scope.inherited.begin(), scope.inherited.end());
  std::unordered_set<const Scope*> seen(out.begin(), out.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Scope* base : out[i]->inherited) {
      if (seen.insert(base).second) out.push_back(base);
    }
  }
  return out;
}

// Reports names that are inherited from two bases. With one base there is nothing to compare; with several,
// each base except the largest is compared with the others.
void Checker::inherited_clashes(const ir::Declaration& decl, const Scope& scope) {
  if (scope.inherited.size() < 2) return;
  const Scope* largest =
      *std::max_element(scope.inherited.begin(), scope.inherited.end(),
                        [](const Scope* a, const Scope* b) { return a->ancestors < b->ancestors; });
  std::map<std::string, const Symbol*> names;
  std::unordered_set<const Scope*> done;
  const auto clash = [&](const Symbol& one, const Symbol& other) {
    const bool ordered = one.span.offset < other.span.offset;
    const Symbol &first = ordered ? one : other, &second = ordered ? other : one;
    const char* noun = decl.kind == ir::DeclKind::value       ? "members"
                       : decl.kind == ir::DeclKind::interface ? "operations or attributes"
                                                              : "things";
    diagnostics_
        .error("ambiguous", decl.span,
               "'" + decl.name + "' inherits two " + noun + " named '" + std::string(second.name) + "'")
        .suggest("rename one of them")
        .note(first.span, "one is declared here")
        .note(second.span, "the other here");
  };
  for (const Scope* base : scope.inherited) {
    if (base == largest) continue;
    std::vector<const Scope*> open{base};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Scope* each = open[i];
      if (!done.insert(each).second || each == largest) continue;
      // A base that the largest base inherits too cannot clash with it. (It is then named as a base by more
      // than one scope.)
      if (each->uses > 1 && inherits(*largest, *each)) continue;
      open.insert(open.end(), each->inherited.begin(), each->inherited.end());
      for (const Symbol& symbol : each->symbols) {
        if (!stays_unique(symbol)) continue;
        const std::string key = lower_case(symbol.name);
        const auto [earlier, fresh] = names.emplace(key, &symbol);
        const Symbol* same = largest->symbols.find(key);
        if (!fresh)
          clash(*earlier->second, symbol);
        else if (same && stays_unique(*same))
          clash(*same, symbol);
        else if (const Symbol* other = inherited_member(*largest, key, each); other && other != &symbol)
          clash(*other, symbol);
      }
    }
  }
}

}  // namespace orbweaver::idl
