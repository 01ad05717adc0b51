#include "dynamic/any/encoded_value.h"

#include <orbweaver/fixed.h>

#include <limits>
#include <utility>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/union_labels.h"
#include "dynamic/any/value_graph.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

cdr::Decoder EncodedValue::decoder() const noexcept {
  cdr::Decoder in(buffer->bytes.data(), buffer->bytes.size(), false);
  in.skip(offset);
  in.broker(buffer->broker.get());
  return in;
}

void ValueWriter::value(const EncodedValue& value, const TypeCode& type) {
  if (value.is_initial()) return initial(type);
  cdr::Decoder in = value.decoder();
  if (!copy(in, type, value.values.get())) check(in);
}

void ValueWriter::count(std::uint64_t bytes, std::uint64_t steps) {
  initial_bytes_ += bytes;
  steps_ += steps;
  if (initial_bytes_ <= kMaxInitialBytes &&
      steps_ <= limits::kFreeSteps + limits::kStepsPerByte * static_cast<std::uint64_t>(out_.size()))
    return;
  raise_limit("the initial values of this type have more than " + std::to_string(kMaxInitialBytes) +
              " octets, or too many parts without octets: assign a value instead, or a shorter length");
}

void ValueWriter::zeros(std::uint64_t bytes) {
  count(bytes);
  static constexpr std::uint8_t kZeros[256] = {};
  for (; bytes != 0;) {
    const std::size_t now = bytes < sizeof kZeros ? bytes : sizeof kZeros;
    out_.put_bytes(kZeros, now);
    bytes -= now;
  }
}

void ValueWriter::initial_elements(const TypeCode& element, std::uint64_t n) {
  if (typecode::min_encoded_bytes(element) == 0) return;
  const typecode::PlainLayout block = typecode::plain_layout_of(element);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (block.size != 0 && out_.size() % block.align == 0) {
      if (n - i > kMaxInitialBytes) count(n - i);  // raises: the product below could overflow
      return zeros((n - i) * block.size);
    }
    initial(element);
  }
}

void ValueWriter::initial(const TypeCode& given) {
  const TypeCode& type = typecode::resolved(given);
  switch (type.kind()) {
    case TCKind::tk_null:
    case TCKind::tk_void: return count(0);
    case TCKind::tk_boolean:
    case TCKind::tk_char:
    case TCKind::tk_octet: return zeros(1);
    case TCKind::tk_short:
    case TCKind::tk_ushort: out_.align(2); return zeros(2);
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_float:
    case TCKind::tk_enum:
    case TCKind::tk_sequence:
    case TCKind::tk_value:
    case TCKind::tk_value_box:
    case TCKind::tk_event: out_.align(4); return zeros(4);
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
    case TCKind::tk_double: out_.align(8); return zeros(8);
    case TCKind::tk_longdouble: out_.align(8); return zeros(16);
    case TCKind::tk_wchar: count(3); return cdr::encode(out_, wchar_t{});
    case TCKind::tk_string: count(5); return out_.put_string({});
    case TCKind::tk_wstring: count(4); return cdr::encode(out_, std::wstring());
    case TCKind::tk_fixed: {
      zeros(fixed::octets_of(static_cast<std::uint16_t>(Fields::length(type))) - 1);
      constexpr std::uint8_t kPositiveZero = 0x0c;
      return out_.put(kPositiveZero);
    }
    case TCKind::tk_any:
    case TCKind::tk_TypeCode: count(4); return cdr::encode(out_, CORBA::_tc_null);
    case TCKind::tk_objref:
    case TCKind::tk_component:
    case TCKind::tk_home:
      count(12);
      out_.put_string({});
      return out_.put(std::uint32_t{0});  // no profiles: nil
    case TCKind::tk_abstract_interface:
      zeros(1);
      out_.align(4);
      return zeros(4);
    default: return initial_constructed(type);
  }
}

void ValueWriter::initial_constructed(const TypeCode& type) {
  const typecode::PlainLayout block = typecode::plain_layout_of(type);
  if (block.size != 0 && out_.size() % block.align == 0) return zeros(block.size);
  switch (type.kind()) {
    case TCKind::tk_except:
      count(0);
      out_.put_string(Fields::id(type));
      [[fallthrough]];
    case TCKind::tk_struct:
      count(0);
      if (Fields::count(type) == 0 && type.kind() == TCKind::tk_struct) return zeros(1);  // as ValueCopy
      for (std::uint32_t i = 0; i < Fields::count(type); ++i) initial(*Fields::members(type)[i].type);
      return;
    case TCKind::tk_union: return initial_union(type);
    case TCKind::tk_array: count(0); return initial_elements(*Fields::content(type), Fields::length(type));
    default: raise_limit("a value of " + typecode::describe(type) + " cannot be encoded");
  }
}

void ValueWriter::initial_union(const TypeCode& type) {
  std::uint64_t steps = 1;
  const std::int64_t label = initial_label(type, steps);
  count(8, steps);
  any::write_discriminator(out_, typecode::resolved(*Fields::content(type)), label);
  if (const TypeCode::Member* const member = any::find_case(type, label)) initial(*member->type);
}

EncodedValue ValueWriter::finish() {
  out_.finish();
  if (bytes_.size() > std::numeric_limits<std::uint32_t>::max()) raise_limit("a value of more than 4 GiB");
  auto buffer = std::make_shared<EncodedValue::Buffer>();
  if (out_.broker() != nullptr) buffer->broker = out_.broker()->hold();
  if (bytes_.capacity() > 2 * bytes_.size()) bytes_.shrink_to_fit();
  buffer->bytes = std::move(bytes_);
  std::shared_ptr<const SharedValues> values;
  if (!values_.empty()) values = std::make_shared<const SharedValues>(std::move(values_));
  return {std::move(buffer), 0, std::move(values)};
}

CORBA::Any ValueWriter::to_any(const TypeCode& type) {
  CORBA::Any any;
  if (type.kind() == TCKind::tk_null) return any;
  out_.finish();
  bytes_.shrink_to_fit();
  any::Access::put(any, type, out_, std::move(bytes_));
  return any;
}

std::optional<EncodedValue> encoded_value_of(const CORBA::Any& any, const TypeCode& type, ValueGraph* graph,
                                             bool& truncated) {
  if (any._empty() && type.kind() == TCKind::tk_null) return ValueWriter().finish();
  const std::vector<std::uint8_t>* const bytes = any::Access::find(any, type);
  if (bytes == nullptr) return std::nullopt;
  cdr::Decoder in(bytes->data(), bytes->size(), false);
  in.broker(any::Access::broker(any));
  ValueWriter writer;
  // Equivalent TypeCodes can differ in their members if they have one repository id.
  if (!writer.read(in, type, graph, truncated)) return std::nullopt;
  return writer.finish();
}

EncodedValue written(const EncodedValue& value, const TypeCode& type) {
  if (!value.is_initial()) return value;
  ValueWriter writer;
  writer.initial(type);
  return writer.finish();
}

}  // namespace orbweaver::dynamic
