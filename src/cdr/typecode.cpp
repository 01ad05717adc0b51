// The operations of TypeCode (CORBA 3.3 part 1, 8.11.2). member_label, which returns an any, is in any.cpp.
#include <orbweaver/typecode.h>

#include <ostream>

#include "cdr/typecode_graph.h"

namespace orbweaver::typecode {

#define ORBWEAVER_BASIC(NAME) const CORBA::TypeCode k_##NAME{TCKind::tk_##NAME};
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_BASIC)
#undef ORBWEAVER_BASIC
const CORBA::TypeCode k_Object{TCKind::tk_objref, "IDL:omg.org/CORBA/Object:1.0", "Object"};
const CORBA::TypeCode k_int8{TCKind::tk_alias, "IDL:omg.org/CORBA/Int8:1.0", "int8", nullptr, 0, &k_octet};

}  // namespace orbweaver::typecode

namespace CORBA {

using orbweaver::reference_to;
using namespace orbweaver::typecode;

namespace {

[[noreturn, gnu::cold]] void bad_kind(const TypeCode& type) {
  if (type.kind() != kPlaceholder)
    throw TypeCode::BadKind("the type " + describe(type) + " has no such property");
  throw BAD_TYPECODE(0x4f4d0001, CompletionStatus::COMPLETED_NO,
                     "recursive TypeCode used before its enclosing type was created");
}

}  // namespace

#define ORBWEAVER_BASIC(NAME) \
  const typecode_reference _tc_##NAME{typecode_reference::Constant{}, constant(k_##NAME)};
ORBWEAVER_BASIC_TYPECODES(ORBWEAVER_BASIC)
#undef ORBWEAVER_BASIC
const typecode_reference _tc_Object{typecode_reference::Constant{}, constant(k_Object)};

std::string TypeCode::id() const {
  if (!has_id(kind_)) bad_kind(*this);
  return id_;
}

std::string TypeCode::name() const {
  if (!has_id(kind_)) bad_kind(*this);
  return name_;
}

std::uint32_t TypeCode::member_count() const {
  if (!has_members(kind_)) bad_kind(*this);
  return member_count_;
}

const TypeCode::Member& TypeCode::member(std::uint32_t index) const {
  if (!has_members(kind_)) bad_kind(*this);
  if (index >= member_count_)
    throw Bounds("there is no member " + std::to_string(index) + "; member_count is " +
                 std::to_string(member_count_));
  return members_[index];
}

std::string TypeCode::member_name(std::uint32_t index) const { return member(index).name; }

typecode_reference TypeCode::member_type(std::uint32_t index) const {
  if (kind_ == TCKind::tk_enum) bad_kind(*this);
  return reference_to(*member(index).type);
}

typecode_reference TypeCode::discriminator_type() const {
  if (kind_ != TCKind::tk_union) bad_kind(*this);
  return reference_to(*content_);
}

std::int32_t TypeCode::default_index() const {
  if (kind_ != TCKind::tk_union) bad_kind(*this);
  return extra_;
}

std::uint32_t TypeCode::length() const {
  if (kind_ != TCKind::tk_string && kind_ != TCKind::tk_wstring && kind_ != TCKind::tk_sequence &&
      kind_ != TCKind::tk_array) {
    bad_kind(*this);
  }
  return length_;
}

typecode_reference TypeCode::content_type() const {
  if (kind_ != TCKind::tk_sequence && kind_ != TCKind::tk_array && kind_ != TCKind::tk_alias &&
      kind_ != TCKind::tk_value_box) {
    bad_kind(*this);
  }
  return reference_to(*content_);
}

std::uint16_t TypeCode::fixed_digits() const {
  if (kind_ != TCKind::tk_fixed) bad_kind(*this);
  return static_cast<std::uint16_t>(length_);
}

std::int16_t TypeCode::fixed_scale() const {
  if (kind_ != TCKind::tk_fixed) bad_kind(*this);
  return static_cast<std::int16_t>(extra_);
}

Visibility TypeCode::member_visibility(std::uint32_t index) const {
  if (!is_value(kind_)) bad_kind(*this);
  return member(index).visibility;
}

ValueModifier TypeCode::type_modifier() const {
  if (!is_value(kind_)) bad_kind(*this);
  return static_cast<ValueModifier>(extra_);
}

typecode_reference TypeCode::concrete_base_type() const {
  if (!is_value(kind_)) bad_kind(*this);
  return content_ == nullptr ? typecode_reference() : reference_to(*content_);
}

std::ostream& operator<<(std::ostream& os, const typecode_reference& type) {
  return type == nullptr ? os << "nil" : os << describe(*type);
}

}  // namespace CORBA

namespace orbweaver::typecode {

namespace {

/// Names of the kinds, in the order of TCKind.
constexpr const char* kKindNames[] = {"null",
                                      "void",
                                      "short",
                                      "long",
                                      "unsigned short",
                                      "unsigned long",
                                      "float",
                                      "double",
                                      "boolean",
                                      "char",
                                      "octet",
                                      "any",
                                      "TypeCode",
                                      "Principal",
                                      "interface",
                                      "struct",
                                      "union",
                                      "enum",
                                      "string",
                                      "sequence",
                                      "array",
                                      "alias",
                                      "exception",
                                      "long long",
                                      "unsigned long long",
                                      "long double",
                                      "wchar",
                                      "wstring",
                                      "fixed",
                                      "valuetype",
                                      "value box",
                                      "native",
                                      "abstract interface",
                                      "local interface",
                                      "component",
                                      "home",
                                      "eventtype"};

std::string describe_element(const TypeCode& element, int depth) {
  return depth > kMaxDepth ? "…" : describe(element, depth + 1);
}

/// The element type of an array, and its dimensions.
std::string describe_array(const TypeCode& type, int depth) {
  std::string dimensions;
  const TypeCode* content = &type;
  for (; content->kind() == TCKind::tk_array; content = Access::content(*content)) {
    dimensions.append(1, '[');
    if (Access::length(*content) != 0 || content != &type)
      dimensions.append(std::to_string(Access::length(*content)));
    dimensions.append(1, ']');
  }
  return describe_element(*content, depth) + dimensions;
}

}  // namespace

std::string describe(const TypeCode& type, int depth) {
  const TCKind kind = type.kind();
  if (kind == kPlaceholder) return std::string("recursive ") + Access::id(type);
  const std::string word = kKindNames[static_cast<std::size_t>(kind)];
  if (has_id(kind)) {
    if (*Access::name(type) != 0) return Access::name(type);
    return *Access::id(type) != 0 ? Access::id(type) : word;
  }
  const std::uint32_t length = Access::length(type);
  const std::string bound = length == 0 ? "" : std::to_string(length);
  switch (kind) {
    case TCKind::tk_string:
    case TCKind::tk_wstring: return bound.empty() ? word : word + "<" + bound + ">";
    case TCKind::tk_fixed:
      return "fixed<" + std::to_string(length) + ", " + std::to_string(Access::extra(type)) + ">";
    case TCKind::tk_sequence: {
      const std::string element = describe_element(*Access::content(type), depth);
      return "sequence<" + element + (bound.empty() ? "" : ", " + bound) + ">";
    }
    case TCKind::tk_array: return describe_array(type, depth);
    default: return word;
  }
}

}  // namespace orbweaver::typecode
