// What a scope inherits, found without walking all of its bases: interfaces may inherit through thousands of others.
//
// The names of a scope are entered in `inheritable_` when it first becomes a base; by then it is closed. A name that is
// in no such scope is inherited by none. Otherwise either the scopes that declare it are tried, if they are few, or the
// bases are walked, if these are. Whether one scope is a base of another is asked of the chain of first bases, in which
// each scope knows one far ancestor (a skip list), and of the further bases of those in the chain that have several.
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

// Operations, attributes and state may not be declared again, nor meet another of their name, in what inherits them
// (CORBA 3.3 part 1, 7.8.2 and 7.9.5); neither may members of structs and fields of bitsets. Types and constants may.
bool stays_unique(const Symbol& symbol) {
  if (symbol.use) return false;
  if (!symbol.declaration) return true;
  switch (symbol.declaration->kind) {
    case ir::DeclKind::operation:
    case ir::DeclKind::attribute:
    case ir::DeclKind::state_member:
    case ir::DeclKind::port:
      return true;
    case ir::DeclKind::factory:  // those of a value type are not inherited
    case ir::DeclKind::finder:
      return symbol.declaration->parent && symbol.declaration->parent->kind == ir::DeclKind::home;
    default:
      return false;
  }
}

}  // namespace

void Checker::add_base(Scope& scope, Scope& base) {
  if (base.uses++ == 0) {
    restore_members(base);
    for (const Symbol& symbol : base.symbols) {
      if (!symbol.use) inheritable_[lower_case(symbol.name)].push_back(&base);
    }
  }
  scope.inherited.push_back(&base);
  scope.ancestors = std::min<std::size_t>(scope.ancestors + base.ancestors + 1, std::size_t{1} << 32);
  if (scope.inherited.size() > 1) {
    scope.several = &scope;
    return;
  }
  // The skip list of Myers: far ancestors reach back twice as far as those of two ancestors together do.
  const bool doubles = base.far && base.far->far && base.depth - base.far->depth == base.far->depth - base.far->far->depth;
  scope.depth = base.depth + 1;
  scope.far = doubles ? base.far->far : &base;
  scope.several = base.several;
}

// Nothing that was there before `base` inherits from it.
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

void Checker::find_inherited(Scope& scope, const std::string& lower, std::string_view name, Found& found) {
  const auto declared = inheritable_.find(lower);
  if (declared == inheritable_.end()) return;
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
  // Nearest first: a name hides those behind it.
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
  const auto declared = inheritable_.find(key);
  if (declared == inheritable_.end()) return nullptr;
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

// Everything that `scope` inherits from, each once.
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

// One base cannot clash with itself; of several, all but the largest are compared with what the others have.
void Checker::inherited_clashes(const ir::Declaration& made, const Scope& scope) {
  if (scope.inherited.size() < 2) return;
  const Scope* largest = *std::max_element(scope.inherited.begin(), scope.inherited.end(),
                                           [](const Scope* a, const Scope* b) { return a->ancestors < b->ancestors; });
  std::map<std::string, const Symbol*> names;
  std::unordered_set<const Scope*> done;
  const auto clash = [&](const Symbol& one, const Symbol& other) {
    const bool ordered = one.span.offset < other.span.offset;
    const Symbol &first = ordered ? one : other, &second = ordered ? other : one;
    const char* noun = made.kind == ir::DeclKind::value       ? "members"
                       : made.kind == ir::DeclKind::interface ? "operations or attributes"
                                                              : "things";
    diagnostics_
        .error("ambiguous", made.span,
               "'" + made.name + "' inherits two " + noun + " named '" + std::string(second.name) + "'")
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
      // What the largest inherits it inherits with all of its bases. (What only one scope names as its base
      // is not among them.)
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
