#pragma once

#include <orbweaver/typecode.h>

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbweaver::typecode {

using CORBA::TCKind;
using CORBA::TypeCode;

/// How deep TypeCodes may nest within each other, aliases and sequences counted.
inline constexpr int kMaxDepth = 100;
/// How far walks along a whole TypeCode recurse. From an inner node of a circle a walk can take a longer path
/// than the reader took from the outermost.
inline constexpr int kMaxWalk = 10 * kMaxDepth;
/// Raises BAD_TYPECODE: a walk along `type` would recurse deeper than kMaxWalk.
[[noreturn]] void throw_too_deep(const TypeCode& type);

/// Owns TypeCodes made at run time, which may point at each other in circles, and is freed with the last
/// reference to any of them. Filled by one thread; then immutable.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  TypeCode& make(TCKind kind);
  /// Lives as long as the graph.
  const char* text(std::string_view words);
  TypeCode::Member* members(std::size_t count);
  /// Another graph's node that nodes of this one point at.
  const TypeCode& hold(const CORBA::typecode_reference& other);
  /// Ends the filling: the reference is all that keeps the graph.
  static CORBA::typecode_reference finish(std::unique_ptr<Graph> graph, const TypeCode& root);

  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    // acq_rel: whoever drops the last count sees all that was done through the others.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // A node's fields, until `finish`.
  static void name(TypeCode& node, const char* id, const char* name) { node.id_ = id, node.name_ = name; }
  static void content(TypeCode& node, const TypeCode* content) { node.content_ = content; }
  static void numbers(TypeCode& node, std::uint32_t length, std::int32_t extra) {
    node.length_ = length, node.extra_ = extra;
  }
  static void members(TypeCode& node, const TypeCode::Member* members, std::uint32_t count) {
    node.members_ = members, node.member_count_ = count;
  }
  /// The form in which `node` arrived: its own from now on.
  static void wire(TypeCode& node, std::string bytes);

 private:
  std::atomic<std::uint32_t> count_{0};
  // Lists: an empty deque takes half a KiB, and a hostile message has a graph for each twelve bytes.
  std::list<TypeCode> nodes_;
  std::list<std::string> texts_;
  std::list<std::vector<TypeCode::Member>> members_;
  std::vector<CORBA::typecode_reference> held_;
};

/// Reads a node's fields without references and without BadKind.
struct Access {
  static const char* id(const TypeCode& t) { return t.id_; }
  static const char* name(const TypeCode& t) { return t.name_; }
  static const TypeCode* content(const TypeCode& t) { return t.content_; }
  static const TypeCode::Member* members(const TypeCode& t) { return t.members_; }
  static std::uint32_t count(const TypeCode& t) { return t.member_count_; }
  static std::uint32_t length(const TypeCode& t) { return t.length_; }
  static std::int32_t extra(const TypeCode& t) { return t.extra_; }
  static std::atomic<const std::string*>& wire(const TypeCode& t) { return t.wire_; }
  static std::atomic<std::uint64_t>& layout(const TypeCode& t) { return t.layout_; }
  static std::atomic<const std::uint32_t*>& cases(const TypeCode& t) { return t.cases_; }
};

/// Behind every alias.
const TypeCode& resolved(const TypeCode& type) noexcept;

/// What create_recursive_tc makes: stands for an enclosing type until that is made.
inline constexpr auto kPlaceholder = static_cast<TCKind>(0xffffffff);

constexpr bool has_id(TCKind k) {
  return k == TCKind::tk_objref || k == TCKind::tk_struct || k == TCKind::tk_union || k == TCKind::tk_enum ||
         k == TCKind::tk_alias || k == TCKind::tk_except || (k >= TCKind::tk_value && k <= TCKind::tk_event);
}
/// Kinds of object references.
constexpr bool is_reference(TCKind k) {
  return k == TCKind::tk_objref || k == TCKind::tk_component || k == TCKind::tk_home;
}
constexpr bool is_value(TCKind k) { return k == TCKind::tk_value || k == TCKind::tk_event; }
/// What recursion leads back to.
constexpr bool may_enclose_itself(TCKind k) {
  return k == TCKind::tk_struct || k == TCKind::tk_union || is_value(k);
}
constexpr bool has_members(TCKind k) {
  return k == TCKind::tk_struct || k == TCKind::tk_union || k == TCKind::tk_enum || k == TCKind::tk_except ||
         is_value(k);
}

/// What a union can switch on, without aliases.
bool is_discriminator(TCKind kind) noexcept;

/// Does a value of the type end? One that holds itself by value does not: circles have to lead through a
/// sequence or a value type. Neither does, for this ORB, one that holds others by value more than kMaxDepth
/// deep: the depth to which it was read does not tell, since a path can leave an inner type for what encloses
/// it.
class Ends {
 public:
  bool operator()(const TypeCode& node) { return height(node, 0) != kNever; }

 private:
  static constexpr int kNever = -1;
  /// How deep a value nests by value; kNever also while that is being worked out.
  int height(const TypeCode& node, int depth);

  std::unordered_map<const TypeCode*, int> heights_;
};

/// The whole of a TypeCode as it travels in GIOP 1.2, kind first, in this machine's byte order: the same
/// wherever it stands. Made once for each. Raises BAD_TYPECODE where it cannot travel.
const std::string& wire_form(const TypeCode& type);
/// Can values of it hold wide characters, or anys that could? Its TypeCode and its values then depend on the
/// version of GIOP. Worked out once for each.
bool may_hold_wide(const TypeCode& type);

/// What a comparison found (CORBA 3.3 part 1, 8.11.2), and how many pairs of TypeCodes it looked at: no more
/// than there are members in both.
struct Comparison {
  bool same;
  std::uint64_t pairs;
};
Comparison compare_equal(const TypeCode& a, const TypeCode& b);
Comparison compare_equivalent(const TypeCode& a, const TypeCode& b);

/// Reads one, of either byte order; null after a fault. Cached by the thread for those that come often.
CORBA::typecode_reference read(cdr::Decoder& in);

/// The fewest bytes that a value takes; 0: it never takes any.
std::uint32_t least_bytes(const TypeCode& type);
/// Size and alignment of values that lie without padding wherever they start aligned; size 0: not so.
struct Block {
  std::uint32_t size = 0;
  std::uint8_t align = 1;
};
Block block_of(const TypeCode& type);

/// A copy of `type` and all it reaches within run-time graphs; `names`: with its names.
CORBA::typecode_reference without_names(const TypeCode& type);

/// "sequence<Sample, 4>"
std::string describe(const TypeCode& type, int depth = 0);

}  // namespace orbweaver::typecode
