// DynAny: values of basic types, and sequences and arrays of them.
#include <orbweaver/abstract_interface.h>
#include <orbweaver/detail/stub.h>

#include <type_traits>

#include "dynamic/any/elements_node.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/factory.h"
#include "dynamic/any/node.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

void check_kind(const Node& node, TCKind kind) {
  if (node.kind() == kind) return;
  static constexpr const char* kWhat = " does not contain a value of the type of this function";
  raise_mismatch(typecode::describe(node.declared_type()) + kWhat);
}

template <class T>
void check_bound(const Node&, const T&) {}
void check_bound(const Node& node, std::size_t characters) {
  const std::uint32_t bound = Fields::length(node.value_type());
  if (bound == 0 || characters <= bound) return;
  raise_invalid("a string of " + std::to_string(characters) + " characters for " +
                typecode::describe(node.declared_type()));
}
void check_bound(const Node& node, const std::string& value) { check_bound(node, value.size()); }
void check_bound(const Node& node, const std::wstring& value) { check_bound(node, value.size()); }

/// A decoder at the value of an any, valid as long as the any.
cdr::Decoder decoder_of(const CORBA::Any& any) {
  const std::vector<std::uint8_t>& bytes = *any::Access::find(any, *any.type());
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  in.broker(any::Access::broker(any));
  return in;
}

}  // namespace

template <class T>
void Node::insert(TCKind kind, const T& value) {
  const NodeRef target = basic_target();
  check_kind(*target, kind);
  check_bound(*target, value);
  ValueWriter writer;
  cdr::encode(writer.out(), value);
  target->set_value(writer.finish());
}

template <class T>
T Node::get(TCKind kind) {
  const NodeRef target = basic_target();
  check_kind(*target, kind);
  T value{};
  if (target->value_.is_initial()) return value;
  cdr::Decoder in = target->value_.decoder();
  cdr::decode(in, value);
  check(in);
  return value;
}

#define ORBWEAVER_NODE_VALUE(NAME, KIND, IN, OUT)                               \
  void Node::insert_##NAME(IN value) { insert<OUT>(TCKind::tk_##KIND, value); } \
  OUT Node::get_##NAME() { return get<OUT>(TCKind::tk_##KIND); }
ORBWEAVER_NODE_VALUE(boolean, boolean, bool, bool)
ORBWEAVER_NODE_VALUE(octet, octet, std::uint8_t, std::uint8_t)
ORBWEAVER_NODE_VALUE(char, char, char, char)
ORBWEAVER_NODE_VALUE(short, short, std::int16_t, std::int16_t)
ORBWEAVER_NODE_VALUE(ushort, ushort, std::uint16_t, std::uint16_t)
ORBWEAVER_NODE_VALUE(long, long, std::int32_t, std::int32_t)
ORBWEAVER_NODE_VALUE(ulong, ulong, std::uint32_t, std::uint32_t)
ORBWEAVER_NODE_VALUE(float, float, float, float)
ORBWEAVER_NODE_VALUE(double, double, double, double)
ORBWEAVER_NODE_VALUE(string, string, const std::string&, std::string)
ORBWEAVER_NODE_VALUE(longlong, longlong, std::int64_t, std::int64_t)
ORBWEAVER_NODE_VALUE(ulonglong, ulonglong, std::uint64_t, std::uint64_t)
ORBWEAVER_NODE_VALUE(longdouble, longdouble, long double, long double)
ORBWEAVER_NODE_VALUE(wchar, wchar, wchar_t, wchar_t)
ORBWEAVER_NODE_VALUE(wstring, wstring, const std::wstring&, std::wstring)
ORBWEAVER_NODE_VALUE(any, any, const CORBA::Any&, CORBA::Any)
#undef ORBWEAVER_NODE_VALUE

void Node::insert_typecode(const CORBA::typecode_reference& value) { insert(TCKind::tk_TypeCode, value); }

CORBA::typecode_reference Node::get_typecode() {
  auto type = get<CORBA::typecode_reference>(TCKind::tk_TypeCode);
  return type == nullptr ? CORBA::_tc_null : type;
}

void Node::insert_reference(const CORBA::object_reference<CORBA::Object>& value) {
  const NodeRef target = basic_target();
  if (!typecode::is_reference(target->kind())) check_kind(*target, TCKind::tk_objref);
  ValueWriter writer;
  cdr::encode(writer.out(), value);
  target->set_value(writer.finish());
}

CORBA::object_reference<CORBA::Object> Node::get_reference() {
  const NodeRef target = basic_target();
  return target->get<CORBA::object_reference<CORBA::Object>>(
      typecode::is_reference(target->kind()) ? target->kind() : TCKind::tk_objref);
}

