#include "sca/component/pending_values.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace orbweaver::sca {
namespace {

using Members = PropertyValue::Members;

std::size_t bytes_of(const PropertyValue& value) {
  std::size_t bytes = sizeof value + value.text.size();
  for (const std::string& element : value.elements) bytes += sizeof element + element.size();
  for (const Members& members : value.structs) {
    bytes += sizeof members;
    for (const auto& [id, member] : members) bytes += sizeof id + id.size() + bytes_of(member);
  }
  return bytes;
}

/// Removes and returns the value of an id; one without a value if there is none.
PropertyValue take_out(Members& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == id; });
  if (found == all.end()) return {};
  PropertyValue value = std::move(found->second);
  all.erase(found);
  return value;
}

/// A struct of which some members are given: the others keep the values that wait.
PropertyValue merged(PropertyValue before, const PropertyValue& value) {
  if (value.form != PropertyForm::structure || value.structs.size() != 1) return value;
  Members members = before.form == PropertyForm::structure ? std::move(before.structs.front()) : Members();
  for (const auto& [id, member] : value.structs.front()) {
    take_out(members, id);
    members.emplace_back(id, member);
  }
  return PropertyValue::structure(std::move(members));
}

}  // namespace

void add_pending(Component::Values& pending, const Component::Values& values, std::size_t max_bytes) {
  Component::Values all = pending;
  for (const auto& [id, value] : values) {
    PropertyValue before = take_out(all, id);
    all.emplace_back(id, merged(std::move(before), value));
  }
  std::size_t bytes = 0;
  for (const auto& [id, value] : all) bytes += id.size() + bytes_of(value);
  if (bytes > max_bytes)
    throw std::runtime_error("the component is busy, and values of " + std::to_string(bytes) +
                             " bytes would wait for it; the limit is " + std::to_string(max_bytes));
  pending = std::move(all);
}

}  // namespace orbweaver::sca
