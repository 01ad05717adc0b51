#include "idlc/cpp/member_tables.h"

#include <algorithm>

namespace orbweaver::idl::cpp {

using namespace ir;

MemberTables::MemberTables(const std::vector<const Struct*>& structs) {
  // A derived struct follows its base. In reverse order, the first struct derived from a base comes last and
  // wins.
  for (std::size_t at = structs.size(); at-- > 0;) {
    const Struct* decl = structs[at];
    const Struct* last = last_.try_emplace(decl, decl).first->second;
    if (decl->base != nullptr) last_[decl->base] = last;
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

const Struct& MemberTables::last_of_chain(const Struct& decl) const {
  const auto found = last_.find(&decl);
  return found == last_.end() ? decl : *found->second;
}

std::vector<const Struct*> base_chain(const Struct& decl) {
  std::vector<const Struct*> out;
  for (const Struct* at = &decl; at != nullptr; at = at->base) out.push_back(at);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace orbweaver::idl::cpp
