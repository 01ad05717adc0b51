#include "idlc/sema/value_checker.h"

#include <utility>

namespace orbweaver::idl {

void ValueChecker::check_value(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Value>(definition.body);
  ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  const Symbol* earlier = names_.find_own(names_.current(), definition.name.text);
  const bool users = earlier && !names_.is_builtin(earlier->span);
  auto& decl = declarations_.open<ir::Value_>(definition, body.forward, into);
  if (users && earlier->declaration == &decl && decl.abstract_ != body.abstract_) {
    diagnostics_.error("forward-mismatch", definition.name.span,
                       "'" + decl.name + "' is abstract in one place and not in the other");
  }
  decl.abstract_ = body.abstract_;
  decl.event = body.event;
  if (body.forward) return;
  decl.annotations = std::move(annotations);
  decl.custom = body.custom;
  decl.truncatable = body.truncatable;
  Scope& scope = names_.open_scope(Scope::Kind::value, decl);
  check_bases(body, decl, scope);
  check_supported(body, decl, scope);
  names_.report_inherited_clashes(decl, scope);
  decl.defined = true;
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  definitions_.check_all(body.body, decl.contents);
  if (decl.abstract_) check_abstract(decl);
}

void ValueChecker::check_abstract(const ir::Value_& decl) {
  for (const ir::Declaration* each : decl.contents) {
    if (each->kind != ir::DeclKind::state_member && each->kind != ir::DeclKind::factory) continue;
    diagnostics_.error("abstract-value", each->span, "an abstract value type has no state and no factories")
        .note(decl.span, "it is abstract");
  }
}

void ValueChecker::check_bases(const tree::Value& body, ir::Value_& decl, Scope& scope) {
  bases_.bases(body.bases, decl, scope, [&](ir::Value_& base, const tree::ScopedName& name, bool first) {
    check_base(decl, base, name.span, first);
    decl.bases.push_back(&base);
  });
}

void ValueChecker::check_base(const ir::Value_& decl, const ir::Value_& base, Span span, bool first) {
  if (decl.abstract_ && !base.abstract_) {
    diagnostics_.error("bad-base", span, "an abstract value type inherits from abstract ones only")
        .note(base.span, "'" + base.name + "' is not abstract");
  } else if (!first && !base.abstract_) {
    diagnostics_.error("bad-base", span, "only the first base of a value type may have state")
        .suggest("name '" + base.name + "' first")
        .note(base.span, "'" + base.name + "' is not abstract");
  }
  if (!first || !decl.truncatable) return;
  if (decl.custom)
    diagnostics_.error("bad-base", span, "a custom value type cannot be truncatable");
  else if (base.custom)
    diagnostics_.error("bad-base", span, "a value type cannot be truncated to a custom one");
}

void ValueChecker::check_supported(const tree::Value& body, ir::Value_& decl, Scope& scope) {
  bool concrete = false;
  for (const tree::ScopedName& name : body.supports) {
    const ir::Interface* supported = bases_.supported_interface(name);
    if (!supported) continue;
    if (!supported->abstract_ && std::exchange(concrete, true)) {
      diagnostics_.error("bad-base", name.span,
                         "a value type supports one interface that is not abstract at most");
    }
    decl.supports.push_back(supported);
    names_.add_base(scope, *supported);
  }
}

void ValueChecker::check_box(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::ValueBox>(definition.body);
  auto& decl = declarations_.make<ir::ValueBox>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = "value box";
  Symbol* declared = names_.declare(definition.name, symbol);
  Scope& scope = names_.make_scope(Scope::Kind::constructed, &names_.current(), decl.name, decl.span, &decl);
  {
    const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
    decl.type = types_.check(body.type, TypeUse::member, &decl.contents);
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

void ValueChecker::check_state_member(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::StateMember>(definition.body);
  const ir::Type* type = types_.check(body.member.type, TypeUse::member, &into);
  for (const tree::Declarator& declarator : body.member.declarators) {
    auto& decl = declarations_.make<ir::StateMember>(declarator.name, definition);
    decl.public_ = body.public_;
    decl.field.name = decl.name;
    decl.field.span = decl.span;
    decl.field.type = type ? types_.array(type, declarator) : nullptr;
    decl.field.annotations =
        annotations_.check(body.member.annotations, declarator, AnnotationTarget::member, type);
    Symbol symbol;
    symbol.declaration = &decl;
    symbol.noun = "state member";
    symbol.broken = !decl.field.type;
    names_.declare(declarator.name, symbol);
    if (decl.field.type) into.push_back(&decl);
  }
}

}  // namespace orbweaver::idl
