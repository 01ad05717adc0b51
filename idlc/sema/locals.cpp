// Which types hold references that cannot leave the process: CORBA 3.3 part 1, 7.8.8.
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

namespace {

// The declarations that a type names, itself or in its elements; nesting without names is bounded by the parser.
template <typename Visit>
void each_named(const ir::Type& type, const Visit& visit) {
  if (type.key) each_named(*type.key, visit);
  if (type.element) return each_named(*type.element, visit);
  if (type.kind == ir::TypeKind::declared) visit(*type.declaration);
}

bool defined(const ir::Declaration& made) {
  if (made.kind == ir::DeclKind::struct_) return ir::as<ir::Struct>(made).defined;
  if (made.kind == ir::DeclKind::union_) return ir::as<ir::Union>(made).defined;
  return true;
}

}  // namespace

bool Checker::is_local(const ir::Type& type) const {
  bool found = false;
  each_named(type, [&](const ir::Declaration& part) {
    const bool local = part.kind == ir::DeclKind::interface && ir::as<ir::Interface>(part).local;
    found = found || local || local_holders_.contains(&part);
  });
  return found;
}

// `made` (a struct, union or typedef) gets a part of this type. What is local then, or may become so once a type that
// is only declared ahead is defined, is passed on to what holds it: each declaration becomes local once.
bool Checker::holds(const ir::Declaration& made, const ir::Type& type) {
  each_named(type, [&](const ir::Declaration& part) {
    if (defined(part) && !holders_.contains(&part)) return;
    if (&part == &made) return;
    holders_[&part].push_back(&made);
    holders_.try_emplace(&made);
  });
  if (!is_local(type)) return false;
  std::vector<const ir::Declaration*> open{&made};
  while (!open.empty()) {
    const ir::Declaration* each = open.back();
    open.pop_back();
    if (!local_holders_.insert(each).second) continue;
    if (auto at = holders_.find(each); at != holders_.end())
      open.insert(open.end(), at->second.begin(), at->second.end());
  }
  return true;
}

// What an interface that others may call from afar takes and gives must be able to travel.
void Checker::must_travel(const ir::Type& type, Span span) {
  const ir::Declaration* owner = scope_->owner ? scope_->owner : scope_->outer->owner;
  bool remote = owner && owner->kind == ir::DeclKind::interface && !ir::as<ir::Interface>(*owner).local;
  if (!remote || !is_local(type)) return;
  diagnostics_
      .error("local-type", span, "'" + ir::describe(type) + "' is local; '" + owner->name + "' is not")
      .suggest("make '" + owner->name + "' a local interface, or pass something that can leave the process");
}

}  // namespace orbweaver::idl
