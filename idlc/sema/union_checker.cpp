#include "idlc/sema/union_checker.h"

#include <map>

#include "idlc/ir/values.h"

namespace orbweaver::idl {

using ir::Integer;
using ir::TypeKind;

/// The labels of a union so far, as numbers: an enumerator counts as its position.
struct UnionChecker::UsedLabels {
  std::map<Integer, Span> values;
  Span default_label;
};

namespace {

bool can_switch(const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  if (real.kind == TypeKind::declared) return real.declaration->kind == ir::DeclKind::enum_;
  return ir::is_integer(real.kind) || real.kind == TypeKind::char_ || real.kind == TypeKind::wchar ||
         real.kind == TypeKind::boolean;
}

// The number of values that a discriminator of this type can take.
Integer values_of(const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  switch (real.kind) {
    case TypeKind::boolean: return 2;
    case TypeKind::char_:
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8: return 256;
    case TypeKind::short_:
    case TypeKind::ushort:
    case TypeKind::wchar: return 65536;
    case TypeKind::long_:
    case TypeKind::ulong: return Integer{1} << 32;
    case TypeKind::declared:
      return static_cast<Integer>(ir::as<ir::Enum>(*real.declaration).enumerators.size());
    default: return Integer{1} << 64;
  }
}

}  // namespace

ir::Union* UnionChecker::check(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Union>(definition.body);
  ir::Annotations annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  auto& decl = declarations_.open<ir::Union>(definition, body.forward, into);
  if (body.forward) return &decl;
  decl.annotations = std::move(annotations);
  Scope& scope = names_.open_scope(Scope::Kind::constructed, decl);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  if (definition.broken && body.discriminator.kind == TypeKind::void_) return &decl;  // already reported
  decl.discriminator = discriminator(body.discriminator, decl.contents);
  UsedLabels used;
  MemberChecker::Ids ids;
  const bool empty = body.cases.empty();
  decl.cases.reserve(body.cases.size());
  use_each(body.cases, declarations_.in_template_instance(), [&](const tree::UnionCase& from) {
    ir::UnionCase to;
    check_labels(from, to, decl, used);
    const MemberChecker::MemberType type = members_.type(from.type, from.annotations, decl.contents);
    const std::string_view comment = declarations_.comment_before(from.labels[0].span);
    to.field = members_.member(type, from.declarator, comment, ids);
    if (to.field.type) decl.cases.push_back(std::move(to));
  });
  if (empty && !definition.broken) {
    diagnostics_.error("empty-union", decl.span, "union '" + decl.name + "' has no case")
        .suggest("add 'case …: type name;'");
  }
  if (decl.discriminator) check_coverage(decl, used);
  names_.close(scope);
  decl.defined = true;
  return &decl;
}

const ir::Type* UnionChecker::discriminator(const tree::TypeSpec& spec, Contents& contents) {
  const ir::Type* type = types_.check(spec, TypeUse::member, &contents);
  if (!type || can_switch(*type)) return type;
  diagnostics_.error("bad-discriminator", spec.span, "a union cannot switch on " + ir::describe(*type))
      .suggest("use an integer type, char, wchar, boolean, octet or an enum");
  return nullptr;
}

void UnionChecker::check_labels(const tree::UnionCase& from, ir::UnionCase& to, const ir::Union& decl,
                                UsedLabels& used) {
  for (const tree::CaseLabel& label : from.labels) {
    if (!label.value) {
      to.is_default = true;
      check_default(label, used);
      continue;
    }
    if (!decl.discriminator) continue;
    std::optional<ir::Value> value = constants_.evaluate(*label.value, *decl.discriminator);
    if (!value) continue;
    if (auto [earlier, fresh] = used.values.emplace(ir::label_number(*value), label.value->span); !fresh) {
      diagnostics_
          .error("duplicate-label", label.value->span,
                 "case label " + std::string(sources_.text(label.value->span)) + " already used")
          .suggest("every label stands once in a union")
          .note(earlier->second, "first used here");
      continue;
    }
    to.labels.push_back(*value);
  }
}

void UnionChecker::check_default(const tree::CaseLabel& label, UsedLabels& used) {
  if (used.default_label.known()) {
    diagnostics_.error("duplicate-label", label.span, "a union has one default only")
        .note(used.default_label, "the first one is here");
  }
  used.default_label = label.span;
}

void UnionChecker::check_coverage(ir::Union& decl, const UsedLabels& used) {
  const bool all = static_cast<Integer>(used.values.size()) >= values_of(*decl.discriminator);
  if (all && used.default_label.known()) {
    diagnostics_
        .error("useless-default", used.default_label,
               "the labels cover every value of " + ir::describe(*decl.discriminator) +
                   "; the default is never taken")
        .suggest("remove the default case");
  }
  decl.has_implicit_default = !all && !used.default_label.known();
}

}  // namespace orbweaver::idl
