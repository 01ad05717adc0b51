#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"

namespace orbweaver::idl {

struct Scope;

inline char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lower_case(std::string_view text);

/// Whether two names are equal apart from case; IDL treats such names as the same.
inline bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

/// The meaning of a name in one scope.
struct Symbol {
  std::string_view name;  // in its first spelling; owned by the Sources or the Unit
  Span span;
  ir::Declaration* declaration = nullptr;  // null: a member, a parameter, or a declaration with an error
  Scope* inner = nullptr;                  // the scope that it opens, if any
  const ir::Type* type = nullptr;          // for a template parameter: the type bound to it
  const char* noun = "declaration";
  bool from_use = false;  // not declared here, but used here and declared in an outer scope
  bool forward = false;   // only forward-declared so far
  bool broken = false;    // an error was reported for it: errors in its uses are suppressed
};

/// Symbols by name, ignoring case. The address of a symbol does not change.
class SymbolTable {
 public:
  Symbol* find(std::string_view name) {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &const_cast<Symbol&>(*found);
  }
  const Symbol* find(std::string_view name) const { return const_cast<SymbolTable*>(this)->find(name); }
  /// Adds a symbol unless the table has one with its name. Returns the symbol in the table, and whether it is
  /// new.
  std::pair<Symbol*, bool> add(const Symbol& symbol) {
    const auto [at, fresh] = symbols_.insert(symbol);
    return {&const_cast<Symbol&>(*at), fresh};
  }
  template <typename Which>
  void erase_if(Which&& which) {
    std::erase_if(symbols_, which);
    if (symbols_.empty()) decltype(symbols_)().swap(symbols_);
  }
  auto begin() const { return symbols_.begin(); }
  auto end() const { return symbols_.end(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Symbol& symbol) const { return (*this)(symbol.name); }
    std::size_t operator()(std::string_view name) const {
      std::uint64_t hash = 14695981039346656037u;  // FNV-1a
      for (char c : name) hash = (hash ^ static_cast<unsigned char>(lower_case(c))) * 1099511628211u;
      return static_cast<std::size_t>(hash ^ (hash >> 32));
    }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Symbol& a, const Symbol& b) const { return same_name(a.name, b.name); }
    bool operator()(std::string_view a, const Symbol& b) const { return same_name(a, b.name); }
    bool operator()(const Symbol& a, std::string_view b) const { return same_name(a.name, b); }
  };
  std::unordered_set<Symbol, Hash, Same> symbols_;
};

/// A scope of names. Plain data; NameTable and InheritedNames have the rules.
struct Scope {
  enum class Kind { global, module, interface, value, constructed, operation };
  Kind kind = Kind::global;
  Scope* outer = nullptr;
  std::string_view name;  // of the declaration that opens it
  Span span;
  const ir::Declaration* owner = nullptr;  // null: global
  std::vector<Scope*> inherited;           // direct bases
  std::size_t ancestors = 0;               // number of inheritance paths to all bases; saturates
  // For InheritedNames. The chain of first bases is this scope, its first base, that one's first base, …
  std::size_t depth = 0;                 // length of the chain
  const Scope* skip_ancestor = nullptr;  // skip-list pointer to a scope further on in the chain
  // The first scope in the chain, this one included, that has several bases.
  const Scope* multiple_bases = nullptr;
  std::size_t times_used_as_base = 0;  // number of scopes that name this one as a direct base
  std::size_t order = 0;               // number by creation: greater than that of its bases
  SymbolTable symbols;
  bool members_dropped = false;  // see drop_members()
};

/// Releases the symbols that are hardly ever looked up after the end of the scope's definition: members, and
/// uses of names from outer scopes.
void drop_members(Scope& scope);
/// Adds the released members again, from the declaration that owns the scope.
void restore_members(Scope& scope);

/// The result of looking up one name in one scope.
struct LookupResult {
  Symbol* symbol = nullptr;                 // null: not found
  const Symbol* ambiguous_with = nullptr;   // another symbol of this name, inherited as well
  const Symbol* differs_in_case = nullptr;  // the symbol found differs in case, which is an error
};

}  // namespace orbweaver::idl
