#include "idlc/ir/layout.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace orbweaver::idl::ir {
namespace {

// Number of starting offsets (0 to 7 bytes beyond a multiple of 8) that lead to different padding.
constexpr std::uint64_t kStarts = 8;
// Sizes from here on are not computed exactly: such a type counts as having no fixed size.
constexpr std::uint64_t kLarge = std::uint64_t{1} << 40;

Layout primitive(std::uint32_t bytes, bool plain) {
  return {bytes, 2 * std::uint64_t{bytes} - 1, bytes, plain, {}};
}
Layout variable(std::uint64_t min_bytes, std::uint32_t align = 4) { return {min_bytes, 0, align, false, {}}; }

std::uint64_t align_up(std::uint64_t at, std::uint64_t to) { return (at + to - 1) / to * to; }

bool is_composite(const Type& real) {
  if (real.kind == TypeKind::array) return true;
  if (real.kind != TypeKind::declared || real.declaration->kind != DeclKind::struct_) return false;
  const auto& s = as<Struct>(*real.declaration);
  return s.base || !s.fields.empty();
}

// The offset after a value of a fixed-size type that is written at offset `at`.
std::uint64_t end_of(const Type& type, const Layout& layout, std::uint64_t at) {
  if (is_composite(resolved(type))) return at + layout.spans[at % kStarts];
  return layout.align ? align_up(at, layout.align) + layout.min_bytes : at + layout.min_bytes;
}

// Computes the layout of a struct from its members, one at a time.
class FieldLayout {
 public:
  // `base`: the layout of the base struct; null if there is none.
  explicit FieldLayout(const Layout* base) {
    if (base) out_ = *base;
    fixed_ = !base || base->max_bytes != 0;
    at_ = out_.min_bytes;
    for (std::uint64_t start = 0; start < kStarts; ++start)
      ends_[start] = start + (base ? base->spans[start] : 0);
  }

  void add(const Type& type) {
    const Layout each = layout_of(type);
    fixed_ = fixed_ && each.max_bytes != 0 && at_ < kLarge;
    out_.plain = out_.plain && each.plain && at_ % each.align == 0;
    out_.align = std::max(out_.align, each.align);
    out_.min_bytes = std::min(out_.min_bytes + each.min_bytes, kLarge);
    at_ = std::min(at_ + each.min_bytes, kLarge);
    if (!fixed_) return;
    for (std::uint64_t& end : ends_) end = end_of(type, each, end);
  }

  Layout finish() {
    // There must be no padding after the last member either, or an array of the struct would have gaps.
    out_.plain = out_.plain && at_ > 0 && at_ % out_.align == 0 && at_ < kLarge;
    out_.max_bytes = 0;
    out_.spans = {};
    if (!fixed_ || at_ == 0 || at_ >= kLarge) return out_;
    for (std::uint64_t start = 0; start < kStarts; ++start) {
      out_.spans[start] = ends_[start] - start;
      out_.max_bytes = std::max(out_.max_bytes, out_.spans[start]);
    }
    return out_;
  }

