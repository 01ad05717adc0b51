// ORB::create_struct_tc and the other operations that create TypeCodes at run time (CORBA 3.3 part 1,
// 8.11.3). Arguments are checked here; the results equal those of the IDL compiler.
#include <orbweaver/orb.h>
#include <orbweaver/typecode_members.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cdr/typecode_copy.h"
#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "orb/minor_codes.h"

namespace CORBA {
namespace {

using namespace orbweaver::typecode;
namespace minor = orbweaver::minor;

[[noreturn]] void bad_param(std::uint32_t code, const std::string& what) {
  throw BAD_PARAM(code, CompletionStatus::COMPLETED_NO, what);
}
[[noreturn]] void bad_member(const std::string& what) {
  throw BAD_TYPECODE(minor::kIllegalMemberType, CompletionStatus::COMPLETED_NO, what);
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), letter);
}
void check_name(const std::string& name) {
  if (!name.empty() && !is_name(name)) bad_param(minor::kBadTypeName, "'" + name + "' is not an IDL name");
}
void check_id(const std::string& id, bool needed) {
  if (id.empty() && !needed) return;
  const std::size_t colon = id.find(':');
  if (colon != 0 && colon != std::string::npos && colon + 1 < id.size()) return;
  bad_param(minor::kBadRepositoryId, "'" + id + "' is not a repository id such as \"IDL:Radio/Sample:1.0\"");
}

/// Checks that member names are unique; IDL names are case-insensitive. `may_repeat`: equal to the previous
/// name, as for a union case with several labels.
class MemberNames {
 public:
  void check(const std::string& name, bool may_repeat = false) {
    if (name.empty()) return;
    if (!is_name(name)) bad_param(minor::kBadMemberName, "'" + name + "' is not an IDL name for a member");
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool fresh = seen_.insert(lower).second;
    if (!fresh && !(may_repeat && lower == last_)) {
      bad_param(minor::kBadMemberName, "duplicate member name '" + name + "'");
    }
    last_ = lower;
  }

 private:
  std::set<std::string> seen_;
  std::string last_;
};

/// Computes the properties of TypeCodes. Each is visited once, however many members share it.
class TypeCodeAnalysis {
 public:
  struct Properties {
    int height = 0;           ///< Nesting depth without cycles, at most kMaxDepth.
    bool incomplete = false;  ///< Contains a placeholder for an enclosing type.
  };
  const Properties& of(const TypeCode& type) { return visit(type, 0).found; }

 private:
  /// State of a visit. While it is open, nested TypeCodes may refer back to it; the properties of these are
  /// those of the whole cycle (Tarjan's strongly connected components).
  struct Node {
    Properties found;
    std::size_t number = 0;
    std::size_t earliest = 0;  // lowest number among those that it refers back to
    bool open = true;
  };

  Node& visit(const TypeCode& type, int depth) {
    const auto [known, fresh] = nodes_.try_emplace(&type);
    Node& node = known->second;
    if (!fresh) return node;
    node.number = node.earliest = nodes_.size();
    node.found.incomplete = type.kind() == kPlaceholder;
    open_.push_back(&node);
    int height = 0;
    if (depth + 1 >= kMaxDepth) {
      height = kMaxDepth;
    } else {
      if (Access::content(type) != nullptr) height = visit_member(node, *Access::content(type), depth + 1);
      for (std::uint32_t i = 0; i < Access::count(type) && height < kMaxDepth; ++i) {
        const TypeCode* const member = Access::members(type)[i].type;
        if (member != nullptr) height = std::max(height, visit_member(node, *member, depth + 1));
      }
    }
    node.found.height = std::min(height + 1, kMaxDepth);
    if (node.earliest == node.number) close(node);
    return node;
  }
  int visit_member(Node& outer, const TypeCode& type, int depth) {
    const Node& inner = visit(type, depth);
    if (inner.open) outer.earliest = std::min(outer.earliest, inner.earliest);
    outer.found.incomplete = outer.found.incomplete || inner.found.incomplete;
    return inner.found.height;
  }
  void close(const Node& outermost) {
    for (bool last = false; !last; open_.pop_back()) {
      Node& node = *open_.back();
      last = &node == &outermost;
      node.found = outermost.found;
      node.open = false;
    }
  }

  std::unordered_map<const TypeCode*, Node> nodes_;  // references to elements stay valid
  std::vector<Node*> open_;
};

/// Builds one TypeCode.
class TypeCodeBuilder {
 public:
  explicit TypeCodeBuilder(TCKind kind) : graph_(std::make_unique<Graph>()), root_(graph_->make(kind)) {}

  void name(const std::string& id, const std::string& name, bool id_needed = false) {
    check_id(id, id_needed);
    check_name(name);
    Graph::name(root_, graph_->text(id), graph_->text(name));
  }
  void content(const typecode_reference& type) { Graph::content(root_, &part(type)); }
  void numbers(std::uint32_t length, std::int32_t extra = 0) { Graph::numbers(root_, length, extra); }
  TypeCode::Member* members(std::size_t n) {
    TypeCode::Member* const array = graph_->members(n);
    Graph::members(root_, array, static_cast<std::uint32_t>(n));
    return array;
  }
  const char* text(const std::string& words) { return graph_->text(words); }

