// equal and equivalent (CORBA 3.3 part 1, 8.11.2), with a list of work instead of recursion: types may be
// recursive, and one type may stand in many places.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

enum class How { equal, equivalent };

class Compare {
 public:
  explicit Compare(How how) : exact_(how == How::equal) {}

  bool operator()(const TypeCode& a, const TypeCode& b) {
    more(&a, &b);
    while (!work_.empty()) {
      const auto [left, right] = work_.back();
      work_.pop_back();
      if (!same_node(*left, *right)) return false;
    }
    return true;
  }

 private:
  using Pair = std::pair<const TypeCode*, const TypeCode*>;

  /// What is under way or done is taken for the same: a difference shows elsewhere.
  void more(const TypeCode* a, const TypeCode* b) {
    if (a != b && seen_.insert({a, b}).second) work_.push_back({a, b});
  }

  bool same_node(const TypeCode& left, const TypeCode& right) {
    const TypeCode& a = exact_ ? left : resolved(left);
    const TypeCode& b = exact_ ? right : resolved(right);
    if (&a == &b) return true;
    if (a.kind() != b.kind()) return false;
    if (has_id(a.kind()) || a.kind() == kPlaceholder) {
      const char *id = Access::id(a), *other = Access::id(b);
      const bool same = std::strcmp(id, other) == 0;
      if (exact_ ? !same || std::strcmp(Access::name(a), Access::name(b)) != 0 : *id != 0 && *other != 0) {
        return same && !exact_;
      }
    }
    if (Access::length(a) != Access::length(b) || Access::count(a) != Access::count(b) ||
        Access::extra(a) != Access::extra(b)) {
      return false;
    }
    const TypeCode *inside = Access::content(a), *beside = Access::content(b);
    if ((inside == nullptr) != (beside == nullptr)) return false;
    if (inside != nullptr) more(inside, beside);
    return same_members(a, b);
  }

  bool same_members(const TypeCode& a, const TypeCode& b) {
    for (std::uint32_t i = 0; i < Access::count(a); ++i) {
      const TypeCode::Member &one = Access::members(a)[i], &other = Access::members(b)[i];
      if (exact_ && std::strcmp(one.name, other.name) != 0) return false;
      if (one.visibility != other.visibility) return false;
      const bool is_default =
          a.kind() == TCKind::tk_union && static_cast<std::int64_t>(i) == Access::extra(a);
      if (!is_default && one.label != other.label) return false;
      if ((one.type == nullptr) != (other.type == nullptr)) return false;
      if (one.type != nullptr) more(one.type, other.type);
    }
    return true;
  }

  const bool exact_;
  std::vector<Pair> work_;
  std::set<Pair> seen_;
};

}  // namespace
}  // namespace orbweaver::typecode

namespace CORBA {

using namespace orbweaver::typecode;

bool TypeCode::equal(const typecode_reference& other) const {
  return other != nullptr && (other.get() == this || Compare(How::equal)(*this, *other));
}

bool TypeCode::equivalent(const typecode_reference& other) const {
  return other != nullptr && (other.get() == this || Compare(How::equivalent)(*this, *other));
}

}  // namespace CORBA
