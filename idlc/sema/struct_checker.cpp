#include "idlc/sema/struct_checker.h"

#include <algorithm>

namespace orbweaver::idl {

ir::Struct* StructChecker::check_struct(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Struct>(definition.body);
  ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  auto& decl = declarations_.open<ir::Struct>(definition, body.forward, into);
  if (body.forward) return &decl;
  decl.annotations = std::move(annotations);
  if (!body.base.empty()) decl.base = bases_.base(body.base, decl);
  Scope& scope = names_.open_scope(Scope::Kind::constructed, decl);
  // A member may not hide an inherited one (IDL 4.2, 7.4.13.4.1): NameTable::declare() reports that.
  if (decl.base) names_.add_base(scope, *decl.base);
  {
    const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
    members(body.members, decl.fields, decl.contents);
    names_.close(scope);
  }
  decl.trailing_underscore = (decl.base && decl.base->trailing_underscore) ||
                             std::any_of(decl.fields.begin(), decl.fields.end(),
                                         [](const ir::Field& each) { return each.name.ends_with('_'); });
  decl.defined = true;
  return &decl;
}

void StructChecker::check_exception(const tree::Definition& definition, Contents& into) {
  auto& decl = declarations_.make<ir::Exception>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  declarations_.add(decl, definition, into);
  Scope& scope = names_.open_scope(Scope::Kind::constructed, decl);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  members(std::get<tree::Exception>(definition.body).members, decl.fields, decl.contents);
  names_.close(scope);
}

void StructChecker::members(const std::deque<tree::Member>& from, std::vector<ir::Field>& fields,
                            Contents& contents) {
  MemberChecker::Ids ids;
  fields.reserve(from.size());
  use_each(from, declarations_.in_template_instance(), [&](const tree::Member& member) {
    const MemberChecker::MemberType type = members_.type(member.type, member.annotations, contents);
    const std::string_view comment = declarations_.comment_before(member.type.span);
    for (const tree::Declarator& declarator : member.declarators) {
      ir::Field field = members_.member(type, declarator, comment, ids);
      if (field.type) fields.push_back(std::move(field));
    }
  });
}

}  // namespace orbweaver::idl
