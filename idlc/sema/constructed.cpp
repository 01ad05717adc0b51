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
  ir::Annotations notes = annotations(definition.annotations, On::type);
  auto& made = open<ir::Struct>(definition, body.forward, into);
  if (body.forward) return &made;
  made.annotations = std::move(notes);
  if (!body.base.empty()) {
    auto* base = static_cast<ir::Struct*>(resolve_as(body.base, ir::DeclKind::struct_, "a struct"));
    if (base && !base->defined) {
      diagnostics_
          .error("incomplete-type", body.base.span, "the base struct '" + base->name + "' is not defined yet")
          .note(base->span, "declared ahead here");
      base = nullptr;
    }
    made.base = base;
  }
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  if (made.base) {
    if (auto base = scope_of_.find(made.base); base != scope_of_.end())
      add_base(*inner, *base->second);
  }
  {
    Entered entered(*this, inner, made.name);
    // A member may not hide one that is inherited (IDL 4.2, 7.4.13.4.1): see declare().
    members(body.members, made.fields, made.contents);
    close(*inner);
  }
  made.trailing_underscore =
      (made.base && made.base->trailing_underscore) ||
      std::any_of(made.fields.begin(), made.fields.end(), [](const ir::Field& each) { return each.name.ends_with('_'); });
  made.defined = true;
  return &made;
}

void Checker::exception(const tree::Definition& definition, Contents& into) {
  auto& made = make<ir::Exception>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::type);
  add(made, definition, into);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  Entered entered(*this, inner, made.name);
  members(std::get<tree::Exception>(definition.body).members, made.fields, made.contents);
  close(*inner);
}

// Has it @external or @optional that is not switched off?
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

// No two members have one @id.
void Checker::unique_id(const ir::Annotations& annotations, MemberIds& ids) {
  const ir::AnnotationUse* use = find(annotations, "id");
  const ir::Integer* id = use && !use->arguments.empty() ? std::get_if<ir::Integer>(&use->arguments[0].value) : nullptr;
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
    const ir::Type* base = type(member.type, indirect ? Use::indirect : Use::member, &contents);
    const std::string_view comment = sources_.file(member.type.span.file).comment_before(member.type.span.offset);
    for (const tree::Declarator& declarator : member.declarators) {
      ir::Field field;
      field.name = declarator.name.text;
      field.span = declarator.name.span;
      field.recursive = indirect && base && awaited(*base);
      field.annotations = annotations(member.annotations, declarator, On::member, base);
      unique_id(field.annotations, ids);
      field.comment = comment;
      field.type = base && !(field.recursive && !declarator.dimensions.empty()) ? array(base, declarator) : base;
      if (field.type && scope_->owner) field.local = holds(*scope_->owner, *field.type);
      Symbol symbol;
      symbol.noun = "member";
      symbol.broken = !field.type;
      declare(declarator.name, symbol);
      if (field.type) fields.push_back(std::move(field));
    }
  });
}

// @value and @default_literal (IDL 4.2, 8.3.1.6 and 8.3.2.3): no two of an enum. In GIOP an enumerator's place counts.
void Checker::enumerator_value(const ir::Enumerator& made, EnumeratorValues& values) {
  const ir::AnnotationUse* use = find(made.annotations, "value");
  const ir::Integer* given = use && !use->arguments.empty() ? std::get_if<ir::Integer>(&use->arguments[0].value) : nullptr;
  if (given) values.next = *given;
  if (auto [earlier, fresh] = values.taken.emplace(values.next, made.span); !fresh) {
    diagnostics_
        .error("redefinition", use ? use->span : made.span,
               "another enumerator has the value " + ir::to_string(values.next) + " already")
        .note(earlier->second, "this one");
  }
  ++values.next;
  const ir::AnnotationUse* chosen = find(made.annotations, "default_literal");
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
  auto& made = make<ir::Enum>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::type);
  add(made, definition, into);
  if (const ir::AnnotationUse* bound = find(made.annotations, "bit_bound")) bit_bound(*bound, 32, "an enum");
  // Enumerators are names of the scope around the enum (IDL 4.2, 7.4.1.4.4.4.4).
  std::uint32_t position = 0;
  EnumeratorValues values;
  made.enumerators.reserve(body.enumerators.size());
  use_each(body.enumerators, [&](const tree::Enumerator& each) {
    auto& enumerator = make<ir::Enumerator>(each.name, each.name.span);
    enumerator.owner = &made;
    enumerator.value = position++;
    enumerator.annotations = annotations(each.annotations, On::enumerator);
    enumerator_value(enumerator, values);
    Symbol symbol;
    symbol.declaration = &enumerator;
    symbol.noun = "enumerator";
    declare(each.name, symbol);
    made.enumerators.push_back(&enumerator);
  });
  return &made;
}

