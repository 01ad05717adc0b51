#include "idlc/cpp/member_tables.h"

#include <algorithm>

namespace orbweaver::idl::cpp {

using namespace ir;

MemberTables::MemberTables(const std::vector<const Struct*>& structs) {
  // What inherits stands behind its base: the first that inherits from a struct is met last.
  for (auto each = structs.rbegin(); each != structs.rend(); ++each) {
    const Struct* made = *each;
    const Struct* last = last_.try_emplace(made, made).first->second;
    if (made->base != nullptr) last_[made->base] = last;
  }
  for (const Struct* each : structs) {
    std::vector<const Struct*> open;
    const Struct* known = each;
    for (; known != nullptr && !counts_.contains(known); known = known->base) open.push_back(known);
    for (; !open.empty(); open.pop_back()) {
      const Struct* at = open.back();
      const std::size_t inherited = at->base != nullptr ? std::max<std::size_t>(counts_.at(at->base), 1) : 0;
      counts_[at] = inherited + at->fields.size();
    }
    if (each->base != nullptr && last_.at(each) == each) size_ += counts_.at(each);
  }
}

const Struct& MemberTables::last_of_chain(const Struct& made) const {
  const auto found = last_.find(&made);
  return found == last_.end() ? made : *found->second;
}

std::vector<const Struct*> line_of(const Struct& made) {
  std::vector<const Struct*> out;
  for (const Struct* at = &made; at != nullptr; at = at->base) out.push_back(at);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace orbweaver::idl::cpp
