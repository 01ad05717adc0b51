#include "idlc/ir/layout.h"

#include <algorithm>

namespace orbweaver::idl::ir {
namespace {

// Where writing begins matters to padding: 0 to 7 bytes past a multiple of 8.
constexpr std::uint64_t kStarts = 8;
// Types may hold themselves through sequences, but values of fixed size may not: this is deep enough.
constexpr std::uint64_t kLarge = std::uint64_t{1} << 40;

Layout primitive(std::uint32_t bytes, bool plain) {
  return {bytes, 2 * std::uint64_t{bytes} - 1, bytes, plain};
}
Layout variable(std::uint64_t least, std::uint32_t align = 4) { return {least, 0, align, false}; }

// The end of a value of a fixed-size type that begins to be written at `at`.
std::uint64_t end_of(const Type& type, std::uint64_t at);

std::uint64_t align_up(std::uint64_t at, std::uint64_t to) { return (at + to - 1) / to * to; }

std::uint64_t end_of(const std::vector<Field>& fields, std::uint64_t at) {
  for (const Field& field : fields) at = end_of(*field.type, at);
  return at;
}

std::uint64_t end_of_struct(const Struct& s, std::uint64_t at) {
  if (s.base) at = end_of_struct(*s.base, at);
  if (!s.base && s.fields.empty()) return at + 1;
  return end_of(s.fields, at);
}

std::uint64_t end_of(const Type& type, std::uint64_t at) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::array) {
    std::uint64_t count = 1;
    for (std::uint64_t each : real.dimensions) count *= each;
    // After one element the rest repeats with the element's period, at most 8 bytes of phase: walk a few,
    // scale the rest.
    std::uint64_t walked = std::min<std::uint64_t>(count, 16);
    std::uint64_t begin_last = at;
    for (std::uint64_t i = 0; i < walked; ++i) {
      if (i + kStarts == walked) begin_last = at;
      at = end_of(*real.element, at);
    }
    std::uint64_t rest = count - walked;
    std::uint64_t eight = at - begin_last;
    return at + (rest / kStarts + (rest % kStarts ? 1 : 0)) * eight;
  }
  if (real.kind == TypeKind::declared && real.declaration->kind == DeclKind::struct_) {
    return end_of_struct(as<Struct>(*real.declaration), at);
  }
  Layout layout = layout_of(real);
  return layout.align ? align_up(at, layout.align) + layout.least : at + layout.least;
}

Layout of_fields(const std::vector<Field>& fields, const Struct* base) {
  Layout out{0, 0, 1, true};
  if (base) {
    Type type;
    type.kind = TypeKind::declared;
    type.declaration = base;
    out = layout_of(type);
  }
  bool fixed = !base || out.most != 0;
  std::uint64_t at = out.least;
  for (const Field& field : fields) {
    Layout each = layout_of(*field.type);
    fixed = fixed && each.most != 0;
    out.plain = out.plain && each.plain && at % each.align == 0;
    out.align = std::max(out.align, each.align);
    out.least += each.least;
    at += each.least;
  }
  // No padding behind the last member either, or an array of it would have gaps.
  out.plain = out.plain && at > 0 && at % out.align == 0 && at < kLarge;
  out.most = 0;
  if (fixed && at > 0 && at < kLarge) {
    for (std::uint64_t start = 0; start < kStarts; ++start) {
      std::uint64_t end = base ? end_of_struct(*base, start) : start;
      out.most = std::max(out.most, end_of(fields, end) - start);
    }
  }
  return out;
}

Layout of_array(const Type& array) {
  Layout element = layout_of(*array.element);
  std::uint64_t count = 1;
  for (std::uint64_t each : array.dimensions) count *= each;
  Layout out = element;
  out.least = std::min(element.least * count, kLarge);
  out.most = 0;
  if (element.most && element.most * count < kLarge) {
    for (std::uint64_t start = 0; start < kStarts; ++start)
      out.most = std::max(out.most, end_of(array, start) - start);
  }
  return out;
}

Layout of_declared(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclKind::enum_:
      return {4, 7, 4, false};
    case DeclKind::struct_: {
      const auto& s = as<Struct>(declaration);
      if (!s.defined) return variable(1);
      if (!s.base && s.fields.empty()) return {1, 1, 1, false};  // for want of anything smaller
      return of_fields(s.fields, s.base);
    }
    case DeclKind::exception:
      return of_fields(as<Exception>(declaration).fields, nullptr);
    case DeclKind::bitmask: {
      std::uint32_t bits = as<Bitmask>(declaration).bits;
      return primitive(bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8, false);
    }
    case DeclKind::bitset:
      return variable(1, 8);
    case DeclKind::union_: {
      const auto& u = as<Union>(declaration);
      return variable(u.discriminator ? layout_of(*u.discriminator).least : 1);
    }
    case DeclKind::interface:
      return variable(8);
    default:
      return variable(4);
  }
}

}  // namespace

Layout layout_of(const std::vector<Field>& fields) { return of_fields(fields, nullptr); }

Layout layout_of(const Type& type) {
  const Type& real = resolved(type);
  switch (real.kind) {
    case TypeKind::char_:
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      return primitive(1, true);
    case TypeKind::boolean:
      return primitive(1, false);
    case TypeKind::short_:
    case TypeKind::ushort:
      return primitive(2, true);
    case TypeKind::long_:
    case TypeKind::ulong:
    case TypeKind::float_:
      return primitive(4, true);
    case TypeKind::longlong:
    case TypeKind::ulonglong:
    case TypeKind::double_:
      return primitive(8, true);
    case TypeKind::longdouble:
      return {16, 23, 8, false};
    case TypeKind::wchar:
      return variable(1, 1);
    case TypeKind::object:
      return variable(8);
    case TypeKind::array:
      return of_array(real);
    case TypeKind::fixed:
      return variable((real.digits + 2) / 2, 1);
    case TypeKind::declared:
      return is_typecode(real) ? variable(4) : of_declared(*real.declaration);
    default:
      return variable(4);
  }
}

bool can_be_view(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::string) return true;
  return real.kind == TypeKind::sequence && layout_of(*real.element).plain;
}

}  // namespace orbweaver::idl::ir
