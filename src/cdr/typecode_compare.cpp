// TypeCode::equal and equivalent (CORBA 3.3 part 1, 8.11.2), with a work list instead of recursion: types may
// be recursive, and one type may be used in many places. Two cycles of m and n types have m times n pairs;
// pairs assumed equal are merged into classes instead (Hopcroft and Karp's algorithm for automata), so that
// the number of pairs visited is limited by the number of types.
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {
namespace {

enum class ComparisonMode { equal, equivalent };

class Comparer {
 public:
  explicit Comparer(ComparisonMode how) : exact_(how == ComparisonMode::equal) {}

  Comparison operator()(const TypeCode& a, const TypeCode& b) {
    if (&a != &b && !nodes_match(a, b)) return {false, pairs_};
    while (!work_.empty()) {
      const auto [left, right] = work_.back();
      work_.pop_back();
      if (!nodes_match(*left, *right)) return {false, pairs_};
    }
    return {true, pairs_};
  }

 private:
  using Pair = std::pair<const TypeCode*, const TypeCode*>;

  void push(const TypeCode* a, const TypeCode* b) {
    if (a != b) work_.push_back({a, b});
  }

  /// The representative of the class that contains a type.
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

  /// Merges the classes of two types, which are assumed equal from now on: a difference is found elsewhere.
  /// False if they were in one class already.
  bool unite(const TypeCode* a, const TypeCode* b) {
    const TypeCode *const one = class_of(a), *const other = class_of(b);
    if (one == other) return false;
    classes_[one] = other;
    return true;
  }

  bool nodes_match(const TypeCode& left, const TypeCode& right) {
    ++pairs_;
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
    const TypeCode *content_a = Access::content(a), *content_b = Access::content(b);
    if ((content_a == nullptr) != (content_b == nullptr)) return false;
    if (content_a == content_b && Access::count(a) == 0) return true;  // no other types to compare
    if (!unite(&a, &b)) return true;
    if (content_a != nullptr) push(content_a, content_b);
    return members_match(a, b);
  }

  bool members_match(const TypeCode& a, const TypeCode& b) {
    for (std::uint32_t i = 0; i < Access::count(a); ++i) {
      const TypeCode::Member &one = Access::members(a)[i], &other = Access::members(b)[i];
      if (exact_ && std::strcmp(one.name, other.name) != 0) return false;
      if (one.visibility != other.visibility) return false;
      const bool is_default =
          a.kind() == TCKind::tk_union && static_cast<std::int64_t>(i) == Access::extra(a);
      if (!is_default && one.label != other.label) return false;
      if ((one.type == nullptr) != (other.type == nullptr)) return false;
      if (one.type != nullptr) push(one.type, other.type);
    }
    return true;
  }

  const bool exact_;
  std::vector<Pair> work_;
  std::unordered_map<const TypeCode*, const TypeCode*> classes_;
  std::uint64_t pairs_ = 0;
};

}  // namespace

Comparison compare_equal(const TypeCode& a, const TypeCode& b) {
  return Comparer(ComparisonMode::equal)(a, b);
}
Comparison compare_equivalent(const TypeCode& a, const TypeCode& b) {
  return Comparer(ComparisonMode::equivalent)(a, b);
}

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
