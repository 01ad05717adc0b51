#include "idlc/sema/member_checker.h"

#include "idlc/ir/values.h"

namespace orbweaver::idl {

namespace {

// Whether @external or @optional is present and not set to FALSE.
bool is_indirect(const tree::Annotations& annotations) {
  for (const tree::Annotation& each : annotations) {
    const std::string_view name = each.name.parts.back().text;
    if (name != "external" && name != "optional") continue;
    const auto* value = each.arguments.size() == 1 ? each.arguments[0].value.get() : nullptr;
    const bool off = value && value->kind == tree::Expression::Kind::literal &&
                     value->literal[0].keyword == Keyword::false_;
    if (!off) return true;
  }
  return false;
}

}  // namespace

MemberChecker::MemberType MemberChecker::type(const tree::TypeSpec& spec,
                                              const tree::Annotations& annotations, Contents& contents) {
  const bool indirect = is_indirect(annotations);
  return {types_.check(spec, indirect ? TypeUse::indirect : TypeUse::member, &contents), indirect,
          annotations};
}

ir::Field MemberChecker::member(const MemberType& type, const tree::Declarator& declarator,
                                std::string_view comment, Ids& ids) {
  ir::Field field;
  field.name = declarator.name.text;
  field.span = declarator.name.span;
  field.comment = comment;
  field.recursive = type.indirect && type.type && incomplete_declaration(*type.type);
  field.annotations = annotations_.check(type.annotations, declarator, AnnotationTarget::member, type.type);
  check_id(field.annotations, ids);
  const bool recursive_array = field.recursive && !declarator.dimensions.empty();
  field.type = type.type && !recursive_array ? types_.array(type.type, declarator) : type.type;
  const ir::Declaration* owner = names_.enclosing_declaration();
  if (field.type && owner) field.local = local_types_.record_part(*owner, *field.type);
  Symbol symbol;
  symbol.noun = "member";
  symbol.broken = !field.type;
  names_.declare(declarator.name, symbol);
  return field;
}

// Reports a member's @id that an earlier member has already.
void MemberChecker::check_id(const ir::Annotations& annotations, Ids& ids) {
  const ir::Integer* id = integer_argument(annotations, "id");
  if (!id) return;
  const Span span = find_annotation(annotations, "id")->span;
  const auto [earlier, fresh] = ids.emplace(*id, span);
  if (fresh) return;
  diagnostics_.error("redefinition", span, "another member has the id " + ir::to_string(*id) + " already")
      .note(earlier->second, "given here");
}

}  // namespace orbweaver::idl
