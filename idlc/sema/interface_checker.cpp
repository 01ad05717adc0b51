#include "idlc/sema/interface_checker.h"

namespace orbweaver::idl {

void InterfaceChecker::check(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Interface>(definition.body);
  ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::interface);
  const Symbol* earlier = names_.find_own(names_.current(), definition.name.text);
  const bool users = earlier && !names_.is_builtin(earlier->span);
  auto& decl = declarations_.open<ir::Interface>(definition, body.forward, into);
  if (users && earlier->declaration == &decl) check_same_modifiers(definition, decl, earlier->span);
  decl.abstract_ = body.abstract_;
  decl.local = body.local;
  if (body.forward) return;
  decl.annotations = std::move(annotations);
  Scope& scope = names_.open_scope(Scope::Kind::interface, decl);
  bases_.bases(body.bases, decl, scope, [&](ir::Interface& base, const tree::ScopedName& name, bool) {
    check_base(decl, base, name.span);
    decl.bases.push_back(&base);
  });
  decl.defined = true;  // its own operations may use it as a parameter type
  names_.report_inherited_clashes(decl, scope);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  definitions_.check_all(body.body, decl.contents, !declarations_.in_template_instance());
  names_.close(scope);
}

// Compares a declaration with an earlier one of the same interface, at `earlier`.
void InterfaceChecker::check_same_modifiers(const tree::Definition& definition, const ir::Interface& decl,
                                            Span earlier) {
  const auto& body = std::get<tree::Interface>(definition.body);
  if (decl.abstract_ == body.abstract_ && decl.local == body.local) return;
  if (!decl.span.known()) return;
  const char* modifier = decl.abstract_ ? "abstract" : decl.local ? "local" : "neither abstract nor local";
  diagnostics_
      .error("forward-mismatch", definition.name.span,
             "'" + decl.name + "' is " + modifier + " where it is declared first")
      .suggest("write 'abstract' or 'local' in both places, or in neither")
      .note(earlier, "declared here");
}

void InterfaceChecker::check_base(const ir::Interface& decl, const ir::Interface& base, Span span) {
  if (decl.abstract_ && !base.abstract_) {
    diagnostics_.error("bad-base", span, "an abstract interface inherits from abstract interfaces only")
        .note(base.span, "'" + base.name + "' is not abstract");
  } else if (base.local && !decl.local) {
    diagnostics_.error("bad-base", span, "only a local interface can inherit from a local one")
        .note(base.span, "'" + base.name + "' is local");
  }
}

}  // namespace orbweaver::idl