namespace {

// The value of @position(n), @bit_bound(n), …; or nothing.
std::optional<std::uint32_t> number(const ir::AnnotationUse* use) {
  if (!use || use->arguments.empty()) return std::nullopt;
  auto* value = std::get_if<ir::Integer>(&use->arguments[0].value);
  return value && *value >= 0 && *value < 1'000'000 ? std::optional(static_cast<std::uint32_t>(*value))
                                                    : std::nullopt;
}

}  // namespace

// IDL 4.2, 8.3.4.1.
bool Checker::bit_bound(const ir::AnnotationUse& use, std::uint32_t most, std::string_view what) {
  if (use.arguments.empty()) return false;  // reported
  auto* value = std::get_if<ir::Integer>(&use.arguments[0].value);
  if (!value || (*value >= 1 && *value <= most)) return value != nullptr;
  diagnostics_.error("bad-size", use.span, std::string(what) + " has 1 to " + std::to_string(most) + " bits");
  return false;
}

void Checker::bitmask(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitmask>(definition.body);
  auto& made = make<ir::Bitmask>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::type);
  add(made, definition, into);
  const ir::AnnotationUse* bound = find(made.annotations, "bit_bound");
  made.bits = number(bound).value_or(32);
  if (bound && !bit_bound(*bound, 64, "a bitmask")) made.bits = 64;
  // Two bitmasks may have flags of one name: each is the scope of its own.
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  if (Symbol* symbol = find_own(*scope_, made.name); symbol && symbol->declaration == &made)
    symbol->inner = inner;
  Scope* outer = std::exchange(scope_, inner);
  std::uint32_t position = 0;
  std::map<std::uint32_t, const ir::Enumerator*> taken;
  for (const tree::Enumerator& each : body.flags) {
    auto& flag = make<ir::Enumerator>(each.name, each.name.span);
    flag.owner = &made;
    flag.annotations = annotations(each.annotations, On::enumerator);
    position = number(find(flag.annotations, "position")).value_or(position);
    flag.value = position++;
    if (flag.value >= made.bits) {
      diagnostics_
          .error("out-of-range", each.name.span,
                 "bit " + std::to_string(flag.value) + " lies beyond the " + std::to_string(made.bits) +
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
    made.flags.push_back(&flag);
  }
  scope_ = outer;
}

void Checker::bitset(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitset>(definition.body);
  auto& made = make<ir::Bitset>(definition.name, definition);
  made.annotations = annotations(definition.annotations, On::type);
  if (!body.base.empty())
    made.base = static_cast<ir::Bitset*>(resolve_as(body.base, ir::DeclKind::bitset, "a bitset"));
  add(made, definition, into);
  Scope* inner = new_scope(Scope::Kind::constructed, scope_, made.name, made.span, &made);
  Entered entered(*this, inner, made.name);
  std::uint64_t total = made.base ? made.base->bits : 0;
  if (made.base) {
    if (auto base = scope_of_.find(made.base); base != scope_of_.end()) add_base(*inner, *base->second);
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
    one.type = field.type.kind == ir::TypeKind::void_ ? basic(fitting) : type(field.type, Use::member);
    if (one.type && field.type.kind != ir::TypeKind::void_) {
      const ir::Type& real = ir::resolved(*one.type);
      std::uint64_t room = real.kind == ir::TypeKind::boolean ? 1
                           : real.kind == ir::TypeKind::octet || real.kind == ir::TypeKind::int8 ||
                                   real.kind == ir::TypeKind::uint8
                               ? 8
                           : real.kind == ir::TypeKind::short_ || real.kind == ir::TypeKind::ushort ? 16
                           : real.kind == ir::TypeKind::long_ || real.kind == ir::TypeKind::ulong   ? 32
                           : ir::is_integer(real.kind)                                              ? 64
                                                                                                    : 0;
      if (room == 0)
        diagnostics_.error("wrong-kind", field.type.span,
                           "a bit field is of type boolean, octet or an integer type");
      else if (one.bits > room)
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
      made.fields.push_back(one);
    }
  }
  close(*inner);
  made.bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, 1000));
  if (total > 64)
    diagnostics_.error("bad-size", made.span,
                       "this bitset has " + std::to_string(total) + " bits; 64 is the most");
}

}  // namespace orbweaver::idl
