#include "idlc/sema/annotation_declarations.h"

namespace orbweaver::idl {

namespace {

bool may_be_annotation_member(const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  switch (real.kind) {
    case ir::TypeKind::declared:
      return real.declaration->kind == ir::DeclKind::enum_ || real.declaration->kind == ir::DeclKind::bitmask;
    case ir::TypeKind::sequence:
    case ir::TypeKind::array:
    case ir::TypeKind::map:
    case ir::TypeKind::object:
    case ir::TypeKind::value_base:
    case ir::TypeKind::void_: return false;
    default: return true;
  }
}

}  // namespace

void AnnotationDeclarations::check(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::AnnotationDeclaration>(definition.body);
  auto& decl = declarations_.make<ir::AnnotationDeclaration>(definition.name, definition);
  Symbol symbol;
  symbol.declaration = &decl;
  if (!declare(decl, symbol)) return;
  Scope& scope = names_.make_scope(Scope::Kind::constructed, &names_.current(), decl.name, decl.span, &decl);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  Contents contents;
  definitions_.check_all(body.body, contents);
  for (const tree::AnnotationMember& each : body.members) {
    if (auto checked = member(each)) decl.members.push_back(std::move(*checked));
  }
  into.push_back(&decl);
}

bool AnnotationDeclarations::declare(const ir::AnnotationDeclaration& decl, Symbol symbol) {
  symbol.name = *intern_id(unit_, "@" + decl.name);
  symbol.span = decl.span;
  symbol.noun = "annotation";
  const auto [earlier, fresh] = names_.current().symbols.add(symbol);
  if (fresh) return true;
  diagnostics_.error("redefinition", decl.span, "annotation '@" + decl.name + "' is already declared")
      .note(earlier->span, "here");
  return false;
}

// A member's type is a constant type or any.
std::optional<ir::AnnotationDeclaration::Member> AnnotationDeclarations::member(
    const tree::AnnotationMember& from) {
  ir::AnnotationDeclaration::Member out;
  out.name = from.name.text;
  out.type = types_.check(from.type, TypeUse::constant);
  if (!out.type) return std::nullopt;
  if (!may_be_annotation_member(*out.type)) {
    diagnostics_
        .error("bad-annotation", from.type.span,
               "a member of an annotation cannot be of type " + ir::describe(*out.type))
        .suggest("its members are numbers, booleans, characters, strings, enumerators or any");
    return std::nullopt;
  }
  if (!from.default_value) return out;
  if (out.type->kind == ir::TypeKind::any)
    out.default_value = ir::Value(std::string(sources_.text(from.default_value->span)));
  else if (auto value = annotations_.value_of_type(*from.default_value, *out.type))
    out.default_value = *value;
  return out;
}

}  // namespace orbweaver::idl
