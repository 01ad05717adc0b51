// The CDR layout of a TypeCode's values, computed once for each, to check lengths from a peer and to copy
// plain values as blocks. The recursion follows containment by value, which is finite.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

constexpr std::uint64_t kKnown = std::uint64_t{1} << 63;
constexpr std::uint64_t kWcharKnown = std::uint64_t{1} << 62;
constexpr std::uint64_t kWide = std::uint64_t{1} << 61;
constexpr std::uint64_t kValuesKnown = std::uint64_t{1} << 31;
constexpr std::uint64_t kValues = std::uint64_t{1} << 30;
// Limit of minimum sizes: more than a message has bytes behind its header.
constexpr std::uint64_t kMaxMinBytes = (std::uint64_t{1} << 30) - 1;
constexpr std::uint64_t kMaxPlainBytes = (1u << 24) - 1;

struct Layout {
  std::uint64_t min_bytes = 0;
  std::uint64_t block = 0;
  std::uint64_t align = 1;
};

Layout layout_of(const TypeCode& type);

Layout plain(std::uint64_t bytes) { return {bytes, bytes, bytes}; }

Layout layout_of_members(const TypeCode& type) {
  Layout all;
  const bool raised = type.kind() == TCKind::tk_except;  // starts with its repository id
  all.min_bytes = raised ? 4 : Access::count(type) == 0 ? 1 : 0;
  bool gapless = !raised && Access::count(type) != 0;
  for (std::uint32_t i = 0; i < Access::count(type); ++i) {
    const Layout member = layout_of(*Access::members(type)[i].type);
    all.min_bytes = std::min(kMaxMinBytes, all.min_bytes + member.min_bytes);
    gapless = gapless && member.block != 0 && all.block % member.align == 0;
    all.block = std::min(kMaxPlainBytes + 1, all.block + member.block);
    all.align = std::max(all.align, member.align);
  }
  if (!gapless || all.block > kMaxPlainBytes || all.block % all.align != 0) all.block = 0;
  return all;
}

Layout compute_layout(const TypeCode& type) {
  switch (type.kind()) {
    case TCKind::tk_boolean:
    case TCKind::tk_char:
    case TCKind::tk_octet: return plain(1);
    case TCKind::tk_short:
    case TCKind::tk_ushort: return plain(2);
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_float:
    case TCKind::tk_enum: return plain(4);
    case TCKind::tk_double:
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong: return plain(8);
    case TCKind::tk_longdouble: return {16, 16, 8};
    case TCKind::tk_null:
    case TCKind::tk_void: return {};
    case TCKind::tk_wchar:
    case TCKind::tk_abstract_interface: return {1, 0, 1};
    case TCKind::tk_fixed: return {(Access::length(type) + 2) / 2, 0, 1};
    case TCKind::tk_alias: return layout_of(*Access::content(type));
    case TCKind::tk_struct:
    case TCKind::tk_except: return layout_of_members(type);
    case TCKind::tk_union: return {layout_of(*Access::content(type)).min_bytes, 0, 1};
    case TCKind::tk_array: {
      const Layout element = layout_of(*Access::content(type));
      const std::uint64_t n = Access::length(type);
      const std::uint64_t block = element.block * n;
      return {std::min(kMaxMinBytes, element.min_bytes * n), block > kMaxPlainBytes ? 0 : block,
              element.align};
    }
    case TCKind::tk_objref:
    case TCKind::tk_component:
    case TCKind::tk_home: return {8, 0, 4};
    default: return {4, 0, 4};
  }
}

Layout layout_of(const TypeCode& type) {
  std::atomic<std::uint64_t>& cell = Access::layout(type);
  std::uint64_t bits = cell.load(std::memory_order_relaxed);  // any thread works out the same
  if ((bits & kKnown) == 0) {
    const Layout computed = compute_layout(type);
    bits = kKnown | computed.min_bytes | computed.block << 32 | computed.align << 56;
    cell.fetch_or(bits, std::memory_order_relaxed);
  }
  return {bits & kMaxMinBytes, bits >> 32 & kMaxPlainBytes, bits >> 56 & 0x1f};
}

bool is_value_kind(TCKind kind) {
  return is_value(kind) || kind == TCKind::tk_value_box || kind == TCKind::tk_abstract_interface;
}
/// Of kinds whose values can contain wide characters; the state of values may be that of a derived type.
bool is_wchar_kind(TCKind kind) {
  return kind == TCKind::tk_wchar || kind == TCKind::tk_wstring || kind == TCKind::tk_any ||
         kind == TCKind::tk_TypeCode || is_value(kind) || kind == TCKind::tk_abstract_interface;
}
bool may_be_value_kind(TCKind kind) { return is_value_kind(kind) || kind == TCKind::tk_any; }

/// Whether a type of such a kind is reachable, also through sequences and cycles. Uses a work list instead of
/// recursion.
bool reaches(const TypeCode& type, bool (*is_kind)(TCKind kind)) {
  std::vector<const TypeCode*> work{&type};
  std::unordered_set<const TypeCode*> seen{&type};
  const auto push = [&](const TypeCode* next) {
    if (next != nullptr && seen.insert(next).second) work.push_back(next);
  };
  while (!work.empty()) {
    const TypeCode& node = *work.back();
    work.pop_back();
    if (is_kind(node.kind())) return true;
    push(Access::content(node));
    for (std::uint32_t i = 0; i < Access::count(node); ++i) push(Access::members(node)[i].type);
  }
  return false;
}

/// Whether `reaches` such a kind, computed once for each TypeCode.
bool reaches_once(const TypeCode& type, bool (*is_kind)(TCKind kind), std::uint64_t known,
                  std::uint64_t yes) {
  std::atomic<std::uint64_t>& cell = Access::layout(type);
  std::uint64_t bits = cell.load(std::memory_order_relaxed);  // any thread works out the same
  if ((bits & known) == 0) {
    bits = known | (reaches(type, is_kind) ? yes : 0);
    cell.fetch_or(bits, std::memory_order_relaxed);
  }
  return (bits & yes) != 0;
}

}  // namespace

bool may_contain_wchar(const TypeCode& type) {
  return reaches_once(type, &is_wchar_kind, kWcharKnown, kWide);
}

bool may_contain_values(const TypeCode& type) {
  return reaches_once(type, &may_be_value_kind, kValuesKnown, kValues);
}

std::uint32_t min_encoded_bytes(const TypeCode& type) {
  return static_cast<std::uint32_t>(layout_of(type).min_bytes);
}

PlainLayout plain_layout_of(const TypeCode& type) {
  const Layout layout = layout_of(type);
  return {static_cast<std::uint32_t>(layout.block), static_cast<std::uint8_t>(layout.align)};
}

}  // namespace orbweaver::typecode