  /// Adds `type` as a part: shared, or copied if it has a placeholder for the TypeCode that is built.
  const TypeCode& part(const typecode_reference& type) {
    if (type == nullptr) bad_member("a member's TypeCode is nil");
    const TCKind kind = type->kind();
    if (kind == TCKind::tk_null || kind == TCKind::tk_void || kind == TCKind::tk_except) {
      bad_member("invalid member type " + describe(*type));
    }
    const TypeCodeAnalysis::Properties& found = analysis_.of(*type);
    if (found.height >= kMaxDepth) bad_member("a TypeCode nests more than 100 deep");
    if (!found.incomplete) return held_.insert(type.get()).second ? graph_->hold(type) : *type;
    return *copy_(type.get());
  }

  typecode_reference finish() {
    FiniteSizeCheck ends;
    if (!ends(root_)) {
      bad_member("a value of " + describe(root_) + " would contain itself: use a sequence");
    }
    return Graph::finish(std::move(graph_), root_);
  }

 private:
  const TypeCode* replacement_for(const TypeCode& node) {
    if (node.kind() == kPlaceholder) {
      const bool this_one =
          may_enclose_itself(root_.kind()) && std::string(Access::id(node)) == Access::id(root_);
      return this_one ? &root_ : nullptr;
    }
    return analysis_.of(node).incomplete ? nullptr : &graph_->hold(orbweaver::reference_to(node));
  }

  std::unique_ptr<Graph> graph_;
  TypeCode& root_;
  TypeCodeAnalysis analysis_;
  std::unordered_set<const TypeCode*> held_;
  GraphCopier copy_{*graph_, true, [this](const TypeCode& node) { return replacement_for(node); }};
};

typecode_reference with_fields(TCKind kind, const std::string& id, const std::string& name,
                               const StructMemberSeq& given) {
  TypeCodeBuilder builder(kind);
  builder.name(id, name, kind == TCKind::tk_except);
  MemberNames names;
  std::vector<TypeCode::Member> members;
  for (const StructMember& each : given) {
    names.check(each.name());
    members.push_back({builder.text(each.name()), &builder.part(each.type())});
  }
  std::copy(members.begin(), members.end(), builder.members(members.size()));
  return builder.finish();
}

/// Whether `label` is that of the default case: an octet of 0, for a discriminator that is not an octet
/// (CORBA 3.3 part 1, 8.11.3).
bool is_default(const Any& label, const TypeCode& discriminator) {
  std::uint8_t octet = 1;
  return discriminator.kind() != TCKind::tk_octet && (label >>= octet) && octet == 0;
}

std::int64_t value_of(const Any& label, const typecode_reference& discriminator) {
  const std::vector<std::uint8_t>* const bytes = orbweaver::any::Access::find(label, *discriminator);
  if (bytes == nullptr) {
    bad_param(minor::kBadLabel, "the label has the type " + describe(*label.type()) +
                                    ", the discriminator of " + describe(*discriminator));
  }
  orbweaver::cdr::Decoder in(bytes->data(), bytes->size(), false);
  return orbweaver::any::read_discriminator(in, resolved(*discriminator));
}

typecode_reference with_name(TCKind kind, const std::string& id, const std::string& name) {
  TypeCodeBuilder builder(kind);
  builder.name(id, name, true);
  return builder.finish();
}

typecode_reference value_type(TCKind kind, const std::string& id, const std::string& name,
                              ValueModifier modifier, const typecode_reference& base,
                              const ValueMemberSeq& given) {
  TypeCodeBuilder builder(kind);
  builder.name(id, name, true);
  if (modifier < 0 || modifier > 3)
    bad_param(minor::kBadModifier, std::to_string(modifier) + " is not a modifier of a value type");
  if (base != nullptr) {
    if (!is_value(resolved(*base).kind())) bad_member("the base is no value type: " + describe(*base));
    builder.content(base);
  }
  MemberNames names;
  std::vector<TypeCode::Member> members;
  for (const ValueMember& each : given) {
    names.check(each.name());
    if (each.access() != PUBLIC_MEMBER && each.access() != PRIVATE_MEMBER)
      bad_param(minor::kBadModifier, "member '" + each.name() + "' is neither public nor private");
    members.push_back({builder.text(each.name()), &builder.part(each.type()), 0, each.access()});
  }
  builder.numbers(0, modifier);
  std::copy(members.begin(), members.end(), builder.members(members.size()));
  return builder.finish();
}

typecode_reference with_length(TCKind kind, std::uint32_t length) {
  TypeCodeBuilder builder(kind);
  builder.numbers(length);
  return builder.finish();
}

}  // namespace

typecode_reference ORB::create_struct_tc(const std::string& id, const std::string& name,
                                         const StructMemberSeq& members) {
  return with_fields(TCKind::tk_struct, id, name, members);
}

