#include <algorithm>

#include "idlc/ir/values.h"
#include "idlc/sema/checker.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

ir::Declaration* Checker::constructed(const tree::Definition& definition, Contents& into) {
  if (std::holds_alternative<tree::Struct>(definition.body)) return struct_(definition, into);
  if (std::holds_alternative<tree::Union>(definition.body)) return union_(definition, into);
  return enum_(definition, into);
}

ir::Declaration* Checker::struct_(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Struct>(definition.body);
  ir::Annotations notes = annotations(definition.annotations, AnnotationTarget::type);
  auto& decl = open<ir::Struct>(definition, body.forward, into);
  if (body.forward) return &decl;
  decl.annotations = std::move(notes);
  if (!body.base.empty()) {
    auto* base = static_cast<ir::Struct*>(resolve_as(body.base, ir::DeclKind::struct_, "a struct"));
    if (base && !base->defined) {
      diagnostics_
          .error("incomplete-type", body.base.span, "the base struct '" + base->name + "' is not defined yet")
          .note(base->span, "declared ahead here");
      base = nullptr;
    }
    decl.base = base;
  }
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  if (decl.base) {
    if (auto base = scope_of_.find(decl.base); base != scope_of_.end()) add_base(*inner, *base->second);
  }
  {
    ScopeGuard entered(*this, inner, decl.name);
    // A member may not hide an inherited one (IDL 4.2, 7.4.13.4.1): see declare().
    members(body.members, decl.fields, decl.contents);
    close(*inner);
  }
  decl.trailing_underscore = (decl.base && decl.base->trailing_underscore) ||
                             std::any_of(decl.fields.begin(), decl.fields.end(),
                                         [](const ir::Field& each) { return each.name.ends_with('_'); });
  decl.defined = true;
  return &decl;
}

void Checker::exception(const tree::Definition& definition, Contents& into) {
  auto& decl = make<ir::Exception>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  add(decl, definition, into);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  ScopeGuard entered(*this, inner, decl.name);
  members(std::get<tree::Exception>(definition.body).members, decl.fields, decl.contents);
  close(*inner);
}

