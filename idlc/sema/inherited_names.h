#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "idlc/sema/scope.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// Looks up inherited names without walking all bases of a scope: an interface may have thousands of
/// ancestors.
///
/// When a scope (closed by then) first becomes a base, its names are entered in a table. A name that is not
/// in this table is inherited by no scope. Otherwise the shorter list is searched: the scopes that declare
/// the name, or the bases of the scope. Whether one scope is a base of another is decided from the chain of
/// first bases, in which each scope points to one distant ancestor (a skip list), and from the further bases
/// of those scopes in the chain that have several bases.
///
/// The work is proportional to the text for chains and for interfaces that name all their bases. In other
/// graphs it may grow faster; beyond kMaxSteps in a file it ends with an error.
class InheritedNames {
 public:
  explicit InheritedNames(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Makes `base` a direct base of `scope`.
  void add_base(Scope& scope, Scope& base);

  /// Looks up a name in the bases of `scope` and sets `found`; leaves it unchanged if no base declares it.
  void find(const Scope& scope, std::string_view name, LookupResult& found);

  /// The inherited symbol with this (lower-case) name that `scope` may not redeclare; null if there is none.
  /// `except` is a scope known not to be a base of it.
  const Symbol* member(const Scope& scope, const std::string& lower_case_name, const Scope* except = nullptr);

  /// Reports names that `decl`, which owns `scope`, inherits from two bases.
  void report_clashes(const ir::Declaration& decl, const Scope& scope);

  /// The bases and names that may be visited for all scopes of a file.
  static constexpr std::uint64_t kMaxSteps = 10'000'000;

 private:
  friend class NameClashes;

  bool inherits(const Scope& scope, const Scope& base);
  bool is_direct_base(const Scope& scope, const Scope& base);
  bool side_bases_reach(const Scope* scope, const Scope& base, std::unordered_set<const Scope*>& seen,
                        std::vector<const Scope*>& open);
  std::vector<const Scope*> bases_of(const Scope& scope);
  void search_bases(const Scope& scope, std::string_view name, LookupResult& found);
  bool may_visit(const Scope& scope);

  Diagnostics& diagnostics_;
  std::uint64_t steps_ = 0;
  std::unordered_map<std::string, std::vector<Scope*>> bases_by_name_;  // by lower-case name: its declarers
  std::unordered_map<const Scope*, std::vector<const Scope*>> sorted_bases_;  // of scopes with many bases
};

}  // namespace orbweaver::idl
