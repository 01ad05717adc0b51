#include "idlc/sema/component_checker.h"

namespace orbweaver::idl {

using ir::DeclKind;
using ir::PortRole;

ir::Component& ComponentChecker::open(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Component>(definition.body);
  if (body.kind == DeclKind::component)
    return declarations_.open<ir::Component>(definition, body.forward, into);
  if (body.kind == DeclKind::connector)
    return declarations_.open<ir::Connector>(definition, body.forward, into);
  return declarations_.open<ir::PortType>(definition, body.forward, into);
}

void ComponentChecker::check_component(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Component>(definition.body);
  ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::interface);
  ir::Component& decl = open(definition, into);
  if (body.forward) return;
  decl.annotations = std::move(annotations);
  Scope& scope = names_.open_scope(Scope::Kind::interface, decl);
  if (!body.base.empty()) decl.base = bases_.base(body.base, decl);
  if (decl.base) names_.add_base(scope, *decl.base);
  decl.supports = bases_.supported_interfaces(body.supports, scope);
  names_.report_inherited_clashes(decl, scope);
  decl.defined = true;
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  definitions_.check_all(body.body, decl.contents);
}

void ComponentChecker::check_port(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Port>(definition.body);
  auto& decl = declarations_.make<ir::Port>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::attribute);
  decl.role = body.role;
  if (!body.target.empty()) decl.target = port_target(body);
  const bool good = body.target.empty() || decl.target != nullptr;
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "port";
  symbol.broken = definition.broken || !good;
  names_.declare(definition.name, symbol);
  if (good) into.push_back(&decl);
}

// The interface, eventtype or porttype of a port; null after an error in its name.
ir::Declaration* ComponentChecker::port_target(const tree::Port& body) {
  ir::Declaration* target = nullptr;
  switch (body.role) {
    case PortRole::emits:
    case PortRole::publishes:
    case PortRole::consumes:
      target = names_.resolve_as(body.target, DeclKind::value, "an eventtype");
      if (target) check_event(*target, body.target_span);
      return target;
    case PortRole::port:
    case PortRole::mirrorport:
      target = names_.resolve_as(body.target, DeclKind::porttype, "a porttype");
      if (target) check_porttype(*target, body.target_span);
      return target;
    default: return names_.resolve_as(body.target, DeclKind::interface, "an interface");
  }
}

void ComponentChecker::check_event(const ir::Declaration& target, Span span) {
  if (ir::as<ir::Value_>(target).event) return;
  diagnostics_
      .error("wrong-kind", span,
             "'" + target.name + "' is a value type, but no eventtype; it cannot be sent through a port")
      .suggest("write 'eventtype' in place of 'valuetype' where it is defined")
      .note(target.span, "declared here");
}

void ComponentChecker::check_porttype(const ir::Declaration& target, Span span) {
  if (&target == names_.enclosing_declaration()) {
    diagnostics_.error("recursive-type", span, "a porttype cannot hold itself");
  } else if (!ir::as<ir::PortType>(target).defined) {
    diagnostics_.error("incomplete-type", span, "'" + target.name + "' is only forward-declared here")
        .note(target.span, "declared here");
  }
}

void ComponentChecker::check_home(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Home>(definition.body);
  auto& decl = declarations_.make<ir::Home>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::interface);
  declarations_.add(decl, definition, into);
  if (body.component.empty()) return;  // syntax error, already reported
  Scope& scope = names_.open_scope(Scope::Kind::interface, decl);
  if (!body.base.empty()) decl.base = bases_.base(body.base, decl);
  if (decl.base) names_.add_base(scope, *decl.base);
  decl.supports = bases_.supported_interfaces(body.supports, scope);
  decl.component =
      static_cast<ir::Component*>(names_.resolve_as(body.component, DeclKind::component, "a component"));
  check_managed_component(body, decl);
  if (!body.primary_key.empty()) check_primary_key(body, decl);
  names_.report_inherited_clashes(decl, scope);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  definitions_.check_all(body.body, decl.contents);
}

void ComponentChecker::check_primary_key(const tree::Home& body, ir::Home& decl) {
  auto* key = static_cast<ir::Value_*>(names_.resolve_as(body.primary_key, DeclKind::value, "a value type"));
  decl.primary_key = key;
  if (!key || !key->abstract_) return;
  diagnostics_.error("bad-key", body.primary_key.span, "a primary key is a value type that is not abstract")
      .note(key->span, "'" + key->name + "' is declared here");
}

// Checks that a derived home manages the component of its base home, or a component derived from it
// (CORBA 3.3 part 3, 6.8.2).
void ComponentChecker::check_managed_component(const tree::Home& body, const ir::Home& decl) {
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
