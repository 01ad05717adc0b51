#include "idlc/sema/enum_checker.h"

#include "idlc/ir/values.h"

namespace orbweaver::idl {

/// The values of an enum's enumerators so far: those set with @value, and those that follow them.
struct EnumChecker::Values {
  std::map<ir::Integer, Span> taken;
  ir::Integer next = 0;
  Span default_literal;
};

ir::Enum* EnumChecker::check_enum(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Enum>(definition.body);
  auto& decl = declarations_.make<ir::Enum>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  declarations_.add(decl, definition, into);
  check_bit_bound(decl.annotations, 32, "an enum");
  // Enumerators are declared in the scope that encloses the enum (IDL 4.2, 7.4.1.4.4.4.4).
  std::uint32_t position = 0;
  Values values;
  decl.enumerators.reserve(body.enumerators.size());
  use_each(body.enumerators, declarations_.in_template_instance(), [&](const tree::Enumerator& each) {
    auto& enumerator = declarations_.make<ir::Enumerator>(each.name, each.name.span);
    enumerator.owner = &decl;
    enumerator.value = position++;
    enumerator.annotations = annotations_.check(each.annotations, AnnotationTarget::enumerator);
    check_value(enumerator, values);
    check_default_literal(enumerator, values);
    Symbol symbol;
    symbol.declaration = &enumerator;
    symbol.noun = "enumerator";
    names_.declare(each.name, symbol);
    decl.enumerators.push_back(&enumerator);
  });
  return &decl;
}

// Checks that the values of @value (IDL 4.2, 8.3.2.3) are unique within an enum. GIOP encodes an enumerator's
// position, not its @value.
void EnumChecker::check_value(const ir::Enumerator& enumerator, Values& values) {
  const ir::AnnotationUse* use = find_annotation(enumerator.annotations, "value");
  if (const ir::Integer* given = integer_argument(enumerator.annotations, "value")) values.next = *given;
  if (auto [earlier, fresh] = values.taken.emplace(values.next, enumerator.span); !fresh) {
    diagnostics_
        .error("redefinition", use ? use->span : enumerator.span,
               "another enumerator has the value " + ir::to_string(values.next) + " already")
        .note(earlier->second, "this one");
  }
  ++values.next;
}

// Checks that at most one enumerator is the default (IDL 4.2, 8.3.1.6).
void EnumChecker::check_default_literal(const ir::Enumerator& enumerator, Values& values) {
  const ir::AnnotationUse* use = find_annotation(enumerator.annotations, "default_literal");
  if (!use) return;
  if (values.default_literal.known()) {
    diagnostics_.error("redefinition", use->span, "an enum has one @default_literal only")
        .note(values.default_literal, "the first one is here");
  } else {
    values.default_literal = use->span;
  }
}

namespace {

// The integer argument of @position(n) or @bit_bound(n); nullopt if there is none that is small enough.
std::optional<std::uint32_t> number(const ir::Annotations& annotations, std::string_view name) {
  const ir::Integer* value = integer_argument(annotations, name);
  return value && *value >= 0 && *value < 1'000'000 ? std::optional(static_cast<std::uint32_t>(*value))
                                                    : std::nullopt;
}

}  // namespace

// Checks that @bit_bound, if it is present, is from 1 to `max_bits` (IDL 4.2, 8.3.4.1).
bool EnumChecker::check_bit_bound(const ir::Annotations& annotations, std::uint32_t max_bits,
                                  std::string_view noun) {
  const ir::AnnotationUse* use = find_annotation(annotations, "bit_bound");
  if (!use) return true;
  const ir::Integer* value = integer_argument(annotations, "bit_bound");
  if (!value) return false;  // already reported
  if (*value >= 1 && *value <= max_bits) return true;
  diagnostics_.error("bad-size", use->span,
                     std::string(noun) + " has 1 to " + std::to_string(max_bits) + " bits");
  return false;
}

void EnumChecker::check_bitmask(const tree::Definition& definition, Contents& into) {
  const auto& body = std::get<tree::Bitmask>(definition.body);
  auto& decl = declarations_.make<ir::Bitmask>(definition.name, definition);
  decl.annotations = annotations_.check(definition.annotations, AnnotationTarget::type);
  declarations_.add(decl, definition, into);
  decl.bits = number(decl.annotations, "bit_bound").value_or(32);
  if (!check_bit_bound(decl.annotations, 64, "a bitmask")) decl.bits = 64;
  // A bitmask is a scope: two bitmasks may have flags of the same name.
  const ScopeGuard entered(names_, names_.open_scope(Scope::Kind::constructed, decl));
  std::uint32_t position = 0;
  std::map<std::uint32_t, Span> taken;
  for (const tree::Enumerator& each : body.flags) {
    auto& flag = declarations_.make<ir::Enumerator>(each.name, each.name.span);
    flag.owner = &decl;
    flag.annotations = annotations_.check(each.annotations, AnnotationTarget::enumerator);
    position = number(flag.annotations, "position").value_or(position);
    flag.value = position++;
    check_position(flag, decl, taken);
    Symbol symbol;
    symbol.declaration = &flag;
    symbol.noun = "flag";
    names_.declare(each.name, symbol);
    decl.flags.push_back(&flag);
  }
}

void EnumChecker::check_position(const ir::Enumerator& flag, const ir::Bitmask& bitmask,
                                 std::map<std::uint32_t, Span>& taken) {
  const std::string bit = "bit " + std::to_string(flag.value);
  if (flag.value >= bitmask.bits) {
    diagnostics_
        .error("out-of-range", flag.span,
               bit + " lies beyond the " + std::to_string(bitmask.bits) + " bits of the bitmask")
        .suggest("give the bitmask more bits with @bit_bound");
  }
  if (auto [earlier, fresh] = taken.emplace(flag.value, flag.span); !fresh)
    diagnostics_.error("redefinition", flag.span, bit + " is taken already")
        .note(earlier->second, "by this flag");
}

}  // namespace orbweaver::idl
