#include "idlc/sema/inherited_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_set>

namespace orbweaver::idl {

namespace {

bool in_first_chain(const Scope* scope, const Scope* base) {
  while (scope && scope->depth > base->depth) {
    const bool skip = scope->skip_ancestor && scope->skip_ancestor->depth >= base->depth;
    scope = skip ? scope->skip_ancestor : scope->inherited[0];
  }
  return scope == base;
}

// Whether a derived scope may neither redeclare the symbol nor inherit another one of its name. True for
// operations, attributes and state members (CORBA 3.3 part 1, 7.8.2 and 7.9.5), struct members and bitset
// fields; false for types and constants.
bool stays_unique(const Symbol& symbol) {
  if (symbol.from_use) return false;
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

// Counts one step for `scope`. Returns whether it is within the limit; the first beyond it is reported.
bool InheritedNames::may_visit(const Scope& scope) {
  if (steps_ > kMaxSteps) return false;
  if (++steps_ <= kMaxSteps) return true;
  diagnostics_
      .error("too-large", scope.span,
             "the bases of '" + std::string(scope.name) +
                 "' and of the definitions before it take more than " + std::to_string(kMaxSteps) +
                 " steps to check")
      .suggest("inherit from fewer of them, or put them into several files");
  return false;
}

bool InheritedNames::is_direct_base(const Scope& scope, const Scope& base) {
  constexpr std::size_t kFew = 8;
  if (scope.inherited.size() <= kFew)
    return std::find(scope.inherited.begin(), scope.inherited.end(), &base) != scope.inherited.end();
  std::vector<const Scope*>& sorted = sorted_bases_[&scope];
  if (sorted.size() != scope.inherited.size()) {
    sorted.assign(scope.inherited.begin(), scope.inherited.end());
    std::sort(sorted.begin(), sorted.end(), std::less<>());
  }
  return std::binary_search(sorted.begin(), sorted.end(), &base, std::less<>());
}

// Adds the further bases of the scopes in the chain that begins with `scope` to `open`, if they have several
// bases themselves. Returns whether one of them is `base` or has it in its chain of first bases.
bool InheritedNames::side_bases_reach(const Scope* scope, const Scope& base,
                                      std::unordered_set<const Scope*>& seen,
                                      std::vector<const Scope*>& open) {
  for (const Scope* at = scope->multiple_bases; at && at->order > base.order && seen.insert(at).second;
       at = at->inherited[0]->multiple_bases) {
    if (is_direct_base(*at, base)) return true;
    for (std::size_t i = 1; i < at->inherited.size(); ++i) {
      if (!may_visit(*scope)) return false;
      if (in_first_chain(at->inherited[i], &base)) return true;
      if (at->inherited[i]->multiple_bases) open.push_back(at->inherited[i]);
    }
  }
  return false;
}

// Whether `base` is a direct or indirect base of `scope`. A scope of lower `order` than `base` cannot inherit
// from it.
bool InheritedNames::inherits(const Scope& scope, const Scope& base) {
  std::vector<const Scope*> open{&scope};
  std::unordered_set<const Scope*> seen;
  while (!open.empty() && may_visit(scope)) {
    const Scope* each = open.back();
    open.pop_back();
    if (each->order < base.order) continue;
    if (each == &base ? each != &scope : in_first_chain(each, &base)) return true;
    if (side_bases_reach(each, base, seen, open)) return true;
  }
  return false;
}

// All direct and indirect bases of `scope`, each once.
std::vector<const Scope*> InheritedNames::bases_of(const Scope& scope) {
  std::vector<const Scope*> out(scope.inherited.begin(), scope.inherited.end());
  std::unordered_set<const Scope*> seen(out.begin(), out.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Scope* base : out[i]->inherited) {
      if (!may_visit(scope)) return out;
      if (seen.insert(base).second) out.push_back(base);
    }
  }
  return out;
}

void InheritedNames::add_base(Scope& scope, Scope& base) {
  if (base.times_used_as_base++ == 0) {
    restore_members(base);
    for (const Symbol& symbol : base.symbols) {
      if (!symbol.from_use) bases_by_name_[lower_case(symbol.name)].push_back(&base);
    }
  }
  scope.inherited.push_back(&base);
  scope.ancestors = std::min<std::size_t>(scope.ancestors + base.ancestors + 1, std::size_t{1} << 32);
  if (scope.inherited.size() > 1) {
    scope.multiple_bases = &scope;
    return;
  }
  // Myers' skip list: if the last two jumps have the same length, the new one spans both and this step.
  const Scope* skip = base.skip_ancestor;
  const bool doubles =
      skip && skip->skip_ancestor && base.depth - skip->depth == skip->depth - skip->skip_ancestor->depth;
  scope.depth = base.depth + 1;
  scope.skip_ancestor = doubles ? skip->skip_ancestor : &base;
  scope.multiple_bases = base.multiple_bases;
}

namespace {

// Adds a symbol that a name refers to; the second one makes the name ambiguous.
void add_found(Symbol& symbol, std::string_view name, LookupResult& found) {
  if (symbol.name != name)
    found.differs_in_case = &symbol;
  else if (found.symbol && found.symbol != &symbol)
    found.ambiguous_with = &symbol;
  else
    found.symbol = &symbol;
}

const Symbol* unique_member(const Scope& scope, std::string_view name) {
  const Symbol* found = scope.symbols.find(name);
  return found && stays_unique(*found) ? found : nullptr;
}

}  // namespace

// Searches the bases of `scope`, nearest first: a name hides those that its scope inherits.
void InheritedNames::search_bases(const Scope& scope, std::string_view name, LookupResult& found) {
  std::vector<Scope*> open(scope.inherited.rbegin(), scope.inherited.rend());
  std::unordered_set<const Scope*> seen;
  while (!open.empty() && may_visit(scope)) {
    Scope* base = open.back();
    open.pop_back();
    if (!seen.insert(base).second) continue;
    Symbol* own = base->symbols.find(name);
    if (!own || own->from_use)
      open.insert(open.end(), base->inherited.rbegin(), base->inherited.rend());
    else
      add_found(*own, name, found);
  }
}

void InheritedNames::find(const Scope& scope, std::string_view name, LookupResult& found) {
  if (scope.inherited.empty()) return;
  const auto declared = bases_by_name_.find(lower_case(name));
  if (declared == bases_by_name_.end()) return;
  if (declared->second.size() < scope.ancestors) {
    std::vector<Scope*> bases;
    for (Scope* each : declared->second) {
      if (inherits(scope, *each)) bases.push_back(each);
    }
    if (bases.empty()) return;
    if (bases.size() == 1) return add_found(*bases[0]->symbols.find(name), name, found);
  }
  search_bases(scope, name, found);
}

const Symbol* InheritedNames::member(const Scope& scope, const std::string& lower_case_name,
                                     const Scope* except) {
  if (scope.inherited.empty()) return nullptr;
  const auto declared = bases_by_name_.find(lower_case_name);
  if (declared == bases_by_name_.end()) return nullptr;
  if (declared->second.size() < scope.ancestors) {
    for (const Scope* each : declared->second) {
      const Symbol* found = each == except ? nullptr : unique_member(*each, lower_case_name);
      if (found && inherits(scope, *each)) return found;
    }
    return nullptr;
  }
  for (const Scope* each : bases_of(scope)) {
    if (const Symbol* found = unique_member(*each, lower_case_name)) return found;
  }
  return nullptr;
}

// Compares each base of a scope, except the largest, with the others. Of several that have as many ancestors
// (the number saturates), the latest may have the others as bases.
class NameClashes {
 public:
  NameClashes(InheritedNames& inherited, const ir::Declaration& decl, const Scope& scope)
      : inherited_(inherited), decl_(decl), scope_(scope), diagnostics_(inherited.diagnostics_),
        largest_(**std::max_element(scope.inherited.begin(), scope.inherited.end(), [](auto* a, auto* b) {
          return std::tie(a->ancestors, a->order) < std::tie(b->ancestors, b->order);
        })) {}

