#include "idlc/sema/local_types.h"

namespace orbweaver::idl {

namespace {

// Visits the declarations that a type names, directly or in its elements. The parser bounds the nesting of
// anonymous types.
template <typename Visit>
void each_named(const ir::Type& type, const Visit& visit) {
  if (type.key) each_named(*type.key, visit);
  if (type.element) return each_named(*type.element, visit);
  if (type.kind == ir::TypeKind::declared) visit(*type.declaration);
}

bool defined(const ir::Declaration& decl) {
  if (decl.kind == ir::DeclKind::struct_) return ir::as<ir::Struct>(decl).defined;
  if (decl.kind == ir::DeclKind::union_) return ir::as<ir::Union>(decl).defined;
  return true;
}

}  // namespace

bool LocalTypes::is_local(const ir::Type& type) const {
  bool found = false;
  each_named(type, [&](const ir::Declaration& part) {
    const bool local = part.kind == ir::DeclKind::interface && ir::as<ir::Interface>(part).local;
    found = found || local || local_containers_.contains(&part);
  });
  return found;
}

bool LocalTypes::record_part(const ir::Declaration& container, const ir::Type& type) {
  each_named(type, [&](const ir::Declaration& part) {
    if (defined(part) && !containers_.contains(&part)) return;
    if (&part == &container) return;
    containers_[&part].push_back(&container);
    containers_.try_emplace(&container);
  });
  if (!is_local(type)) return false;
  // All declarations that contain `container` become local with it, each once.
  std::vector<const ir::Declaration*> open{&container};
  while (!open.empty()) {
    const ir::Declaration* each = open.back();
    open.pop_back();
    if (!local_containers_.insert(each).second) continue;
    if (auto at = containers_.find(each); at != containers_.end())
      open.insert(open.end(), at->second.begin(), at->second.end());
  }
  return true;
}

void LocalTypes::reject_in_signature(const ir::Declaration* owner, const ir::Type& type, Span span) {
  const bool remote = owner && owner->kind == ir::DeclKind::interface && !ir::as<ir::Interface>(*owner).local;
  if (!remote || !is_local(type)) return;
  diagnostics_
      .error("local-type", span, "'" + ir::describe(type) + "' is local; '" + owner->name + "' is not")
      .suggest("make '" + owner->name + "' a local interface, or pass something that can leave the process");
}

}  // namespace orbweaver::idl