typecode_reference ORB::create_exception_tc(const std::string& id, const std::string& name,
                                            const StructMemberSeq& members) {
  return with_fields(TCKind::tk_except, id, name, members);
}

typecode_reference ORB::create_union_tc(const std::string& id, const std::string& name,
                                        const typecode_reference& discriminator,
                                        const UnionMemberSeq& given) {
  TypeCodeBuilder builder(TCKind::tk_union);
  builder.name(id, name);
  if (discriminator == nullptr || !is_discriminator(resolved(*discriminator).kind())) {
    bad_param(minor::kBadDiscriminator,
              "invalid discriminator type: " + (discriminator == nullptr ? "nil" : describe(*discriminator)));
  }
  builder.content(discriminator);
  MemberNames names;
  std::set<std::int64_t> labels;
  std::vector<TypeCode::Member> members;
  std::int32_t default_index = -1;
  for (const UnionMember& each : given) {
    names.check(each.name(), true);
    TypeCode::Member member{builder.text(each.name()), &builder.part(each.type())};
    bool fresh = true;
    if (is_default(each.label(), resolved(*discriminator))) {
      fresh = default_index < 0;
      default_index = static_cast<std::int32_t>(members.size());
    } else {
      member.label = value_of(each.label(), discriminator);
      fresh = labels.insert(member.label).second;
    }
    if (!fresh) bad_param(minor::kDuplicateLabel, "duplicate label of '" + each.name() + "'");
    members.push_back(member);
  }
  builder.numbers(0, default_index);
  std::copy(members.begin(), members.end(), builder.members(members.size()));
  return builder.finish();
}

typecode_reference ORB::create_enum_tc(const std::string& id, const std::string& name,
                                       const EnumMemberSeq& given) {
  TypeCodeBuilder builder(TCKind::tk_enum);
  builder.name(id, name);
  MemberNames names;
  TypeCode::Member* member = builder.members(given.size());
  for (const std::string& each : given) {
    names.check(each);
    (member++)->name = builder.text(each);
  }
  return builder.finish();
}

typecode_reference ORB::create_alias_tc(const std::string& id, const std::string& name,
                                        const typecode_reference& original) {
  TypeCodeBuilder builder(TCKind::tk_alias);
  builder.name(id, name);
  builder.content(original);
  return builder.finish();
}

typecode_reference ORB::create_interface_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_objref, id, name);
}
typecode_reference ORB::create_local_interface_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_local_interface, id, name);
}
typecode_reference ORB::create_abstract_interface_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_abstract_interface, id, name);
}
typecode_reference ORB::create_component_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_component, id, name);
}
typecode_reference ORB::create_home_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_home, id, name);
}
typecode_reference ORB::create_native_tc(const std::string& id, const std::string& name) {
  return with_name(TCKind::tk_native, id, name);
}

typecode_reference ORB::create_value_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                                        const typecode_reference& base, const ValueMemberSeq& members) {
  return value_type(TCKind::tk_value, id, name, modifier, base, members);
}
typecode_reference ORB::create_event_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                                        const typecode_reference& base, const ValueMemberSeq& members) {
  return value_type(TCKind::tk_event, id, name, modifier, base, members);
}
typecode_reference ORB::create_value_box_tc(const std::string& id, const std::string& name,
                                            const typecode_reference& boxed) {
  TypeCodeBuilder builder(TCKind::tk_value_box);
  builder.name(id, name, true);
  builder.content(boxed);
  return builder.finish();
}

typecode_reference ORB::create_fixed_tc(std::uint16_t digits, std::int16_t scale) {
  if (digits < 1 || digits > 31 || scale < 0 || scale > digits) {
    bad_param(minor::kBadFixed, "fixed<" + std::to_string(digits) + ", " + std::to_string(scale) +
                                    "> is no type: it must have 1 to 31 digits, and a scale from 0 to these");
  }
  TypeCodeBuilder builder(TCKind::tk_fixed);
  builder.numbers(digits, scale);
  return builder.finish();
}

typecode_reference ORB::create_string_tc(std::uint32_t bound) {
  return with_length(TCKind::tk_string, bound);
}
typecode_reference ORB::create_wstring_tc(std::uint32_t bound) {
  return with_length(TCKind::tk_wstring, bound);
}

typecode_reference ORB::create_sequence_tc(std::uint32_t bound, const typecode_reference& element) {
  TypeCodeBuilder builder(TCKind::tk_sequence);
  builder.numbers(bound);
  builder.content(element);
  return builder.finish();
}

typecode_reference ORB::create_array_tc(std::uint32_t length, const typecode_reference& element) {
  if (length == 0) bad_param(minor::kEmptyArray, "an array must have at least one element");
  TypeCodeBuilder builder(TCKind::tk_array);
  builder.numbers(length);
  builder.content(element);
  return builder.finish();
}

typecode_reference ORB::create_recursive_tc(const std::string& id) {
  TypeCodeBuilder builder(kPlaceholder);
  builder.name(id, "", true);
  return builder.finish();
}

}  // namespace CORBA
