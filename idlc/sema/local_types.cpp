// Finds the types that contain references to local objects and so cannot leave the process: CORBA 3.3 part 1,
// 7.8.8.
#include "idlc/sema/checker.h"

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

bool Checker::is_local(const ir::Type& type) const {
  bool found = false;
  each_named(type, [&](const ir::Declaration& part) {
    const bool local = part.kind == ir::DeclKind::interface && ir::as<ir::Interface>(part).local;
    found = found || local || local_containers_.contains(&part);
  });
  return found;
}

// Records that `decl` (a struct, union or typedef) has a part of this type; returns whether the part is
// local. If it is local, `decl` and all declarations that contain it become local, each once. If the part may
// become local later, because a forward-declared type is not defined yet, `decl` is remembered as its
// container.
bool Checker::holds(const ir::Declaration& decl, const ir::Type& type) {
  each_named(type, [&](const ir::Declaration& part) {
    if (defined(part) && !containers_.contains(&part)) return;
    if (&part == &decl) return;
    containers_[&part].push_back(&decl);
    containers_.try_emplace(&decl);
  });
  if (!is_local(type)) return false;
  std::vector<const ir::Declaration*> open{&decl};
  while (!open.empty()) {
    const ir::Declaration* each = open.back();
    open.pop_back();
    if (!local_containers_.insert(each).second) continue;
    if (auto at = containers_.find(each); at != containers_.end())
      open.insert(open.end(), at->second.begin(), at->second.end());
  }
  return true;
}

// Reports a local type in the signature of a remote interface.
void Checker::reject_local_type(const ir::Type& type, Span span) {
  const ir::Declaration* owner = scope_->owner ? scope_->owner : scope_->outer->owner;
  bool remote = owner && owner->kind == ir::DeclKind::interface && !ir::as<ir::Interface>(*owner).local;
  if (!remote || !is_local(type)) return;
  diagnostics_
      .error("local-type", span, "'" + ir::describe(type) + "' is local; '" + owner->name + "' is not")
      .suggest("make '" + owner->name + "' a local interface, or pass something that can leave the process");
}

}  // namespace orbweaver::idl
