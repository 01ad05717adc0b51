#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"

namespace orbweaver::idl {

struct Scope;

/// What a name stands for in one scope.
struct Symbol {
  std::string_view name;  // as it was first written; names that differ only in case collide
  Span span;
  ir::Declaration* declaration = nullptr;  // null: a member, a parameter, or something that went wrong
  Scope* inner = nullptr;                  // what it holds names for, where it does
  const ir::Type* type = nullptr;          // of a template's parameter: the type that it means
  std::string_view noun = "declaration";
  bool use = false;      // the name came in from an outer scope by being used here
  bool forward = false;  // only declared ahead so far
  bool broken = false;   // an error was reported for it: uses stay quiet
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
  std::unordered_map<std::string, Symbol> symbols;  // by lower-case name
};

std::string lower_case(std::string_view text);

}  // namespace orbweaver::idl