  void report() {
    for (const Scope* base : scope_.inherited) {
      if (base != &largest_) compare_with_bases(*base);
    }
  }

 private:
  // Compares `base` and its own bases with what was compared before, and with the largest base.
  void compare_with_bases(const Scope& base) {
    std::vector<const Scope*> open{&base};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Scope* each = open[i];
      if (!inherited_.may_visit(scope_)) return;
      if (!done_.insert(each).second || each == &largest_) continue;
      // A base that the largest base inherits too cannot clash with it. (It is then named as a base by more
      // than one scope.)
      if (each->times_used_as_base > 1 && inherited_.inherits(largest_, *each)) continue;
      open.insert(open.end(), each->inherited.begin(), each->inherited.end());
      for (const Symbol& symbol : each->symbols) {
        if (inherited_.may_visit(scope_) && stays_unique(symbol)) compare(symbol, *each);
      }
    }
  }

  void compare(const Symbol& symbol, const Scope& declared_in) {
    const std::string key = lower_case(symbol.name);
    const auto [earlier, fresh] = names_.emplace(key, &symbol);
    const Symbol* other = fresh ? unique_member(largest_, key) : earlier->second;
    if (!other) other = inherited_.member(largest_, key, &declared_in);
    if (other && other != &symbol) report_clash(*other, symbol);
  }

  void report_clash(const Symbol& one, const Symbol& other) {
    const bool ordered = one.span.offset < other.span.offset;
    const Symbol &first = ordered ? one : other, &second = ordered ? other : one;
    const char* noun = decl_.kind == ir::DeclKind::value       ? "members"
                       : decl_.kind == ir::DeclKind::interface ? "operations or attributes"
                                                               : "things";
    diagnostics_
        .error("ambiguous", decl_.span,
               "'" + decl_.name + "' inherits two " + noun + " named '" + std::string(second.name) + "'")
        .suggest("rename one of them")
        .note(first.span, "one is declared here")
        .note(second.span, "the other here");
  }

  InheritedNames& inherited_;
  const ir::Declaration& decl_;
  const Scope& scope_;
  Diagnostics& diagnostics_;
  const Scope& largest_;
  std::map<std::string, const Symbol*> names_;
  std::unordered_set<const Scope*> done_;
};

// With one base there is nothing to compare.
void InheritedNames::report_clashes(const ir::Declaration& decl, const Scope& scope) {
  if (scope.inherited.size() < 2) return;
  NameClashes(*this, decl, scope).report();
}

}  // namespace orbweaver::idl
