// Reads TypeCodes of a peer and checks them: every cycle must include a sequence or a value type, so that
// values are finite; every indirection must refer to an earlier TypeCode; nesting is limited.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace orbweaver::typecode {
namespace {

using cdr::Decoder;
using cdr::Fault;

const TypeCode* basic(TCKind kind) {
#define ORBWEAVER_BASIC(NAME) \
  if (kind == TCKind::tk_##NAME) return &k_##NAME;
  ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_BASIC)
#undef ORBWEAVER_BASIC
  return nullptr;
}

/// Reads one top-level TypeCode from a copy of its bytes, which the graph owns because names point into it.
class TypeCodeReader {
 public:
  explicit TypeCodeReader(Graph& graph) : graph_(graph) {}

  /// Reads one TypeCode; null after a fault. Sets `height` to its levels of nesting.
  const TypeCode* type(Decoder& in, int depth, int& height) {
    height = 0;
    if (depth > kMaxDepth) return fail(in, Fault::too_deep);
    if (!in.align(4)) return nullptr;
    const std::uint8_t* const at = in.position();
    const auto number = in.get<std::uint32_t>();
    if (!in.ok()) return nullptr;
    if (number == 0xffffffff) return indirection(in, height);
    const auto kind = static_cast<TCKind>(number);
    if (number > static_cast<std::uint32_t>(TCKind::tk_event)) return fail(in, Fault::bad_typecode);
    if (kind == TCKind::tk_string || kind == TCKind::tk_wstring) {
      const auto bound = in.get<std::uint32_t>();
      if (bound != 0) return make_with_numbers(kind, bound, 0);
    }
    if (kind == TCKind::tk_fixed) {
      const auto digits = in.get<std::uint16_t>();
      return make_with_numbers(kind, digits, in.get<std::int16_t>());
    }
    if (const TypeCode* constant = basic(kind)) return in.ok() ? constant : nullptr;
    return complex(in, at, kind, depth, height);
  }

  /// Whether no value of the types read would contain itself.
  bool all_finite() {
    for (const ReadNode& read_node : read_nodes_) {
      if (back_edges_ && !ends_(*read_node.node)) return false;
    }
    return true;
  }

 private:
  struct ReadNode {
    const std::uint8_t* at;
    TypeCode* node;
    int height;
    bool open;
  };
  static const TypeCode* fail(Decoder& in, Fault fault) {
    in.fail(fault);
    return nullptr;
  }

  const TypeCode* make_with_numbers(TCKind kind, std::uint32_t length, std::int32_t extra) {
    TypeCode& node = graph_.make(kind);
    Graph::numbers(node, length, extra);
    return &node;
  }

  const TypeCode* indirection(Decoder& in, int& height) {
    const std::uint8_t* const from = in.position();
    const auto offset = in.get<std::int32_t>();
    if (!in.ok()) return nullptr;
    if (offset >= -4 || read_nodes_.empty() || offset < read_nodes_.front().at - from)
      return fail(in, Fault::bad_typecode);
    const std::uint8_t* const target = from + offset;
    const auto found =
        std::lower_bound(read_nodes_.begin(), read_nodes_.end(), target,
                         [](const ReadNode& read_node, const std::uint8_t* at) { return read_node.at < at; });
    if (found == read_nodes_.end() || found->at != target) return fail(in, Fault::bad_typecode);
    if (found->open) {
      // Some ORBs write an indirection to an alias or a sequence. The cycle must contain a struct, union or
      // value type; IDL has no other recursive types.
      if (std::none_of(found, read_nodes_.end(), [](const ReadNode& each) {
            return each.open && may_enclose_itself(each.node->kind());
          })) {
        return fail(in, Fault::bad_typecode);
      }
      back_edges_ = true;
    } else {
      height = found->height;
    }
    return found->node;
  }

  const TypeCode* complex(Decoder& in, const std::uint8_t* at, TCKind kind, int depth, int& height) {
    const std::uint32_t bytes = in.get_length(1);
    const std::uint8_t* const inside = in.get_bytes(bytes);
    if (inside == nullptr || bytes == 0) return fail(in, Fault::bad_typecode);
    if (*inside > 1) return fail(in, Fault::bad_typecode);
    Decoder body(inside, bytes, *inside != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 0));
    body.wchar_encoding(in.wchar_encoding());
    body.skip(1);
    TypeCode& node = graph_.make(kind);
    const std::size_t read_node = read_nodes_.size();
    read_nodes_.push_back({at, &node, 0, true});
    parameters(body, node, depth, height);
    if (++height > kMaxDepth) body.fail(Fault::too_deep);
    if (!body.ok()) return fail(in, body.fault());
    read_nodes_[read_node].open = false;
    read_nodes_[read_node].height = height;
    return &node;
  }

