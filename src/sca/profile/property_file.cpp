#include <algorithm>
#include <utility>

#include "sca/profile/property.h"

namespace orbweaver::sca {
namespace {

template <class List>
auto find_in(const List& list, std::string_view id) -> decltype(list.data()) {
  const auto found = std::find_if(list.begin(), list.end(), [&](auto& each) { return each.id == id; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

StructMembers::StructMembers(std::vector<SimpleProperty> members) : list(std::move(members)) {
  for (std::size_t i = 0; i < list.size(); ++i) index.emplace(list[i].id, i);
}

const SimpleProperty* StructMembers::find(std::string_view id) const {
  const auto found = index.find(id);
  return found == index.end() ? nullptr : &list[found->second];
}

const SimpleProperty* PropertyFile::find(std::string_view id) const { return find_in(simple, id); }
const SimpleProperty* PropertyFile::find_sequence(std::string_view id) const {
  return find_in(sequences, id);
}
const StructProperty* PropertyFile::find_struct(std::string_view id) const { return find_in(structs, id); }

const PropertyUse* PropertyFile::find_use(std::string_view id) const {
  if (const auto* const found = find(id)) return found;
  if (const auto* const found = find_sequence(id)) return found;
  return find_struct(id);
}

void PropertyFile::add(const PropertyFile& other) {
  std::vector<std::string> known = ids();
  std::sort(known.begin(), known.end());
  const auto add_to = [&](auto& list, const auto& from) {
    for (const auto& each : from) {
      if (!std::binary_search(known.begin(), known.end(), each.id)) list.push_back(each);
    }
  };
  add_to(simple, other.simple);
  add_to(sequences, other.sequences);
  add_to(structs, other.structs);
  add_to(tests, other.tests);
}

std::vector<std::string> PropertyFile::ids() const {
  std::vector<std::string> ids;
  for (const auto& each : simple) ids.push_back(each.id);
  for (const auto& each : sequences) ids.push_back(each.id);
  for (const auto& each : structs) ids.push_back(each.id);
  return ids;
}

}  // namespace orbweaver::sca
