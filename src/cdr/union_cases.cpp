// Finds the case of a union for a discriminator. A union may have hundreds of thousands of labels, and a
// message a value for each four bytes: the labels are sorted once for each TypeCode.
#include <algorithm>
#include <memory>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::any {

using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

/// Up to this number of cases, sorting costs more than it saves.
constexpr std::uint32_t kLinearSearchCases = 8;

bool has_default_case(const TypeCode& type) {
  return Fields::extra(type) >= 0 && static_cast<std::uint32_t>(Fields::extra(type)) < Fields::count(type);
}

/// The indices of all cases except the default one, ordered by label; equal labels are in their original
/// order.
const std::uint32_t* cases_by_label(const TypeCode& type) {
  std::atomic<const std::uint32_t*>& cell = Fields::cases(type);
  if (const std::uint32_t* cached = cell.load(std::memory_order_acquire)) return cached;  // R1: pairs with W1
  const TypeCode::Member* const cases = Fields::members(type);
  const std::uint32_t count = Fields::count(type);
  auto indices = std::make_unique<std::uint32_t[]>(count);
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (static_cast<std::int64_t>(i) != Fields::extra(type)) indices[n++] = i;
  }
  std::stable_sort(indices.get(), indices.get() + n,
                   [cases](std::uint32_t a, std::uint32_t b) { return cases[a].label < cases[b].label; });
  const std::uint32_t* first = nullptr;
  // W1: publishes the indices; pairs with R1. Of several threads, the first one's array is kept.
  if (cell.compare_exchange_strong(first, indices.get(), std::memory_order_acq_rel)) {
    return indices.release();
  }
  return first;
}

}  // namespace

const TypeCode::Member* find_case(const TypeCode& type, std::int64_t discriminator,
                                  std::uint64_t* comparisons) {
  const TypeCode::Member* const cases = Fields::members(type);
  const std::uint32_t count = Fields::count(type);
  std::uint64_t compared = 0;
  const TypeCode::Member* found = has_default_case(type) ? cases + Fields::extra(type) : nullptr;
  if (count <= kLinearSearchCases) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ++compared;
      if (static_cast<std::int64_t>(i) == Fields::extra(type) || cases[i].label != discriminator) continue;
      found = cases + i;
      break;
    }
  } else {
    const std::uint32_t* const first = cases_by_label(type);
    const std::uint32_t* const end = first + count - (has_default_case(type) ? 1 : 0);
    const auto before = [&](std::uint32_t i, std::int64_t label) {
      ++compared;
      return cases[i].label < label;
    };
    const std::uint32_t* const at = std::lower_bound(first, end, discriminator, before);
    if (at != end && cases[*at].label == discriminator) found = cases + *at;
  }
  if (comparisons != nullptr) *comparisons += compared;
  return found;
}

}  // namespace orbweaver::any
