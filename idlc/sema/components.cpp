// Checks components, homes, porttypes and connectors: IDL 4.2, 7.4.8 to 7.4.11; CORBA 3.3 part 3, 6. The
// bases that the component model implies (Components::CCMObject and the like) are not added: they concern the
// code that a container generates, not the validity of the IDL.
#include "idlc/ir/components.h"

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;
using ir::DeclKind;
using ir::PortRole;

void Checker::component(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Component>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::interface);
  ir::Component* opened = nullptr;
  if (body.kind == DeclKind::component)
    opened = &open<ir::Component>(definition, body.forward, into);
  else if (body.kind == DeclKind::connector)
    opened = &open<ir::Connector>(definition, body.forward, into);
  else
    opened = &open<ir::PortType>(definition, body.forward, into);
  if (body.forward) return;
  ir::Component& decl = *opened;
  decl.annotations = std::move(notes);
  Scope* inner = new_scope(Scope::Kind::interface, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  if (!body.base.empty()) {
    const std::string noun(ir::noun(decl.kind));
    auto* base = static_cast<ir::Component*>(resolve_as(body.base, decl.kind, "a " + noun));
    if (base && (!base->defined || base == &decl)) {
      diagnostics_
          .error("incomplete-type", body.base.span,
                 base == &decl ? "a " + noun + " cannot inherit from itself"
                               : "the base " + noun + " '" + base->name + "' is not defined yet")
          .note(base->span, base == &decl ? "" : "declared ahead here");
    } else if (base) {
      decl.base = base;
      if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(*inner, *at->second);
    }
  }
  supports(body.supports, decl.supports, *inner);
  inherited_clashes(decl, *inner);
  decl.defined = true;
  ScopeGuard entered(*this, inner, decl.name);
  definitions(body.body, decl.contents);
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
  auto& decl = make<ir::Port>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::attribute);
  decl.role = body.role;
  bool event =
      decl.role == PortRole::emits || decl.role == PortRole::publishes || decl.role == PortRole::consumes;
  bool whole = decl.role == PortRole::port || decl.role == PortRole::mirrorport;
  bool good = true;
  if (!body.target.empty()) {
    decl.target = event   ? resolve_as(body.target, DeclKind::value, "an eventtype")
                  : whole ? resolve_as(body.target, DeclKind::porttype, "a porttype")
                          : resolve_as(body.target, DeclKind::interface, "an interface");
    good = decl.target != nullptr;
  }
  if (good && event && !ir::as<ir::Value_>(*decl.target).event) {
    diagnostics_
        .error(
            "wrong-kind", body.target_span,
            "'" + decl.target->name + "' is a value type, but no eventtype; it cannot be sent through a port")
        .suggest("write 'eventtype' in place of 'valuetype' where it is defined")
        .note(decl.target->span, "declared here");
  }
  if (good && whole && !ir::as<ir::PortType>(*decl.target).defined) {
    diagnostics_
        .error("incomplete-type", body.target_span,
               decl.target == scope_->owner ? "a porttype cannot hold itself"
                                            : "'" + decl.target->name + "' is only declared ahead here")
        .note(decl.target->span, "declared here");
  } else if (good && whole && decl.target == scope_->owner) {
    diagnostics_.error("recursive-type", body.target_span, "a porttype cannot hold itself");
  }
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "port";
  symbol.broken = definition.broken || !good;
  declare(definition.name, symbol);
  if (good) into.push_back(&decl);
}

void Checker::home(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Home>(definition.body);
  auto& decl = make<ir::Home>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::interface);
  add(decl, definition, into);
  if (body.component.empty()) return;  // syntax error, already reported
  Scope* inner = new_scope(Scope::Kind::interface, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  if (!body.base.empty()) {
    auto* base = static_cast<ir::Home*>(resolve_as(body.base, DeclKind::home, "a home"));
    if (base == &decl) {
      diagnostics_.error("incomplete-type", body.base.span, "a home cannot inherit from itself");
    } else if (base) {
      decl.base = base;
      if (auto at = scope_of_.find(base); at != scope_of_.end()) add_base(*inner, *at->second);
    }
  }
  supports(body.supports, decl.supports, *inner);
  decl.component =
      static_cast<ir::Component*>(resolve_as(body.component, DeclKind::component, "a component"));
  check_managed_component(body, decl);
  if (!body.primary_key.empty()) {
    auto* key = static_cast<ir::Value_*>(resolve_as(body.primary_key, DeclKind::value, "a value type"));
    decl.primary_key = key;
    if (key && key->abstract_) {
      diagnostics_
          .error("bad-key", body.primary_key.span, "a primary key is a value type that is not abstract")
          .note(key->span, "'" + key->name + "' is declared here");
    }
  }
  inherited_clashes(decl, *inner);
  ScopeGuard entered(*this, inner, decl.name);
  definitions(body.body, decl.contents);
}

// Checks that a derived home manages the component of its base home, or a component derived from it
// (CORBA 3.3 part 3, 6.8.2).
void Checker::check_managed_component(const tree::Home& body, const ir::Home& decl) {
  if (!decl.base || !decl.base->component || !decl.component) return;
  for (const ir::Component* each = decl.component; each; each = each->base) {
    if (each == decl.base->component) return;
  }
  diagnostics_
      .error("bad-base", body.component.span,
             "the component '" + decl.component->name + "' is not derived from '" +
                 decl.base->component->name + "', which the base home manages")
      .note(decl.base->span, "the base home");
}

}  // namespace orbweaver::idl
