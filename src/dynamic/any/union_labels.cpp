#include "dynamic/any/union_labels.h"

#include <cstring>
#include <limits>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;
using Member = TypeCode::Member;

namespace {

template <class T>
bool fits(std::int64_t label) {
  return label >= std::numeric_limits<T>::min() && label <= std::numeric_limits<T>::max();
}

/// Whether a discriminator of this type can have the value.
bool is_possible(const TypeCode& type, std::int64_t label) {
  switch (type.kind()) {
    case TCKind::tk_boolean: return label == 0 || label == 1;
    case TCKind::tk_char:
    case TCKind::tk_octet: return fits<std::uint8_t>(label);
    case TCKind::tk_short: return fits<std::int16_t>(label);
    case TCKind::tk_ushort: return fits<std::uint16_t>(label);
    case TCKind::tk_long: return fits<std::int32_t>(label);
    case TCKind::tk_ulong: return fits<std::uint32_t>(label);
    case TCKind::tk_wchar: return label >= 0 && label < 0xd800;  // before the surrogates
    case TCKind::tk_enum: return label >= 0 && label < Fields::count(type);
    default: return true;
  }
}

}  // namespace

const Member* default_case(const TypeCode& type) {
  const std::int32_t index = Fields::extra(type);
  if (index < 0 || static_cast<std::uint32_t>(index) >= Fields::count(type)) return nullptr;
  return Fields::members(type) + index;
}

std::optional<std::int64_t> unused_label(const TypeCode& type, std::uint64_t& steps) {
  const TypeCode& switched = typecode::resolved(*Fields::content(type));
  const Member* const others = default_case(type);
  const auto search = [&](std::int64_t first, std::int64_t step) -> std::optional<std::int64_t> {
    // There are at most as many labels as cases, so that this ends.
    for (std::int64_t label = first; is_possible(switched, label); label += step) {
      ++steps;
      if (any::find_case(type, label) == others) return label;
    }
    return std::nullopt;
  };
  if (const auto found = search(0, 1)) return found;
  return search(-1, -1);
}

std::int64_t initial_label(const TypeCode& type, std::uint64_t& steps) {
  if (Fields::count(type) == 0) return 0;
  const Member* const first = Fields::members(type);
  if (default_case(type) != first) return first->label;
  return unused_label(type, steps).value_or(0);
}

bool same_member(const Member* a, const Member* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->type != b->type) return false;
  return *a->name != 0 && std::strcmp(a->name, b->name) == 0;
}

}  // namespace orbweaver::dynamic
