#include <algorithm>

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

// Value types: CORBA 3.3 part 1, 7.9.
void Checker::value(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Value>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, On::type);
  const Symbol* earlier = find_own(*scope_, definition.name.text);
  const bool free = !earlier || is_builtin(earlier->span);  // to be what it likes
  auto& made = open<ir::Value_>(definition, body.forward, into);
  const bool again = !free && earlier->declaration == &made;
  if (made.abstract_ != body.abstract_ && again) {
    diagnostics_.error("forward-mismatch", definition.name.span,
                       "'" + made.name + "' is abstract in one place and not in the other");
  }
  made.abstract_ = body.abstract_;
  made.event = body.event;
  if (body.forward) return;
  made.annotations = std::move(notes);
  made.custom = body.custom;
  made.truncatable = body.truncatable;
  Scope* inner = new_scope(Scope::Kind::value, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  value_bases(body, made, *inner);
  inherited_clashes(made, *inner);
  made.defined = true;
  Entered entered(*this, inner, made.name);
  definitions(body.body, made.contents);
  if (!made.abstract_) return;
  for (const ir::Declaration* each : made.contents) {
    if (each->kind == ir::DeclKind::state_member || each->kind == ir::DeclKind::factory) {
      diagnostics_.error("abstract-value", each->span, "an abstract value type has no state and no factories")
          .note(made.span, "it is abstract");
    }
  }
}

void Checker::value_bases(const tree::Value& body, ir::Value_& made, Scope& scope) {
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : body.bases) {
    auto* base = static_cast<ir::Value_*>(resolve_as(name, ir::DeclKind::value, "a value type"));
    if (!base) continue;
    bool first = &name == &body.bases[0];
    if (!base->defined || base == &made) {
      diagnostics_.error("incomplete-type", name.span,
                         "the base value type '" + base->name + "' is not defined yet");
      continue;
    }
    if (!known.insert(base).second) {
      diagnostics_.error("duplicate-base", name.span, "'" + base->name + "' is named twice as a base")
          .suggest("remove one");
      continue;
    }
    if (made.abstract_ && !base->abstract_) {
      diagnostics_.error("bad-base", name.span, "an abstract value type inherits from abstract ones only")
          .note(base->span, "'" + base->name + "' is not abstract");
    } else if (!first && !base->abstract_) {
      diagnostics_.error("bad-base", name.span, "only the first base of a value type may have state")
          .suggest("name '" + base->name + "' first")
          .note(base->span, "'" + base->name + "' is not abstract");
    }
    if (first && body.truncatable && made.custom) {
      diagnostics_.error("bad-base", name.span, "a custom value type cannot be truncatable");
    }
    if (base->custom && !made.custom && first && body.truncatable) {
      diagnostics_.error("bad-base", name.span, "a value type cannot be truncated to a custom one");
    }
    made.bases.push_back(base);
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
    made.supports.push_back(supported);
    if (auto at = scope_of_.find(supported); at != scope_of_.end()) add_base(scope, *at->second);
  }
}

void Checker::value_box(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::ValueBox>(definition.body);
  auto& made = make<ir::ValueBox>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::type);
  Symbol symbol;
  symbol.declaration = &made;
  symbol.noun = "value box";
  Symbol* declared = declare(definition.name, symbol);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  {
    Entered entered(*this, inner, made.name);
    made.type = type(body.type, Use::member, &made.contents);
  }
  if (made.type) {
    const ir::Declaration* boxed = ir::declared(*made.type);
    if (boxed && (boxed->kind == ir::DeclKind::value || boxed->kind == ir::DeclKind::value_box)) {
      diagnostics_.error("bad-box", body.type.span, "a value type needs no box")
          .note(boxed->span, "'" + boxed->name + "' is one already");
    }
    into.push_back(&made);
  } else if (declared) {
    declared->broken = true;
  }
}

void Checker::state_member(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::StateMember>(definition.body);
  const ir::Type* base = type(body.member.type, Use::member, &into);
  for (const tree::Declarator& declarator : body.member.declarators) {
    auto& made = make<ir::StateMember>(declarator.name, definition);
    made.public_ = body.public_;
    made.field.name = made.name;
    made.field.span = made.span;
    made.field.type = base ? array(base, declarator) : nullptr;
    made.field.annotations = annotations(body.member.annotations, declarator, On::member, base);
    Symbol symbol;
    symbol.declaration = &made;
    symbol.noun = "state member";
    symbol.broken = !made.field.type;
    declare(declarator.name, symbol);
    if (made.field.type) into.push_back(&made);
  }
}

void Checker::factory(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Factory>(definition.body);
  auto& made = make<ir::Factory>(definition.name, definition);
  if (body.finder) made.kind = ir::DeclKind::finder;
  made.annotations = annotations(definition.annotations, On::operation);
  add(made, definition, into);
  Scope* inner = new_scope(Scope::Kind::operation, scope_, made.name, made.span, nullptr);
  Scope* outer = std::exchange(scope_, inner);
  made.parameters = parameters(body.parameters, false);
  scope_ = outer;
  scopes_.pop_back();
  made.raises = raises(body.raises);
}

}  // namespace orbweaver::idl
