#include <map>

#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using ir::Integer;
using ir::TypeKind;

/// The labels used so far, as numbers: an enumerator counts as its position.
struct UsedLabels {
  std::map<Integer, Span> at;
  Span default_at;
};

namespace {

bool can_switch(const ir::Type& type) {
  const ir::Type& real = ir::resolved(type);
  if (real.kind == TypeKind::declared) return real.declaration->kind == ir::DeclKind::enum_;
  return ir::is_integer(real.kind) || real.kind == TypeKind::char_ || real.kind == TypeKind::wchar ||
         real.kind == TypeKind::boolean;
}

Integer number_of(const ir::Value& value) {
  if (auto* integer = std::get_if<Integer>(&value)) return *integer;
  if (auto* boolean = std::get_if<bool>(&value)) return *boolean;
  if (auto* character = std::get_if<char>(&value)) return static_cast<unsigned char>(*character);
  if (auto* wide = std::get_if<ir::WideText>(&value)) return wide->text[0];
  if (auto* enumerator = std::get_if<const ir::Enumerator*>(&value)) return (*enumerator)->value;
  return 0;
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

ir::Declaration* Checker::union_(const tree::Definition& definition,
                                 std::vector<const ir::Declaration*>& into) {
  const auto& body = std::get<tree::Union>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::type);
  auto& decl = open<ir::Union>(definition, body.forward, into);
  if (body.forward) return &decl;
  decl.annotations = std::move(notes);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  ScopeGuard entered(*this, inner, decl.name);
  if (definition.broken && body.discriminator.kind == TypeKind::void_) return &decl;  // already reported
  decl.discriminator = type(body.discriminator, TypeUse::member, &decl.contents);
  if (decl.discriminator && !can_switch(*decl.discriminator)) {
    diagnostics_
        .error("bad-discriminator", body.discriminator.span,
               "a union cannot switch on " + ir::describe(*decl.discriminator))
        .suggest("use an integer type, char, wchar, boolean, octet or an enum");
    decl.discriminator = nullptr;
  }
  UsedLabels seen;
  MemberIds ids;
  const bool empty = body.cases.empty();
  decl.cases.reserve(body.cases.size());
  use_each(body.cases, [&](const tree::UnionCase& from) {
    ir::UnionCase one;
    labels(from, one, decl, seen);
    const bool indirect = is_indirect(from.annotations);
    const ir::Type* base = type(from.type, indirect ? TypeUse::indirect : TypeUse::member, &decl.contents);
    one.field.recursive = indirect && base && incomplete_declaration(*base);
    one.field.name = from.declarator.name.text;
    one.field.span = from.declarator.name.span;
    one.field.type = base && !(one.field.recursive && !from.declarator.dimensions.empty())
                         ? array(base, from.declarator)
                         : base;
    if (one.field.type) one.field.local = holds(decl, *one.field.type);
    one.field.annotations = annotations(from.annotations, from.declarator, AnnotationTarget::member, base);
    unique_id(one.field.annotations, ids);
    one.field.comment = sources_.file(from.labels[0].span.file).comment_before(from.labels[0].span.offset);
    Symbol symbol;
    symbol.noun = "member";
    symbol.broken = !one.field.type;
    declare(from.declarator.name, symbol);
    if (one.field.type) decl.cases.push_back(std::move(one));
  });
  if (empty && !definition.broken) {
    diagnostics_.error("empty-union", decl.span, "union '" + decl.name + "' has no case")
        .suggest("add 'case …: type name;'");
  }
  if (decl.discriminator) check_label_coverage(decl, seen);
  close(*inner);
  decl.defined = true;
  return &decl;
}

void Checker::labels(const tree::UnionCase& from, ir::UnionCase& to, ir::Union& decl, UsedLabels& seen) {
  for (const tree::CaseLabel& label : from.labels) {
    if (!label.value) {
      to.is_default = true;
      if (seen.default_at.known()) {
        diagnostics_.error("duplicate-label", label.span, "a union has one default only")
            .note(seen.default_at, "the first one is here");
      }
      seen.default_at = label.span;
      continue;
    }
    if (!decl.discriminator) continue;
    std::optional<ir::Value> value = evaluate(*label.value, *decl.discriminator);
    if (!value) continue;
    if (auto [earlier, fresh] = seen.at.emplace(number_of(*value), label.value->span); !fresh) {
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

void Checker::check_label_coverage(ir::Union& decl, const UsedLabels& seen) {
  bool all = static_cast<Integer>(seen.at.size()) >= values_of(*decl.discriminator);
  if (all && seen.default_at.known()) {
    diagnostics_
        .error("useless-default", seen.default_at,
               "the labels cover every value of " + ir::describe(*decl.discriminator) +
                   "; the default is never taken")
        .suggest("remove the default case");
  }
  decl.has_implicit_default = !all && !seen.default_at.known();
}

}  // namespace orbweaver::idl