  void parameters(Decoder& in, TypeCode& node, int depth, int& height) {
    const TCKind kind = node.kind();
    if (has_id(kind)) {
      const char* const id = text(in);
      Graph::name(node, id, text(in));
    }
    std::int32_t extra = 0;
    if (is_value(kind)) extra = in.get<std::int16_t>();
    if (kind == TCKind::tk_sequence || kind == TCKind::tk_array || kind == TCKind::tk_alias ||
        kind == TCKind::tk_union || kind == TCKind::tk_value_box || is_value(kind)) {
      const TypeCode* content = type(in, depth + 1, height);
      if (!in.ok()) return;
      if (is_value(kind) && content->kind() == TCKind::tk_null) content = nullptr;
      if (is_value(kind) && content != nullptr && !is_value(kind_without_aliases(content)))
        return in.fail(Fault::bad_typecode);
      Graph::content(node, content);
    }
    if (kind == TCKind::tk_sequence || kind == TCKind::tk_array) {
      Graph::numbers(node, in.get<std::uint32_t>(), 0);
      return;
    }
    // omniORB writes -2, not -1, for a union without a default case whose labels are all values.
    if (kind == TCKind::tk_union) extra = std::max(in.get<std::int32_t>(), -1);
    Graph::numbers(node, 0, extra);
    if (has_members(kind)) members(in, node, extra, depth, height);
    if (kind == TCKind::tk_union && extra >= static_cast<std::int64_t>(Access::count(node))) {
      in.fail(Fault::bad_typecode);
    }
  }

  /// `default_index`: of a union, its default case.
  void members(Decoder& in, TypeCode& node, std::int32_t default_index, int depth, int& height) {
    const TCKind kind = node.kind();
    const std::uint32_t n = in.get_length(kind == TCKind::tk_enum ? 4 : 8);
    const TCKind switched = kind == TCKind::tk_union ? discriminator_kind(in, node) : TCKind::tk_null;
    if (!in.ok()) return;
    TypeCode::Member* const members = graph_.members(n);
    for (std::uint32_t i = 0; i < n && in.ok(); ++i) {
      int member_height = 0;
      if (kind == TCKind::tk_union) {
        const bool is_default = default_index >= 0 && i == static_cast<std::uint32_t>(default_index);
        members[i].label = is_default && has_octet_label(in, switched) ? in.get<std::uint8_t>()
                                                                       : any::read_label(in, switched);
      }
      members[i].name = text(in);
      if (kind != TCKind::tk_enum) members[i].type = type(in, depth + 1, member_height);
      if (is_value(kind)) members[i].visibility = in.get<std::int16_t>();
      height = std::max(height, member_height);
    }
    if (in.ok()) Graph::members(node, members, n);
  }

  /// JacORB, GlassFish's ORB and those of older JDKs encode the label of a default case as an octet. It
  /// differs from a discriminator, which has no meaning there, only if a discriminator has eight octets.
  static bool has_octet_label(Decoder in, TCKind switched) {
    if (switched != TCKind::tk_longlong && switched != TCKind::tk_ulonglong) return false;
    Decoder after_octet = in;
    (void)in.get<std::uint64_t>();
    (void)after_octet.get<std::uint8_t>();
    return !begins_member(in) && begins_member(after_octet);
  }
  /// Whether the name and the TypeCode of a member follow.
  static bool begins_member(Decoder in) {
    Decoder size = in;
    if (size.get<std::uint32_t>() == 0) return false;
    const std::string_view name = in.get_string_view();
    if (!in.ok() || name.find('\0') != std::string_view::npos) return false;
    const auto kind = in.get<std::uint32_t>();
    return in.ok() && (kind == 0xffffffff || kind <= static_cast<std::uint32_t>(TCKind::tk_event));
  }

  /// The kind of a type without aliases; tk_null if it is an alias that is still being read.
  static TCKind kind_without_aliases(const TypeCode* type) {
    // Not `resolved`: the content of an alias that is still being read is null.
    while (type != nullptr && type->kind() == TCKind::tk_alias) type = Access::content(*type);
    return type == nullptr ? TCKind::tk_null : type->kind();
  }
  /// The kind of a union's discriminator without aliases.
  static TCKind discriminator_kind(Decoder& in, const TypeCode& node) {
    const TCKind kind = kind_without_aliases(Access::content(node));
    if (is_discriminator(kind)) return kind;
    in.fail(Fault::bad_typecode);
    return TCKind::tk_null;
  }

  /// Reads a string in place, in the graph's copy of the bytes, with its NUL.
  static const char* text(Decoder& in) {
    const std::string_view words = in.get_string_view();
    return words.data() == nullptr ? "" : words.data();
  }

  Graph& graph_;
  std::vector<ReadNode> read_nodes_;  // in the order of their positions
  FiniteSizeCheck ends_;
  bool back_edges_ = false;
};

/// A TypeCode with parameters as it is received, in the parts of its wire form: kind, then length or bound in
/// this machine's byte order, then the encapsulation.
struct ReceivedForm {
  std::uint32_t kind;
  std::uint32_t number;
  const std::uint8_t* inside = nullptr;
  std::size_t bytes = 0;

