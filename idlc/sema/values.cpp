#include <algorithm>

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

// Checks a value type: CORBA 3.3 part 1, 7.9.
void Checker::value(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Value>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::type);
  const Symbol* earlier = find_own(*scope_, definition.name.text);
  const bool free = !earlier || is_builtin(earlier->span);  // no earlier user declaration to agree with
  auto& decl = open<ir::Value_>(definition, body.forward, into);
  const bool again = !free && earlier->declaration == &decl;
  if (decl.abstract_ != body.abstract_ && again) {
    diagnostics_.error("forward-mismatch", definition.name.span,
                       "'" + decl.name + "' is abstract in one place and not in the other");
  }
  decl.abstract_ = body.abstract_;
  decl.event = body.event;
  if (body.forward) return;
  decl.annotations = std::move(notes);
  decl.custom = body.custom;
  decl.truncatable = body.truncatable;
  Scope* inner = new_scope(Scope::Kind::value, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  value_bases(body, decl, *inner);
  inherited_clashes(decl, *inner);
  decl.defined = true;
  ScopeGuard entered(*this, inner, decl.name);
  definitions(body.body, decl.contents);
  if (!decl.abstract_) return;
  for (const ir::Declaration* each : decl.contents) {
    if (each->kind == ir::DeclKind::state_member || each->kind == ir::DeclKind::factory) {
      diagnostics_.error("abstract-value", each->span, "an abstract value type has no state and no factories")
          .note(decl.span, "it is abstract");
    }
  }
}

void Checker::value_bases(const tree::Value& body, ir::Value_& decl, Scope& scope) {
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : body.bases) {
    auto* base = static_cast<ir::Value_*>(resolve_as(name, ir::DeclKind::value, "a value type"));
    if (!base) continue;
    bool first = &name == &body.bases[0];
    if (!base->defined || base == &decl) {
      diagnostics_.error("incomplete-type", name.span,
                         "the base value type '" + base->name + "' is not defined yet");
      continue;
    }
    if (!known.insert(base).second) {
      diagnostics_.error("duplicate-base", name.span, "'" + base->name + "' is named twice as a base")
          .suggest("remove one");
      continue;
    }
    if (decl.abstract_ && !base->abstract_) {
      diagnostics_.error("bad-base", name.span, "an abstract value type inherits from abstract ones only")
          .note(base->span, "'" + base->name + "' is not abstract");
    } else if (!first && !base->abstract_) {
      diagnostics_.error("bad-base", name.span, "only the first base of a value type may have state")
          .suggest("name '" + base->name + "' first")
          .note(base->span, "'" + base->name + "' is not abstract");
    }
    if (first && body.truncatable && decl.custom) {
      diagnostics_.error("bad-base", name.span, "a custom value type cannot be truncatable");
    }
    if (base->custom && !decl.custom && first && body.truncatable) {
      diagnostics_.error("bad-base", name.span, "a value type cannot be truncated to a custom one");
    }
    decl.bases.push_back(base);
    if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(scope, *at->second);
  }
  bool concrete = false;
  for (const tree::ScopedName& name : body.supports) {
    auto* supported = static_cast<ir::Interface*>(resolve_as(name, ir::DeclKind::interface, "an interface"));
    if (!supported) continue;
    if (!supported->defined) {
      diagnostics_
          .error("incomplete-type", name.span, "the interface '" + supported->name + "' is not defined yet")
          .note(supported->span, "declared ahead here");
      continue;
    }
    if (!supported->abstract_ && std::exchange(concrete, true)) {
      diagnostics_.error("bad-base", name.span,
                         "a value type supports one interface that is not abstract at most");
    }
    decl.supports.push_back(supported);
    if (auto at = scope_of_.find(supported); at != scope_of_.end()) add_base(scope, *at->second);
  }
}

void Checker::value_box(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::ValueBox>(definition.body);
  auto& decl = make<ir::ValueBox>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "value box";
  Symbol* declared = declare(definition.name, symbol);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  {
    ScopeGuard entered(*this, inner, decl.name);
    decl.type = type(body.type, TypeUse::member, &decl.contents);
  }
  if (decl.type) {
    const ir::Declaration* boxed = ir::declared(*decl.type);
    if (boxed && (boxed->kind == ir::DeclKind::value || boxed->kind == ir::DeclKind::value_box)) {
      diagnostics_.error("bad-box", body.type.span, "a value type needs no box")
          .note(boxed->span, "'" + boxed->name + "' is one already");
    }
    into.push_back(&decl);
  } else if (declared) {
    declared->broken = true;
  }
}

void Checker::state_member(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::StateMember>(definition.body);
  const ir::Type* base = type(body.member.type, TypeUse::member, &into);
  for (const tree::Declarator& declarator : body.member.declarators) {
    auto& decl = make<ir::StateMember>(declarator.name, definition);
    decl.public_ = body.public_;
    decl.field.name = decl.name;
    decl.field.span = decl.span;
    decl.field.type = base ? array(base, declarator) : nullptr;
    decl.field.annotations = annotations(body.member.annotations, declarator, AnnotationTarget::member, base);
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "state member";
    symbol.broken = !decl.field.type;
    declare(declarator.name, symbol);
    if (decl.field.type) into.push_back(&decl);
  }
}

void Checker::factory(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Factory>(definition.body);
  auto& decl = make<ir::Factory>(definition.name, definition);
  if (body.finder) decl.kind = ir::DeclKind::finder;
  decl.annotations = annotations(definition.annotations, AnnotationTarget::operation);
  add(decl, definition, into);
  Scope* inner = new_scope(Scope::Kind::operation, scope_, decl.name, decl.span, nullptr);
  Scope* outer = std::exchange(scope_, inner);
  decl.parameters = parameters(body.parameters, false);
  scope_ = outer;
  scopes_.pop_back();
  decl.raises = raises(body.raises);
}

}  // namespace orbweaver::idl