 private:
  Layout out_{0, 0, 1, true, {}};
  bool fixed_ = true;                          // all members so far have a fixed size
  std::uint64_t at_ = 0;                       // the sum of the minimum sizes
  std::array<std::uint64_t, kStarts> ends_{};  // the end of the last member, by starting offset
};

Layout of_fields(const std::vector<Field>& fields, const Layout* base) {
  FieldLayout layout(base);
  for (const Field& each : fields) layout.add(*each.type);
  return layout.finish();
}

// The size of an array that is written at offset `start`. The padding of the elements repeats after at most 8
// elements: computes the first 16 elements and extrapolates the rest.
std::uint64_t array_span(const Type& element, const Layout& layout, std::uint64_t count,
                         std::uint64_t start) {
  std::uint64_t at = start;
  const std::uint64_t walked = std::min<std::uint64_t>(count, 16);
  std::uint64_t begin_last = at;
  for (std::uint64_t i = 0; i < walked; ++i) {
    if (i + kStarts == walked) begin_last = at;
    at = end_of(element, layout, at);
  }
  const std::uint64_t rest = count - walked;
  return at + (rest / kStarts + (rest % kStarts ? 1 : 0)) * (at - begin_last) - start;
}

Layout of_array(const Type& array) {
  const Layout element = layout_of(*array.element);
  std::uint64_t count = 1;
  for (std::uint64_t each : array.dimensions) count *= each;
  Layout out = element;
  out.min_bytes = element.min_bytes > kLarge / count ? kLarge : element.min_bytes * count;
  out.max_bytes = 0;
  out.spans = {};
  if (element.max_bytes && element.max_bytes < kLarge / count) {
    for (std::uint64_t start = 0; start < kStarts; ++start) {
      out.spans[start] = array_span(*array.element, element, count, start);
      out.max_bytes = std::max(out.max_bytes, out.spans[start]);
    }
  }
  return out;
}

// A pending layout computation: an array or a struct, and the number of its parts visited so far.
struct LayoutQuery {
  const Type* array;        // null: a struct
  const Struct* structure;  // null: an array
  std::size_t part = 0;
  const CachedLayout& cache() const { return array ? array->layout : structure->layout; }
};

std::optional<LayoutQuery> pending(const Type& type) {
  const Type& real = resolved(type);
  std::optional<LayoutQuery> out;
  if (real.kind == TypeKind::array) out = LayoutQuery{&real, nullptr};
  if (real.kind == TypeKind::declared && real.declaration->kind == DeclKind::struct_ &&
      as<Struct>(*real.declaration).defined)
    out = LayoutQuery{nullptr, &as<Struct>(*real.declaration)};
  return out && !out->cache().layout && !out->cache().computing ? out : std::nullopt;
}

// The next part whose layout must be computed first; nullopt if there is none.
std::optional<LayoutQuery> next_part(LayoutQuery& of) {
  if (of.array) return of.part++ == 0 ? pending(*of.array->element) : std::nullopt;
  const std::size_t all = of.structure->fields.size() + 1;
  while (of.part < all) {
    const std::size_t part = of.part++;
    if (part == 0) {
      const Struct* base = of.structure->base;
      if (base && base->defined && !base->layout.layout && !base->layout.computing)
        return LayoutQuery{nullptr, base};
    } else if (auto found = pending(*of.structure->fields[part - 1].type)) {
      return found;
    }
  }
  return std::nullopt;
}

Layout of_struct(const Struct& s) {
  // An empty struct is encoded as one octet.
  if (!s.base && s.fields.empty()) return {1, 1, 1, false, {1, 1, 1, 1, 1, 1, 1, 1}};
  return of_fields(s.fields, s.base && s.base->layout.layout ? s.base->layout.layout.get() : nullptr);
}

// Returns the layout, computing that of the parts first. Iterative, because the nesting of structs is limited
// only by the length of the text.
Layout cached_layout(LayoutQuery first) {
  if (first.cache().layout) return *first.cache().layout;
  if (first.cache().computing) return variable(1);  // a recursive type has no fixed size
  std::vector<LayoutQuery> open{first};
  first.cache().computing = true;
  while (!open.empty()) {
    if (std::optional<LayoutQuery> part = next_part(open.back())) {
      part->cache().computing = true;
      open.push_back(*part);
      continue;
    }
    const LayoutQuery& done = open.back();
    done.cache().layout =
        std::make_unique<const Layout>(done.array ? of_array(*done.array) : of_struct(*done.structure));
    done.cache().computing = false;
    open.pop_back();
  }
  return *first.cache().layout;
}

Layout of_declared(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclKind::enum_: return {4, 7, 4, false, {}};
    case DeclKind::struct_: {
      const auto& s = as<Struct>(declaration);
      return s.defined ? cached_layout({nullptr, &s}) : variable(1);
    }
    case DeclKind::exception: return of_fields(as<Exception>(declaration).fields, nullptr);
    case DeclKind::bitmask: {
      std::uint32_t bits = as<Bitmask>(declaration).bits;
      return primitive(bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8, false);
    }
    case DeclKind::bitset: return variable(1, 8);
    case DeclKind::union_: {
      const auto& u = as<Union>(declaration);
      return variable(u.discriminator ? layout_of(*u.discriminator).min_bytes : 1);
    }
    case DeclKind::interface: return variable(as<Interface>(declaration).abstract_ ? 5 : 8);
    default: return variable(4);
  }
}

}  // namespace

Layout layout_of(const std::vector<Field>& fields) { return of_fields(fields, nullptr); }

namespace {

// The size of the basic types whose size is their alignment; 0 for other types.
std::uint32_t primitive_bytes(TypeKind kind) {
  constexpr TypeKind kTwo[] = {TypeKind::short_, TypeKind::ushort};
  constexpr TypeKind kFour[] = {TypeKind::long_, TypeKind::ulong, TypeKind::float_};
  constexpr TypeKind kEight[] = {TypeKind::longlong, TypeKind::ulonglong, TypeKind::double_};
  const auto in = [&](const auto& kinds) {
    return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
  };
  if (kind == TypeKind::wchar) return 0;
  if (kind >= TypeKind::boolean && kind <= TypeKind::uint8) return 1;
  return in(kTwo) ? 2 : in(kFour) ? 4 : in(kEight) ? 8 : 0;
}

}  // namespace

Layout layout_of(const Type& type) {
  const Type& real = resolved(type);
  if (const std::uint32_t bytes = primitive_bytes(real.kind))
    return primitive(bytes, real.kind != TypeKind::boolean);
  switch (real.kind) {
    case TypeKind::longdouble: return {16, 23, 8, false, {}};
    case TypeKind::wchar: return variable(1, 1);
    case TypeKind::object: return variable(8);
    case TypeKind::array: return cached_layout({&real, nullptr});
    case TypeKind::fixed: return {(real.digits + 2) / 2, (real.digits + 2) / 2, 1, false, {}};
    case TypeKind::declared: return is_typecode(real) ? variable(4) : of_declared(*real.declaration);
    default: return variable(4);
  }
}

bool can_be_view(const Type& type) {
  const Type& real = resolved(type);
  if (real.kind == TypeKind::string) return true;
  return real.kind == TypeKind::sequence && layout_of(*real.element).plain;
}

}  // namespace orbweaver::idl::ir
