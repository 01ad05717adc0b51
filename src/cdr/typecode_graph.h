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

/// The maximum nesting of TypeCodes, including aliases and sequences.
inline constexpr int kMaxDepth = 100;
/// The maximum recursion of traversals of a TypeCode. It exceeds kMaxDepth: from an inner node of a cycle a
/// path can be longer than the reader's path from the outermost node.
inline constexpr int kMaxWalk = 10 * kMaxDepth;
/// Raises BAD_TYPECODE (0x4f570043): a traversal of `type` would recurse deeper than kMaxWalk.
[[noreturn]] void raise_too_deep(const TypeCode& type);

/// Owns TypeCodes made at run time, which may refer to each other in cycles. It is freed with the last
/// reference to any of them. Built by one thread; immutable after `finish`.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Makes a node, owned by the graph.
  TypeCode& make(TCKind kind);
  /// Copies a string. The result is valid as long as the graph.
  const char* text(std::string_view words);
  /// Makes an array of members, owned by the graph.
  TypeCode::Member* members(std::size_t count);
  /// Keeps the graph of `other` alive, because nodes of this graph point to it. Returns the node.
  const TypeCode& hold(const CORBA::typecode_reference& other);
  /// Completes the graph and returns a reference to `root`, which owns it.
  static CORBA::typecode_reference finish(std::unique_ptr<Graph> graph, const TypeCode& root);

  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    // acq_rel: the thread that releases the last count sees all writes made through other references.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // Setters of a node's fields, for use before `finish`.
  static void name(TypeCode& node, const char* id, const char* name) { node.id_ = id, node.name_ = name; }
  static void content(TypeCode& node, const TypeCode* content) { node.content_ = content; }
  static void numbers(TypeCode& node, std::uint32_t length, std::int32_t extra) {
    node.length_ = length, node.extra_ = extra;
  }
  static void members(TypeCode& node, const TypeCode::Member* members, std::uint32_t count) {
    node.members_ = members, node.member_count_ = count;
  }
  /// Sets the wire form of `node`, as received.
  static void wire(TypeCode& node, std::string bytes);

 private:
  std::atomic<std::uint32_t> count_{0};
  // Lists: an empty deque takes half a KiB, and a malicious message can contain a graph for each twelve
  // bytes.
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

/// The type with all outer aliases removed.
const TypeCode& resolved(const TypeCode& type) noexcept;

/// The kind of a TypeCode of create_recursive_tc: a placeholder for an enclosing type until that is created.
inline constexpr auto kPlaceholder = static_cast<TCKind>(0xffffffff);

constexpr bool has_id(TCKind k) {
  return k == TCKind::tk_objref || k == TCKind::tk_struct || k == TCKind::tk_union || k == TCKind::tk_enum ||
         k == TCKind::tk_alias || k == TCKind::tk_except || (k >= TCKind::tk_value && k <= TCKind::tk_event);
}
/// Whether values of the kind are object references.
constexpr bool is_reference(TCKind k) {
  return k == TCKind::tk_objref || k == TCKind::tk_component || k == TCKind::tk_home;
}
constexpr bool is_value(TCKind k) { return k == TCKind::tk_value || k == TCKind::tk_event; }
/// Whether a recursive indirection may refer to the kind.
constexpr bool may_enclose_itself(TCKind k) {
  return k == TCKind::tk_struct || k == TCKind::tk_union || is_value(k);
}
constexpr bool has_members(TCKind k) {
  return k == TCKind::tk_struct || k == TCKind::tk_union || k == TCKind::tk_enum || k == TCKind::tk_except ||
         is_value(k);
}

/// Whether the kind, without aliases, can be a union's discriminator.
bool is_discriminator(TCKind kind) noexcept;

/// Checks that values of a type have a finite size, and nest at most kMaxDepth levels by value. A type that
/// contains itself by value has no finite size: cycles must include a sequence or a value type. Nor does a
/// value type that is one of its own bases. The reader's own depth limit is not sufficient, since a path can
/// lead from an inner type to an enclosing one.
class FiniteSizeCheck {
 public:
  bool operator()(const TypeCode& node) { return has_bases(node) && nesting_depth(node, 0) != kNever; }

 private:
  static constexpr int kNever = -1;
  /// Whether a type, if it is a value type, has at most kMaxDepth bases.
  static bool has_bases(const TypeCode& node);
  /// The levels that a value nests by value; kNever also while the result is being computed (a cycle).
  int nesting_depth(const TypeCode& node, int depth);

  std::unordered_map<const TypeCode*, int> nesting_depth_of_;
};

/// The complete TypeCode in CDR of GIOP 1.2, starting with its kind, in this machine's byte order. It does
/// not depend on the offset. Computed once for each TypeCode, by any thread. Raises BAD_TYPECODE if it cannot
/// be marshalled.
const std::string& wire_form(const TypeCode& type);
/// Whether values of the type can contain wide characters, or anys that could. If so, the encodings of the
/// TypeCode and of its values depend on the version of GIOP. Computed once for each TypeCode, by any thread.
bool may_contain_wchar(const TypeCode& type);

/// Whether values of the type can contain values of value types, or anys that could. Computed once for each
/// TypeCode, by any thread.
bool may_contain_values(const TypeCode& type);

/// The result of a comparison (CORBA 3.3 part 1, 8.11.2), and the number of pairs of TypeCodes that it
/// visited, which is at most the number of members in both.
struct Comparison {
  bool same;
  std::uint64_t pairs;
};
/// TypeCode::equal and equivalent, with the number of pairs.
Comparison compare_equal(const TypeCode& a, const TypeCode& b);
Comparison compare_equivalent(const TypeCode& a, const TypeCode& b);

/// Reads a TypeCode of either byte order; null after a fault. Each thread has a cache of the last ones read.
CORBA::typecode_reference read(cdr::Decoder& in);

/// The minimum encoded size of a value in bytes; 0: all values are empty.
std::uint32_t min_encoded_bytes(const TypeCode& type);
/// Size and alignment of values that have no padding if they start aligned; size 0: the type has no such
/// layout.
struct PlainLayout {
  std::uint32_t size = 0;
  std::uint8_t align = 1;
};
/// The plain layout of a type. Computed once for each TypeCode, by any thread.
PlainLayout plain_layout_of(const TypeCode& type);

/// A copy of `type`, and of all types reachable from it, without names (get_compact_typecode).
CORBA::typecode_reference without_names(const TypeCode& type);

/// The type in IDL syntax: "sequence<Sample, 4>". `depth` is the recursion depth.
std::string describe(const TypeCode& type, int depth = 0);

}  // namespace orbweaver::typecode
