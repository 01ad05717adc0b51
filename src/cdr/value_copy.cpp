// Copies values whose C++ type is not known, by a traversal of their TypeCode (CORBA 3.3 part 2, 9.3.2 and
// 9.3.3).
#include "cdr/value_copy.h"

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/fixed.h>

#include "cdr/typecode_graph.h"

namespace orbweaver::any {

using cdr::Fault;
using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

void ValueCopy::value(const TypeCode& given) {
  if (!in_.count_steps()) return;
  const TypeCode& type = typecode::resolved(given);
  switch (type.kind()) {
    case TCKind::tk_null:
    case TCKind::tk_void: return;
    case TCKind::tk_boolean: return out_.put(static_cast<std::uint8_t>(in_.get_boolean()));
    case TCKind::tk_char:
    case TCKind::tk_octet: return primitive<std::uint8_t>();
    case TCKind::tk_short:
    case TCKind::tk_ushort: return primitive<std::uint16_t>();
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_float: return primitive<std::uint32_t>();
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
    case TCKind::tk_double: return primitive<std::uint64_t>();
    case TCKind::tk_longdouble: return long_double();
    case TCKind::tk_enum: {
      const auto position = in_.get<std::uint32_t>();
      if (position >= Fields::count(type)) in_.fail(Fault::bad_enum);
      return out_.put(position);
    }
    case TCKind::tk_wchar: return copy_wchar();
    case TCKind::tk_string: return out_.put_string(in_.get_string_view(Fields::length(type)));
    case TCKind::tk_wstring: return copy_wstring(Fields::length(type));
    case TCKind::tk_fixed: return copy_fixed(static_cast<std::uint16_t>(Fields::length(type)));
    case TCKind::tk_Principal: return copy_octet_sequence();
    case TCKind::tk_value:
    case TCKind::tk_value_box:
    case TCKind::tk_event: return copy_value(type);
    default: break;
  }
  if (!in_.enter()) return;
  constructed(type);
  in_.leave();
}

/// Copies a value that contains others, or is a reference. `type`: without aliases.
void ValueCopy::constructed(const TypeCode& type) {
  switch (type.kind()) {
    case TCKind::tk_TypeCode: copy_typecode(); return;
    case TCKind::tk_any: {
      const CORBA::typecode_reference inner = copy_typecode();
      if (in_.ok()) copy_value_of_any(*inner);
      return;
    }
    case TCKind::tk_objref:
    case TCKind::tk_component:
    case TCKind::tk_home: return reference();
    case TCKind::tk_abstract_interface: {
      const bool is_object = in_.get_boolean();
      out_.put(static_cast<std::uint8_t>(is_object));
      return is_object ? reference() : copy_value(type);
    }
    case TCKind::tk_except: out_.put_string(in_.get_string_view()); return members(type);
    case TCKind::tk_struct: return members(type);
    case TCKind::tk_union: return copy_union(type);
    case TCKind::tk_array: return copy_elements(*Fields::content(type), Fields::length(type));
    case TCKind::tk_sequence: {
      const TypeCode& element = *Fields::content(type);
      const std::uint32_t n = in_.get_length(typecode::min_encoded_bytes(element), Fields::length(type));
      out_.put(n);
      return copy_elements(element, n);
    }
    default: in_.fail(Fault::unsupported_type);
  }
}

/// Copies a TypeCode. Returns nil after a fault.
CORBA::typecode_reference ValueCopy::copy_typecode() {
  CORBA::typecode_reference type;
  cdr::decode(in_, type);
  if (in_.ok()) cdr::encode(out_, type);
  return type;
}

void ValueCopy::copy_elements(const TypeCode& element, std::uint64_t n) {
  if (typecode::min_encoded_bytes(element) == 0) return;
  const typecode::PlainLayout block = typecode::plain_layout_of(element);
  for (std::uint64_t i = 0; i < n && in_.ok() && out_.ok(); ++i) {
    // Copies all remaining elements as one block if both sides have the same layout. The first element may
    // have to be copied on its own to reach the alignment.
    if (block.size != 0 && !in_.in_chunks() && (!in_.swaps() || block.align == 1) &&
        in_.offset() % block.align == 0 && out_.size() % block.align == 0) {
      const std::uint64_t bytes = (n - i) * block.size;
      if (bytes > in_.remaining()) return in_.fail(Fault::truncated);
      return out_.put_bytes(in_.get_bytes(static_cast<std::size_t>(bytes)), static_cast<std::size_t>(bytes));
    }
    value(element);
  }
}

void ValueCopy::members(const TypeCode& type) {
  if (Fields::count(type) == 0 && type.kind() == TCKind::tk_struct)
    return copy_octets(1);  // as the codecs of generated code encode it
  for (std::uint32_t i = 0; i < Fields::count(type) && in_.ok(); ++i) value(*Fields::members(type)[i].type);
}

void ValueCopy::copy_union(const TypeCode& type) {
  const TypeCode& switched = typecode::resolved(*Fields::content(type));
  const std::int64_t discriminator = read_discriminator(in_, switched);
  if (!in_.ok()) return;
  write_discriminator(out_, switched, discriminator);
  if (const TypeCode::Member* member = find_case(type, discriminator)) value(*member->type);
}

/// Copies an IOR (CORBA 3.3 part 2, 7.6.2). Its profiles are encapsulations, which do not depend on the
/// offset.
void ValueCopy::reference() {
  references_ = true;
  out_.put_string(in_.get_string_view());
  const std::uint32_t profiles = in_.get_length(8);
  out_.put(profiles);
  for (std::uint32_t i = 0; i < profiles && in_.ok(); ++i) {
    primitive<std::uint32_t>();
    copy_octet_sequence();
  }
}

void ValueCopy::copy_octets(std::uint32_t n) {
  const std::uint8_t* at = in_.get_bytes(n);
  if (at != nullptr) out_.put_bytes(at, n);
}

void ValueCopy::copy_fixed(std::uint16_t digits) {
  const std::size_t n = fixed::octets_of(digits);
  const std::uint8_t* at = in_.get_bytes(n);
  if (at == nullptr) return;
  if (!fixed::is_valid(at, digits)) return in_.fail(fixed::kMalformed);
  out_.put_bytes(at, n);
}

void ValueCopy::copy_octet_sequence() {
  const std::uint32_t n = in_.get_length(1);
  out_.put(n);
  copy_octets(n);
}

void ValueCopy::copy_wchar() {
  if (in_.wchar_encoding() != cdr::WcharEncoding::giop_1_2 ||
      out_.wchar_encoding() != cdr::WcharEncoding::giop_1_2) {
    wchar_t wide = 0;
    cdr::decode(in_, wide);
    if (in_.ok()) cdr::encode(out_, wide);
    return;
  }
  const auto bytes = in_.get<std::uint8_t>();
  if (bytes % 2 != 0) in_.fail(Fault::bad_string);
  out_.put(bytes);
  copy_octets(bytes);
}

void ValueCopy::copy_wstring(std::uint32_t bound) {
  std::wstring text;
  cdr::Codec<std::wstring>::decode_bounded(in_, text, bound);
  cdr::encode(out_, text);
}

void ValueCopy::long_double() {
  in_.align(8);
  out_.align(8);
  const std::uint8_t* at = in_.get_bytes(16);
  if (at == nullptr) return;
  std::uint8_t bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = at[in_.swaps() ? 15 - i : i];
  out_.put_bytes(bytes, sizeof bytes);
}

std::int64_t read_label(cdr::Decoder& in, TCKind kind) {
  switch (kind) {
    case TCKind::tk_boolean: return in.get_boolean();
    case TCKind::tk_char:
    case TCKind::tk_octet: return in.get<std::uint8_t>();
    case TCKind::tk_short: return in.get<std::int16_t>();
    case TCKind::tk_ushort: return in.get<std::uint16_t>();
    case TCKind::tk_long: return in.get<std::int32_t>();
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong: return in.get<std::int64_t>();
    case TCKind::tk_wchar: {
      wchar_t wide = 0;
      cdr::decode(in, wide);
      return static_cast<std::int64_t>(wide);
    }
    default: return in.get<std::uint32_t>();
  }
}

std::int64_t read_discriminator(cdr::Decoder& in, const TypeCode& type) {
  const std::int64_t value = read_label(in, type.kind());
  if (type.kind() == TCKind::tk_enum && value >= Fields::count(type)) in.fail(Fault::bad_enum);
  return value;
}

void write_discriminator(cdr::Encoder& out, const TypeCode& type, std::int64_t value) {
  switch (type.kind()) {
    case TCKind::tk_boolean:
    case TCKind::tk_char:
    case TCKind::tk_octet: return out.put(static_cast<std::uint8_t>(value));
    case TCKind::tk_short:
    case TCKind::tk_ushort: return out.put(static_cast<std::uint16_t>(value));
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong: return out.put(value);
    case TCKind::tk_wchar: return cdr::encode(out, static_cast<wchar_t>(value));
    default: return out.put(static_cast<std::uint32_t>(value));
  }
}

}  // namespace orbweaver::any