  std::size_t size() const { return sizeof kind + sizeof number + bytes; }
  bool equals(const std::string& form) const {
    return form.size() == size() && std::memcmp(form.data(), &kind, sizeof kind) == 0 &&
           std::memcmp(form.data() + sizeof kind, &number, sizeof number) == 0 &&
           (bytes == 0 || std::memcmp(form.data() + sizeof kind + sizeof number, inside, bytes) == 0);
  }
  std::string text() const {
    std::string form;
    form.reserve(size());
    form.append(reinterpret_cast<const char*>(&kind), sizeof kind);
    form.append(reinterpret_cast<const char*>(&number), sizeof number);
    form.append(reinterpret_cast<const char*>(inside), bytes);
    return form;
  }
};

/// The last TypeCodes that this thread has read: most messages repeat earlier ones.
class TypeCodeCache {
 public:
  CORBA::typecode_reference find(const ReceivedForm& form) const {
    for (const auto& each : kept_) {
      if (each != nullptr && form.equals(wire_form(*each))) return each;
    }
    return nullptr;
  }
  void keep(const CORBA::typecode_reference& type) {
    kept_[next_] = type;
    next_ = (next_ + 1) % kept_.size();
  }

 private:
  std::array<CORBA::typecode_reference, 8> kept_;
  std::size_t next_ = 0;
};
constexpr std::size_t kMaxCachedBytes = 16384;  // of one TypeCode

/// The memory of a graph of one node, in bytes. Each byte counts as a step, so that a message in which every
/// any has a different TypeCode of twelve bytes cannot take forty times its size.
constexpr std::uint64_t kMinGraphBytes = 400;

/// Reads the TypeCode in `form`: kind and length in this machine's byte order, then the encapsulation as
/// received. The TypeCode keeps `form` as its wire form if the message has the wchar encoding of GIOP 1.2.
CORBA::typecode_reference read_wire_form(std::string form, Decoder& in) {
  auto graph = std::make_unique<Graph>();
  TypeCode& form_owner = graph->make(TCKind::tk_null);
  Graph::wire(form_owner, std::move(form));
  const std::string& bytes = wire_form(form_owner);
  Decoder whole(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), false);
  whole.wchar_encoding(in.wchar_encoding());
  TypeCodeReader reader(*graph);
  int height = 0;
  const TypeCode* type = reader.type(whole, 0, height);
  if (type != nullptr && whole.ok() && !reader.all_finite()) whole.fail(Fault::bad_typecode);
  if (!whole.ok() || type == nullptr) {
    in.fail(whole.ok() ? Fault::bad_typecode : whole.fault());
    return nullptr;
  }
  if (in.wchar_encoding() == cdr::WcharEncoding::giop_1_2) Graph::wire(const_cast<TypeCode&>(*type), bytes);
  return Graph::finish(std::move(graph), *type);
}

}  // namespace

CORBA::typecode_reference read(cdr::Decoder& in) {
  if (!in.align(4)) return nullptr;
  const auto number = in.get<std::uint32_t>();
  const auto kind = static_cast<TCKind>(number);
  if (!in.ok()) return nullptr;
  ReceivedForm form{number, 0};
  if (kind == TCKind::tk_string || kind == TCKind::tk_wstring) {
    form.number = in.get<std::uint32_t>();
    if (form.number == 0 && in.ok()) return reference_to(kind == TCKind::tk_string ? k_string : k_wstring);
  } else if (kind == TCKind::tk_fixed) {
    const std::uint16_t digits = in.get<std::uint16_t>(), scale = in.get<std::uint16_t>();
    std::memcpy(&form.number, &digits, sizeof digits);
    std::memcpy(reinterpret_cast<char*>(&form.number) + sizeof digits, &scale, sizeof scale);
  } else if (has_id(kind) || kind == TCKind::tk_sequence || kind == TCKind::tk_array) {
    form.number = in.get_length(1);
    form.inside = in.get_bytes(form.number);
    if (form.inside == nullptr) return nullptr;
    form.bytes = form.number;
  } else if (const TypeCode* constant = basic(kind)) {
    return reference_to(*constant);
  } else {
    in.fail(Fault::bad_typecode);
  }
  if (!in.ok()) return nullptr;
  if (in.wchar_encoding() != cdr::WcharEncoding::giop_1_2) return read_wire_form(form.text(), in);
  thread_local TypeCodeCache recent;
  if (auto known = recent.find(form)) return known;
  if (!in.count_steps(kMinGraphBytes)) return nullptr;
  const bool keep = form.size() <= kMaxCachedBytes;
  CORBA::typecode_reference type = read_wire_form(form.text(), in);
  if (type != nullptr && keep) recent.keep(type);
  return type;
}

}  // namespace orbweaver::typecode
