// Components, homes, porttypes and connectors: IDL 4.2, 7.4.8 to 7.4.11; CORBA 3.3 part 3, 6. The bases that
// the component model implies (Components::CCMObject and the like) are not added: they matter to what a
// container makes of the IDL, not to whether it is right.
#include "idlc/ir/components.h"

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;
using ir::DeclKind;
using ir::PortRole;

void Checker::component(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Component>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, On::interface);
  ir::Component* opened = nullptr;
  if (body.kind == DeclKind::component)
    opened = &open<ir::Component>(definition, body.forward, into);
  else if (body.kind == DeclKind::connector)
    opened = &open<ir::Connector>(definition, body.forward, into);
  else
    opened = &open<ir::PortType>(definition, body.forward, into);
  if (body.forward) return;
  ir::Component& made = *opened;
  made.annotations = std::move(notes);
  Scope* inner = new_scope(Scope::Kind::interface, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  if (!body.base.empty()) {
    const std::string noun(ir::noun(made.kind));
    auto* base = static_cast<ir::Component*>(resolve_as(body.base, made.kind, "a " + noun));
    if (base && (!base->defined || base == &made)) {
      diagnostics_
          .error("incomplete-type", body.base.span,
                 base == &made ? "a " + noun + " cannot inherit from itself"
                               : "the base " + noun + " '" + base->name + "' is not defined yet")
          .note(base->span, base == &made ? "" : "declared ahead here");
    } else if (base) {
      made.base = base;
      if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(*inner, *at->second);
    }
  }
  supports(body.supports, made.supports, *inner);
  inherited_clashes(made, *inner);
  made.defined = true;
  Entered entered(*this, inner, made.name);
  definitions(body.body, made.contents);
}

void Checker::supports(const std::vector<tree::ScopedName>& names, std::vector<const ir::Interface*>& into,
                       Scope& scope) {
  std::unordered_set<const ir::Declaration*> known;
  for (const tree::ScopedName& name : names) {
    auto* supported = static_cast<ir::Interface*>(resolve_as(name, DeclKind::interface, "an interface"));
    if (!supported) continue;
    if (!supported->defined) {
      diagnostics_
          .error("incomplete-type", name.span, "the interface '" + supported->name + "' is not defined yet")
          .note(supported->span, "declared ahead here");
      continue;
    }
    if (!known.insert(supported).second) {
      diagnostics_.error("duplicate-base", name.span, "'" + supported->name + "' is named twice")
          .suggest("remove one");
      continue;
    }
    into.push_back(supported);
    if (auto at = scope_of_.find(supported); at != scope_of_.end()) add_base(scope, *at->second);
  }
}

void Checker::port(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Port>(definition.body);
  auto& made = make<ir::Port>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::attribute);
  made.role = body.role;
  bool event =
      made.role == PortRole::emits || made.role == PortRole::publishes || made.role == PortRole::consumes;
  bool whole = made.role == PortRole::port || made.role == PortRole::mirrorport;
  bool good = true;
  if (!body.target.empty()) {
    made.target = event   ? resolve_as(body.target, DeclKind::value, "an eventtype")
                  : whole ? resolve_as(body.target, DeclKind::porttype, "a porttype")
                          : resolve_as(body.target, DeclKind::interface, "an interface");
    good = made.target != nullptr;
  }
  if (good && event && !ir::as<ir::Value_>(*made.target).event) {
    diagnostics_
        .error(
            "wrong-kind", body.target_span,
            "'" + made.target->name + "' is a value type, but no eventtype; it cannot be sent through a port")
        .suggest("write 'eventtype' in place of 'valuetype' where it is defined")
        .note(made.target->span, "declared here");
  }
  if (good && whole && !ir::as<ir::PortType>(*made.target).defined) {
    diagnostics_
        .error("incomplete-type", body.target_span,
               made.target == scope_->owner ? "a porttype cannot hold itself"
                                            : "'" + made.target->name + "' is only declared ahead here")
        .note(made.target->span, "declared here");
  } else if (good && whole && made.target == scope_->owner) {
    diagnostics_.error("recursive-type", body.target_span, "a porttype cannot hold itself");
  }
  Symbol symbol;
  symbol.declaration = &made;
  symbol.noun = "port";
  symbol.broken = definition.broken || !good;
  declare(definition.name, symbol);
  if (good) into.push_back(&made);
}

void Checker::home(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Home>(definition.body);
  auto& made = make<ir::Home>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::interface);
  add(made, definition, into);
  if (body.component.empty()) return;  // a syntax error, reported
  Scope* inner = new_scope(Scope::Kind::interface, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  if (!body.base.empty()) {
    auto* base = static_cast<ir::Home*>(resolve_as(body.base, DeclKind::home, "a home"));
    if (base == &made) {
      diagnostics_.error("incomplete-type", body.base.span, "a home cannot inherit from itself");
    } else if (base) {
      made.base = base;
      if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(*inner, *at->second);
    }
  }
  supports(body.supports, made.supports, *inner);
  made.component =
      static_cast<ir::Component*>(resolve_as(body.component, DeclKind::component, "a component"));
  manages_as_its_base(body, made);
  if (!body.primary_key.empty()) {
    auto* key = static_cast<ir::Value_*>(resolve_as(body.primary_key, DeclKind::value, "a value type"));
    made.primary_key = key;
    if (key && key->abstract_) {
      diagnostics_
          .error("bad-key", body.primary_key.span, "a primary key is a value type that is not abstract")
          .note(key->span, "'" + key->name + "' is declared here");
    }
  }
  inherited_clashes(made, *inner);
  Entered entered(*this, inner, made.name);
  definitions(body.body, made.contents);
}

// A derived home manages the component of its base, or one derived from that (CORBA 3.3 part 3, 6.8.2).
void Checker::manages_as_its_base(const tree::Home& body, const ir::Home& made) {
  if (!made.base || !made.base->component || !made.component) return;
  for (const ir::Component* each = made.component; each; each = each->base) {
    if (each == made.base->component) return;
  }
  diagnostics_
      .error("bad-base", body.component.span,
             "the component '" + made.component->name + "' is not derived from '" +
                 made.base->component->name + "', which the base home manages")
      .note(made.base->span, "the base home");
}

}  // namespace orbweaver::idl
