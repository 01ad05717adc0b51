#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/parse/tree.h"
#include "idlc/sema/name_table.h"

namespace orbweaver::idl {

/// Checks the names of bases and of supported interfaces. Each function reports a name that is not the name
/// of a defined declaration of the right kind.
class BaseChecker {
 public:
  BaseChecker(NameTable& names, Diagnostics& diagnostics) : names_(names), diagnostics_(diagnostics) {}

  /// The base of `derived` that a name refers to, which has the same kind; null if it cannot be a base.
  template <typename T>
  T* base(const tree::ScopedName& name, const T& derived) {
    T* found = static_cast<T*>(names_.resolve_as(name, derived.kind, ir::noun_with_article(derived.kind)));
    if (found == &derived) {
      report_own_base(derived, name.span);
      return nullptr;
    }
    if constexpr (requires { found->defined; }) {
      if (found && !found->defined) {
        report_undefined(*found, "base " + std::string(ir::noun(found->kind)), name.span);
        return nullptr;
      }
    }
    return found;
  }

  /// Calls `use(base, name, first)` for each base of `derived`, where `first` is true for the first name of
  /// the list. Then makes the base one of `scope`.
  template <typename T, typename Use>
  void bases(const std::vector<tree::ScopedName>& names, const T& derived, Scope& scope, Use&& use) {
    std::unordered_set<const ir::Declaration*> known;
    for (const tree::ScopedName& name : names) {
      T* found = base(name, derived);
      if (!found) continue;
      if (!known.insert(found).second) {
        report_repeated(*found, " as a base", name.span);
        continue;
      }
      use(*found, name, &name == &names[0]);
      names_.add_base(scope, *found);
    }
  }

  /// The interface that a value type, component or home supports; null if it is not defined.
  ir::Interface* supported_interface(const tree::ScopedName& name);
  /// The interfaces that a component or home supports, each once. They become bases of `scope`.
  std::vector<const ir::Interface*> supported_interfaces(const std::vector<tree::ScopedName>& names,
                                                         Scope& scope);

 private:
  void report_own_base(const ir::Declaration& decl, Span span);
  void report_undefined(const ir::Declaration& decl, const std::string& noun, Span span);
  void report_repeated(const ir::Declaration& decl, const std::string& role, Span span);

  NameTable& names_;
  Diagnostics& diagnostics_;
};

}  // namespace orbweaver::idl
