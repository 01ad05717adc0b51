// equal and equivalent (CORBA 3.3 part 1, 8.11.2), with a list of work instead of recursion: types may be
// recursive, and one type may stand in many places. Two circles of m and n types have m times n pairs; what
// has been found the same is kept as classes instead (Hopcroft and Karp's comparison of automata), so that no
// more pairs are followed than there are types.
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

enum class How { equal, equivalent };

class Compare {
 public:
  explicit Compare(How how) : exact_(how == How::equal) {}

  Comparison operator()(const TypeCode& a, const TypeCode& b) {
    more(&a, &b);
    while (!work_.empty()) {
      const auto [left, right] = work_.back();
      work_.pop_back();
      if (!same_node(*left, *right)) return {false, pairs_};
    }
    return {true, pairs_};
  }

 private:
  using Pair = std::pair<const TypeCode*, const TypeCode*>;

  void more(const TypeCode* a, const TypeCode* b) {
    if (a != b) work_.push_back({a, b});
  }

  /// The representative of the class that a type is in.
  const TypeCode* class_of(const TypeCode* type) {
    const TypeCode** parent = &classes_.try_emplace(type, type).first->second;
    while (*parent != type) {
      const TypeCode** const next = &classes_.find(*parent)->second;
      *parent = *next;  // halves the path
      type = *parent;
      parent = &classes_.find(type)->second;
    }
    return type;
  }

  /// What is under way or done is taken for the same: a difference shows elsewhere. False if it was so
  /// already.
  bool unite(const TypeCode* a, const TypeCode* b) {
    const TypeCode *const one = class_of(a), *const other = class_of(b);
    if (one == other) return false;
    classes_[one] = other;
    return true;
  }

  bool same_node(const TypeCode& left, const TypeCode& right) {
    ++pairs_;
    const TypeCode& a = exact_ ? left : resolved(left);
    const TypeCode& b = exact_ ? right : resolved(right);
    if (&a == &b) return true;
    if (a.kind() != b.kind()) return false;
    if (!unite(&a, &b)) return true;
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
  std::unordered_map<const TypeCode*, const TypeCode*> classes_;
  std::uint64_t pairs_ = 0;
};

}  // namespace

Comparison compare_equal(const TypeCode& a, const TypeCode& b) { return Compare(How::equal)(a, b); }
Comparison compare_equivalent(const TypeCode& a, const TypeCode& b) { return Compare(How::equivalent)(a, b); }

}  // namespace orbweaver::typecode

namespace CORBA {

using namespace orbweaver::typecode;

bool TypeCode::equal(const typecode_reference& other) const {
  return other != nullptr && (other.get() == this || compare_equal(*this, *other).same);
}

bool TypeCode::equivalent(const typecode_reference& other) const {
  return other != nullptr && (other.get() == this || compare_equivalent(*this, *other).same);
}

}  // namespace CORBA
