#include "idlc/sema/bitset_checker.h"

#include <algorithm>

namespace orbweaver::idl {

using ir::TypeKind;

namespace {

// The type of a bit field that is given without one: the smallest that has so many bits.
TypeKind smallest_type(std::uint32_t bits) {
  if (bits == 1) return TypeKind::boolean;
  if (bits <= 8) return TypeKind::octet;
  if (bits <= 16) return TypeKind::ushort;
  return bits <= 32 ? TypeKind::ulong : TypeKind::ulonglong;
}

// The number of bits of a type of bit fields; 0 for any other type.
std::uint32_t bits_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean: return 1;
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8: return 8;
    case TypeKind::short_:
    case TypeKind::ushort: return 16;
    case TypeKind::long_:
    case TypeKind::ulong: return 32;
    default: return ir::is_integer(kind) ? 64 : 0;
  }
}

}  // namespace

void BitsetChecker::check(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitset>(definition.body);
  auto& decl = declarations_.make<ir::Bitset>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  if (!body.base.empty()) decl.base = bases_.base(body.base, decl);
  declarations_.add(decl, definition, into);
  Scope& scope = names_.make_scope(Scope::Kind::constructed, &names_.current(), decl.name, decl.span, &decl);
  const DeclarationBuilder::Body entered(declarations_, scope, decl.name);
  if (decl.base) names_.add_base(scope, *decl.base);
  std::uint64_t total = decl.base ? decl.base->bits : 0;
  for (const tree::Bitfield& field : body.fields) {
    std::optional<ir::Bitfield> one = bitfield(field);
    if (!one) continue;
    for (const tree::Identifier& name : field.names) {
      one->name = name.text;
      one->span = name.span;
      Symbol symbol;
      symbol.noun = "bit field";
      names_.declare(name, symbol);
      decl.fields.push_back(*one);
    }
    if (field.names.empty()) decl.fields.push_back(*one);  // padding
    total += one->bits * std::max<std::uint64_t>(field.names.size(), 1);
  }
  names_.close(scope);
  decl.bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, 1000));
  if (total > 64)
    diagnostics_.error("bad-size", decl.span,
                       "this bitset has " + std::to_string(total) + " bits; 64 is the most");
}

std::optional<ir::Bitfield> BitsetChecker::bitfield(const tree::Bitfield& field) {
  const auto bits = constants_.size(*field.bits, "the width of a bit field", 64);
  if (!bits) return std::nullopt;
  ir::Bitfield out;
  out.bits = static_cast<std::uint32_t>(*bits);
  out.span = field.span;
  if (field.type.kind == TypeKind::void_) {
    out.type = types_.basic(smallest_type(out.bits));
  } else {
    out.type = types_.check(field.type, TypeUse::member);
    if (out.type) check_width(field, out);
  }
  return out;
}

void BitsetChecker::check_width(const tree::Bitfield& field, const ir::Bitfield& checked) {
  const std::uint32_t width = bits_of(ir::resolved(*checked.type).kind);
  if (width == 0)
    diagnostics_.error("wrong-kind", field.type.span,
                       "a bit field is of type boolean, octet or an integer type");
  else if (checked.bits > width)
    diagnostics_.error("bad-size", field.bits->span,
                       std::to_string(checked.bits) + " bits do not fit in " + ir::describe(*checked.type));
}

}  // namespace orbweaver::idl
