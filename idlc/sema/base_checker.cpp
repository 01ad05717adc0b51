#include "idlc/sema/base_checker.h"

namespace orbweaver::idl {

ir::Interface* BaseChecker::supported_interface(const tree::ScopedName& name) {
  auto* found = static_cast<ir::Interface*>(names_.resolve_as(name, ir::DeclKind::interface, "an interface"));
  if (!found || found->defined) return found;
  report_undefined(*found, "interface", name.span);
  return nullptr;
}

std::vector<const ir::Interface*> BaseChecker::supported_interfaces(
    const std::vector<tree::ScopedName>& names, Scope& scope) {
  std::vector<const ir::Interface*> out;
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    const ir::Interface* supported = supported_interface(name);
    if (!supported) continue;
    if (!known.insert(supported).second) {
      report_repeated(*supported, "", name.span);
      continue;
    }
    out.push_back(supported);
    names_.add_base(scope, *supported);
  }
  return out;
}

void BaseChecker::report_own_base(const ir::Declaration& decl, Span span) {
  diagnostics_.error("incomplete-type", span,
                     ir::noun_with_article(decl.kind) + " cannot inherit from itself");
}

void BaseChecker::report_undefined(const ir::Declaration& decl, const std::string& noun, Span span) {
  diagnostics_.error("incomplete-type", span, "the " + noun + " '" + decl.name + "' is not defined yet")
      .suggest("define it before this line")
      .note(decl.span, "forward-declared here");
}

void BaseChecker::report_repeated(const ir::Declaration& decl, const std::string& role, Span span) {
  diagnostics_.error("duplicate-base", span, "'" + decl.name + "' is named twice" + role)
      .suggest("remove one");
}

}  // namespace orbweaver::idl
