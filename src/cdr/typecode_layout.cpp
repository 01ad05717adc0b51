// How values of a TypeCode lie in CDR: worked out once for each, so that lengths from a peer can be checked
// and plain values be moved as blocks. Recursion follows what values hold by value, which ends.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

constexpr std::uint64_t kKnown = std::uint64_t{1} << 63;
constexpr std::uint64_t kWideKnown = std::uint64_t{1} << 62;
constexpr std::uint64_t kWide = std::uint64_t{1} << 61;
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // of least bytes: no message is as large
constexpr std::uint64_t kMostBlock = (1u << 24) - 1;

struct Layout {
  std::uint64_t least = 0;
  std::uint64_t block = 0;
  std::uint64_t align = 1;
};

Layout layout_of(const TypeCode& type);

Layout plain(std::uint64_t bytes) { return {bytes, bytes, bytes}; }

Layout of_members(const TypeCode& type) {
  Layout all;
  const bool raised = type.kind() == TCKind::tk_except;  // begins with its repository id
  all.least = raised ? 4 : Access::count(type) == 0 ? 1 : 0;
  bool gapless = !raised && Access::count(type) != 0;
  for (std::uint32_t i = 0; i < Access::count(type); ++i) {
    const Layout each = layout_of(*Access::members(type)[i].type);
    all.least = std::min(kMost, all.least + each.least);
    gapless = gapless && each.block != 0 && all.block % each.align == 0;
    all.block = std::min(kMostBlock + 1, all.block + each.block);
    all.align = std::max(all.align, each.align);
  }
  if (!gapless || all.block > kMostBlock || all.block % all.align != 0) all.block = 0;
  return all;
}

Layout work_out(const TypeCode& type) {
  switch (type.kind()) {
    case TCKind::tk_boolean:
    case TCKind::tk_char:
    case TCKind::tk_octet:
      return plain(1);
    case TCKind::tk_short:
    case TCKind::tk_ushort:
      return plain(2);
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_float:
    case TCKind::tk_enum:
      return plain(4);
    case TCKind::tk_double:
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
      return plain(8);
    case TCKind::tk_longdouble:
      return {16, 16, 8};
    case TCKind::tk_null:
    case TCKind::tk_void:
      return {};
    case TCKind::tk_wchar:
    case TCKind::tk_abstract_interface:
      return {1, 0, 1};
    case TCKind::tk_fixed:
      return {(Access::length(type) + 2) / 2, 0, 1};
    case TCKind::tk_alias:
      return layout_of(*Access::content(type));
    case TCKind::tk_struct:
    case TCKind::tk_except:
      return of_members(type);
    case TCKind::tk_union:
      return {layout_of(*Access::content(type)).least, 0, 1};
    case TCKind::tk_array: {
      const Layout element = layout_of(*Access::content(type));
      const std::uint64_t n = Access::length(type);
      const std::uint64_t block = element.block * n;
      return {std::min(kMost, element.least * n), block > kMostBlock ? 0 : block, element.align};
    }
    case TCKind::tk_objref:
    case TCKind::tk_component:
    case TCKind::tk_home:
      return {8, 0, 4};
    default:
      return {4, 0, 4};
  }
}

Layout layout_of(const TypeCode& type) {
  std::atomic<std::uint64_t>& cell = Access::layout(type);
  std::uint64_t bits = cell.load(std::memory_order_relaxed);  // any thread works out the same
  if ((bits & kKnown) == 0) {
    const Layout made = work_out(type);
    bits = kKnown | made.least | made.block << 32 | made.align << 56;
    cell.fetch_or(bits, std::memory_order_relaxed);
  }
  return {bits & 0xffffffff, bits >> 32 & kMostBlock, bits >> 56 & 0x1f};
}

/// With a list of work instead of recursion: sequences and circles are followed, too.
bool reaches_wide(const TypeCode& type) {
  std::vector<const TypeCode*> work{&type};
  std::unordered_set<const TypeCode*> seen{&type};
  const auto more = [&](const TypeCode* next) {
    if (next != nullptr && seen.insert(next).second) work.push_back(next);
  };
  while (!work.empty()) {
    const TypeCode& node = *work.back();
    work.pop_back();
    const TCKind kind = node.kind();
    if (kind == TCKind::tk_wchar || kind == TCKind::tk_wstring || kind == TCKind::tk_any ||
        kind == TCKind::tk_TypeCode) {
      return true;
    }
    more(Access::content(node));
    for (std::uint32_t i = 0; i < Access::count(node); ++i) more(Access::members(node)[i].type);
  }
  return false;
}

}  // namespace

bool may_hold_wide(const TypeCode& type) {
  std::atomic<std::uint64_t>& cell = Access::layout(type);
  std::uint64_t bits = cell.load(std::memory_order_relaxed);  // any thread works out the same
  if ((bits & kWideKnown) == 0) {
    bits = kWideKnown | (reaches_wide(type) ? kWide : 0);
    cell.fetch_or(bits, std::memory_order_relaxed);
  }
  return (bits & kWide) != 0;
}

std::uint32_t least_bytes(const TypeCode& type) { return static_cast<std::uint32_t>(layout_of(type).least); }

Block block_of(const TypeCode& type) {
  const Layout layout = layout_of(type);
  return {static_cast<std::uint32_t>(layout.block), static_cast<std::uint8_t>(layout.align)};
}

}  // namespace orbweaver::typecode
