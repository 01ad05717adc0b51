#include "call/value_types.h"

#include <string_view>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "cdr/value_types.h"

namespace orbweaver::call {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {
constexpr std::int32_t kAbstract = 2, kTruncatable = 3;  // VM_ABSTRACT, VM_TRUNCATABLE
}

void KnownValues::add(const TypeCode& type) {
  if (values::known_type(Fields::id(type)) != nullptr) return;
  const std::int32_t modifier = Fields::extra(type);
  const ValueType& added = types_.emplace_back(ValueType{Fields::id(type), Fields::name(type), nullptr, &type,
                                                         modifier == kAbstract, any::is_custom(type),
                                                         modifier == kTruncatable, nullptr});
  known_.emplace_back(added);
}

bool is_value_kind(TCKind kind) { return typecode::is_value(kind) || kind == TCKind::tk_value_box; }

bool has_values(const TypeCode& type) {
  return any::is_concrete(type) && std::string_view(Fields::id(type)) != Fields::id(typecode::k_ValueBase);
}

bool accepts(const TypeCode& declared, const TypeCode& found) {
  if (!has_values(declared)) return true;
  for (const TypeCode* each = &found; each != nullptr;
       each = typecode::is_value(each->kind()) ? Fields::content(*each) : nullptr) {
    if (std::string_view(Fields::id(*each)) == Fields::id(declared)) return true;
  }
  return false;
}

std::vector<std::string_view> sent_ids(const TypeCode& type) {
  std::vector<std::string_view> ids;
  for (const TypeCode* each = &type;; each = Fields::content(*each)) {
    ids.emplace_back(Fields::id(*each));
    const bool has_base = typecode::is_value(each->kind()) && Fields::extra(*each) == kTruncatable;
    if (!has_base || Fields::content(*each) == nullptr) return ids;
  }
}

}  // namespace orbweaver::call