void Node::insert_val(const CORBA::object_reference<CORBA::ValueBase>& value) {
  const NodeRef target = value_target();
  if (value == nullptr) return target->set_value({});
  CORBA::Any any;
  any <<= value;
  target->from_any(any);
}

CORBA::object_reference<CORBA::ValueBase> Node::get_val() {
  const CORBA::Any any = value_target()->to_any();
  cdr::Decoder in = decoder_of(any);
  auto value = cdr::decode_value(in, CORBA::ValueBase::_static_value_type());
  check(in);
  return value;
}

void Node::insert_abstract(const CORBA::object_reference<CORBA::AbstractBase>& value) {
  const NodeRef target = basic_target();
  check_kind(*target, TCKind::tk_abstract_interface);
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  cdr::encode_apart(out, [&](cdr::Encoder& apart) { cdr::encode(apart, value); });
  out.finish();
  CORBA::Any any;
  any::Access::put(any, target->declared_type(), out, std::move(bytes));
  target->from_any(any);
}

CORBA::object_reference<CORBA::AbstractBase> Node::get_abstract() {
  const NodeRef target = basic_target();
  check_kind(*target, TCKind::tk_abstract_interface);
  const CORBA::Any any = target->to_any();
  cdr::Decoder in = decoder_of(any);
  CORBA::object_reference<CORBA::AbstractBase> value;
  cdr::decode(in, value);
  check(in);
  return value;
}

void Node::insert_dyn_any(const Ref& value) { insert_any(node_of(value).to_any()); }

Node::Ref Node::get_dyn_any() { return make_dyn_any(get_any(), true); }

template <class T>
void Node::insert_elements(TCKind kind, const std::vector<T>& value) {
  const NodeRef target = elements_target(kind);
  const TypeCode& type = target->value_type();
  check_element_count(type, value.size());
  ValueWriter writer;
  cdr::Encoder& out = writer.out();
  if (type.kind() == TCKind::tk_sequence) out.put(static_cast<std::uint32_t>(value.size()));
  if constexpr (std::is_same_v<T, bool>) {
    for (const bool each : value) cdr::encode(out, each);
  } else {
    cdr::detail::encode_elements(out, value.data(), value.size());
  }
  target->set_value(writer.finish());
}

template <class T>
std::vector<T> Node::get_elements_of(TCKind kind) {
  const NodeRef target = elements_target(kind);
  const TypeCode& type = target->value_type();
  const EncodedValue value = written(target->encoded(), type);
  cdr::Decoder in = value.decoder();
  constexpr std::size_t kMinBytes = cdr::Codec<T>::kMinBytes;
  std::uint32_t n = Fields::length(type);
  if (type.kind() == TCKind::tk_sequence) n = in.get_length(kMinBytes);
  if (n > in.remaining() / kMinBytes) in.fail(cdr::Fault::truncated);
  check(in);
  std::vector<T> elements(n);
  if constexpr (std::is_same_v<T, bool>) {
    for (std::uint32_t i = 0; i < n; ++i) elements[i] = in.get_boolean();
  } else {
    cdr::detail::decode_elements(in, elements.data(), n);
  }
  check(in);
  return elements;
}

#define ORBWEAVER_NODE_ELEMENTS(KIND, TYPE)                        \
  void Node::insert_##KIND##_seq(const std::vector<TYPE>& value) { \
    insert_elements<TYPE>(TCKind::tk_##KIND, value);               \
  }                                                                \
  std::vector<TYPE> Node::get_##KIND##_seq() { return get_elements_of<TYPE>(TCKind::tk_##KIND); }
ORBWEAVER_NODE_ELEMENTS(boolean, bool)
ORBWEAVER_NODE_ELEMENTS(octet, std::uint8_t)
ORBWEAVER_NODE_ELEMENTS(char, char)
ORBWEAVER_NODE_ELEMENTS(short, std::int16_t)
ORBWEAVER_NODE_ELEMENTS(ushort, std::uint16_t)
ORBWEAVER_NODE_ELEMENTS(long, std::int32_t)
ORBWEAVER_NODE_ELEMENTS(ulong, std::uint32_t)
ORBWEAVER_NODE_ELEMENTS(float, float)
ORBWEAVER_NODE_ELEMENTS(double, double)
ORBWEAVER_NODE_ELEMENTS(longlong, std::int64_t)
ORBWEAVER_NODE_ELEMENTS(ulonglong, std::uint64_t)
ORBWEAVER_NODE_ELEMENTS(longdouble, long double)
ORBWEAVER_NODE_ELEMENTS(wchar, wchar_t)
#undef ORBWEAVER_NODE_ELEMENTS

}  // namespace orbweaver::dynamic
