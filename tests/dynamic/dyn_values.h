#pragma once

// Vocabulary of the tests of DynAnys of value types.
#include <string>
#include <vector>

#include "../values/values.h"
#include "dyn_anys.h"

namespace dynany {

using DynamicAny::DynValue;
using DynamicAny::DynValueBox;
using valuetest::node;
using valuetest::NodeRef;

/// Breaks the cycles of a node at the end.
struct Cyclic {
  explicit Cyclic(NodeRef n) : first(std::move(n)) {}
  ~Cyclic() {
    first->next(nullptr);
    first->children({});
  }
  Cyclic(const Cyclic&) = delete;
  Cyclic& operator=(const Cyclic&) = delete;
  const NodeRef first;
};

inline IDL::traits<Values::MostDerived>::ref_type most_derived(const NodeRef& first = nullptr) {
  return IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0, 5.5}, first, L"wide");
}

inline std::vector<std::string> member_names(const Ref& value) {
  std::vector<std::string> names;
  for (const auto& each : as<DynValue>(value)->get_members()) names.push_back(each.id());
  return names;
}

}  // namespace dynany
