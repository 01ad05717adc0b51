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

/// Names that differ in case only are the same to IDL.
inline bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

/// What a name stands for in one scope.
struct Symbol {
  std::string_view name;  // as it was first written; in the Sources or the Unit
  Span span;
  ir::Declaration* declaration = nullptr;  // null: a member, a parameter, or something that went wrong
  Scope* inner = nullptr;                  // what it holds names for, where it does
  const ir::Type* type = nullptr;          // of a template's parameter: the type that it means
  const char* noun = "declaration";
  bool use = false;      // the name came in from an outer scope by being used here
  bool forward = false;  // only declared ahead so far
  bool broken = false;   // an error was reported for it: uses stay quiet
};

/// Symbols by their names, of which those that differ in case only are one. A symbol stays where it is.
class SymbolTable {
 public:
  Symbol* find(std::string_view name) {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &const_cast<Symbol&>(*found);
  }
  const Symbol* find(std::string_view name) const { return const_cast<SymbolTable*>(this)->find(name); }
  /// Adds it, unless there is one of its name; that one, or the new one, and whether it is new.
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

/// A scope of names. Plain; the rules are in lookup.cpp.
struct Scope {
  enum class Kind { global, module, interface, value, constructed, operation };
  Kind kind = Kind::global;
  Scope* outer = nullptr;
  std::string_view name;  // of what it belongs to
  Span span;
  const ir::Declaration* owner = nullptr;           // null: global
  std::vector<Scope*> inherited;                    // of what has bases
  std::size_t ancestors = 0;                        // inherited, and theirs; those met twice count twice
  // For inheritance.cpp: in the chain of first bases, …
  std::size_t depth = 0;           // how many there are,
  const Scope* far = nullptr;      // one some way back,
  const Scope* several = nullptr;  // the nearest, from this scope on, that has several bases
  std::size_t uses = 0;            // how often it is named as a base
  std::size_t order = 0;           // later than its bases
  SymbolTable symbols;
  bool members_dropped = false;  // see Checker::close()
};

}  // namespace orbweaver::idl