// Whether @external or @optional is present and not set to FALSE.
bool Checker::is_indirect(const tree::Annotations& annotations) {
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

// Reports a member's @id that an earlier member has already.
void Checker::unique_id(const ir::Annotations& annotations, MemberIds& ids) {
  const ir::AnnotationUse* use = find(annotations, "id");
  const ir::Integer* id =
      use && !use->arguments.empty() ? std::get_if<ir::Integer>(&use->arguments[0].value) : nullptr;
  if (!id) return;
  auto [earlier, fresh] = ids.emplace(*id, use->span);
  if (fresh) return;
  diagnostics_
      .error("redefinition", use->span, "another member has the id " + ir::to_string(*id) + " already")
      .note(earlier->second, "given here");
}

void Checker::members(const std::deque<tree::Member>& from, std::vector<ir::Field>& fields,
                      Contents& contents) {
  MemberIds ids;
  fields.reserve(from.size());
  use_each(from, [&](const tree::Member& member) {
    const bool indirect = is_indirect(member.annotations);
    const ir::Type* base = type(member.type, indirect ? TypeUse::indirect : TypeUse::member, &contents);
    const std::string_view comment =
        sources_.file(member.type.span.file).comment_before(member.type.span.offset);
    for (const tree::Declarator& declarator : member.declarators) {
      ir::Field field;
      field.name = declarator.name.text;
      field.span = declarator.name.span;
      field.recursive = indirect && base && incomplete_declaration(*base);
      field.annotations = annotations(member.annotations, declarator, AnnotationTarget::member, base);
      unique_id(field.annotations, ids);
      field.comment = comment;
      field.type =
          base && !(field.recursive && !declarator.dimensions.empty()) ? array(base, declarator) : base;
      if (field.type && scope_->owner) field.local = holds(*scope_->owner, *field.type);
      Symbol symbol;
      symbol.noun = "member";
      symbol.broken = !field.type;
      declare(declarator.name, symbol);
      if (field.type) fields.push_back(std::move(field));
    }
  });
}

// Checks @value and @default_literal (IDL 4.2, 8.3.1.6 and 8.3.2.3): values are unique within an enum, and at
// most one enumerator is the default. GIOP encodes an enumerator's position, not its @value.
void Checker::enumerator_value(const ir::Enumerator& decl, EnumeratorValues& values) {
  const ir::AnnotationUse* use = find(decl.annotations, "value");
  const ir::Integer* given =
      use && !use->arguments.empty() ? std::get_if<ir::Integer>(&use->arguments[0].value) : nullptr;
  if (given) values.next = *given;
  if (auto [earlier, fresh] = values.taken.emplace(values.next, decl.span); !fresh) {
    diagnostics_
        .error("redefinition", use ? use->span : decl.span,
               "another enumerator has the value " + ir::to_string(values.next) + " already")
        .note(earlier->second, "this one");
  }
  ++values.next;
  const ir::AnnotationUse* chosen = find(decl.annotations, "default_literal");
  if (!chosen) return;
  if (values.default_literal.known()) {
    diagnostics_.error("redefinition", chosen->span, "an enum has one @default_literal only")
        .note(values.default_literal, "the first one is here");
  } else {
    values.default_literal = chosen->span;
  }
}

ir::Declaration* Checker::enum_(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Enum>(definition.body);
  auto& decl = make<ir::Enum>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  add(decl, definition, into);
  if (const ir::AnnotationUse* bound = find(decl.annotations, "bit_bound")) bit_bound(*bound, 32, "an enum");
  // Enumerators are declared in the scope that encloses the enum (IDL 4.2, 7.4.1.4.4.4.4).
  std::uint32_t position = 0;
  EnumeratorValues values;
  decl.enumerators.reserve(body.enumerators.size());
  use_each(body.enumerators, [&](const tree::Enumerator& each) {
    auto& enumerator = make<ir::Enumerator>(each.name, each.name.span);
    enumerator.owner = &decl;
    enumerator.value = position++;
    enumerator.annotations = annotations(each.annotations, AnnotationTarget::enumerator);
    enumerator_value(enumerator, values);
    Symbol symbol;
    symbol.declaration = &enumerator;
    symbol.noun = "enumerator";
    declare(each.name, symbol);
    decl.enumerators.push_back(&enumerator);
  });
  return &decl;
}

namespace {

// The integer argument of @position(n), @bit_bound(n), …; nullopt if the annotation or its value is missing.
std::optional<std::uint32_t> number(const ir::AnnotationUse* use) {
  if (!use || use->arguments.empty()) return std::nullopt;
  auto* value = std::get_if<ir::Integer>(&use->arguments[0].value);
  return value && *value >= 0 && *value < 1'000'000 ? std::optional(static_cast<std::uint32_t>(*value))
                                                    : std::nullopt;
}

}  // namespace

// Checks the argument of @bit_bound: 1 to `max_bits` (IDL 4.2, 8.3.4.1).
bool Checker::bit_bound(const ir::AnnotationUse& use, std::uint32_t max_bits, std::string_view what) {
  if (use.arguments.empty()) return false;  // already reported
  auto* value = std::get_if<ir::Integer>(&use.arguments[0].value);
  if (!value || (*value >= 1 && *value <= max_bits)) return value != nullptr;
  diagnostics_.error("bad-size", use.span,
                     std::string(what) + " has 1 to " + std::to_string(max_bits) + " bits");
  return false;
}

void Checker::bitmask(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitmask>(definition.body);
  auto& decl = make<ir::Bitmask>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  add(decl, definition, into);
  const ir::AnnotationUse* bound = find(decl.annotations, "bit_bound");
  decl.bits = number(bound).value_or(32);
  if (bound && !bit_bound(*bound, 64, "a bitmask")) decl.bits = 64;
  // A bitmask is a scope: two bitmasks may have flags of the same name.
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  if (Symbol* symbol = find_own(*scope_, decl.name); symbol && symbol->declaration == &decl)
    symbol->inner = inner;
  Scope* outer = std::exchange(scope_, inner);
  std::uint32_t position = 0;
  std::map<std::uint32_t, const ir::Enumerator*> taken;
  for (const tree::Enumerator& each : body.flags) {
    auto& flag = make<ir::Enumerator>(each.name, each.name.span);
    flag.owner = &decl;
    flag.annotations = annotations(each.annotations, AnnotationTarget::enumerator);
    position = number(find(flag.annotations, "position")).value_or(position);
    flag.value = position++;
    if (flag.value >= decl.bits) {
      diagnostics_
          .error("out-of-range", each.name.span,
                 "bit " + std::to_string(flag.value) + " lies beyond the " + std::to_string(decl.bits) +
                     " bits of the bitmask")
          .suggest("give the bitmask more bits with @bit_bound");
    }
    if (auto [earlier, fresh] = taken.emplace(flag.value, &flag); !fresh) {
      diagnostics_
          .error("redefinition", each.name.span, "bit " + std::to_string(flag.value) + " is taken already")
          .note(earlier->second->span, "by this flag");
    }
    Symbol symbol;
    symbol.declaration = &flag;
    symbol.noun = "flag";
    declare(each.name, symbol);
    decl.flags.push_back(&flag);
  }
  scope_ = outer;
}

void Checker::bitset(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitset>(definition.body);
  auto& decl = make<ir::Bitset>(definition.name, definition);
  decl.annotations = annotations(definition.annotations, AnnotationTarget::type);
  if (!body.base.empty())
    decl.base = static_cast<ir::Bitset*>(resolve_as(body.base, ir::DeclKind::bitset, "a bitset"));
  add(decl, definition, into);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, decl.name, decl.span, &decl);
  ScopeGuard entered(*this, inner, decl.name);
  std::uint64_t total = decl.base ? decl.base->bits : 0;
  if (decl.base) {
    if (auto base = scope_of_.find(decl.base); base != scope_of_.end()) add_base(*inner, *base->second);
  }
  for (const tree::Bitfield& field : body.fields) {
    ir::Bitfield one;
    auto bits = size(*field.bits, "the width of a bit field", 64);
    if (!bits) continue;
    one.bits = static_cast<std::uint32_t>(*bits);
    one.span = field.span;
    ir::TypeKind fitting = one.bits == 1    ? ir::TypeKind::boolean
                           : one.bits <= 8  ? ir::TypeKind::octet
                           : one.bits <= 16 ? ir::TypeKind::ushort
                           : one.bits <= 32 ? ir::TypeKind::ulong
                                            : ir::TypeKind::ulonglong;
    one.type = field.type.kind == ir::TypeKind::void_ ? basic(fitting) : type(field.type, TypeUse::member);
    if (one.type && field.type.kind != ir::TypeKind::void_) {
      const ir::Type& real = ir::resolved(*one.type);
      std::uint64_t width = real.kind == ir::TypeKind::boolean ? 1
                            : real.kind == ir::TypeKind::octet || real.kind == ir::TypeKind::int8 ||
                                    real.kind == ir::TypeKind::uint8
                                ? 8
                            : real.kind == ir::TypeKind::short_ || real.kind == ir::TypeKind::ushort ? 16
                            : real.kind == ir::TypeKind::long_ || real.kind == ir::TypeKind::ulong   ? 32
                            : ir::is_integer(real.kind)                                              ? 64
                                                                                                     : 0;
      if (width == 0)
        diagnostics_.error("wrong-kind", field.type.span,
                           "a bit field is of type boolean, octet or an integer type");
      else if (one.bits > width)
        diagnostics_.error("bad-size", field.bits->span,
                           std::to_string(one.bits) + " bits do not fit in " + ir::describe(*one.type));
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(field.names.size(), 1); ++i) {
      total += one.bits;
      if (i < field.names.size()) {
        one.name = field.names[i].text;
        one.span = field.names[i].span;
        Symbol symbol;
        symbol.noun = "bit field";
        declare(field.names[i], symbol);
      }
      decl.fields.push_back(one);
    }
  }
  close(*inner);
  decl.bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, 1000));
  if (total > 64)
    diagnostics_.error("bad-size", decl.span,
                       "this bitset has " + std::to_string(total) + " bits; 64 is the most");
}

}  // namespace orbweaver::idl
