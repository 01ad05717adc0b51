// Anys (CORBA 3.3 part 2, 9.3.5.3). The value is stored in CDR, aligned from offset 0 and in this machine's
// byte order. It is encoded by copying the bytes where alignment and GIOP version allow it, else by a copy
// along its TypeCode.
#include <orbweaver/any.h>
#include <orbweaver/value.h>

#include <algorithm>
#include <cstring>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"

namespace CORBA {

void Any::type(const typecode_reference& other) {
  if (other == nullptr || !type()->equivalent(other)) {
    throw BAD_TYPECODE(0x4f570041, CompletionStatus::COMPLETED_NO,
                       "TypeCode not equivalent to the type of the any");
  }
  type_ = other;
}

void Any::_reset() noexcept {
  type_ = nullptr;
  bytes_.clear();
  broker_ = nullptr;
}

Any TypeCode::member_label(std::uint32_t index) const {
  if (kind_ != TCKind::tk_union) throw BadKind("only a union has labels");
  const std::int64_t label = member(index).label;
  Any any;
  if (static_cast<std::int64_t>(index) == extra_) {
    any <<= std::uint8_t{0};
    return any;
  }
  std::vector<std::uint8_t> bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::any::write_discriminator(out, orbweaver::typecode::resolved(*content_), label);
  out.finish();
  orbweaver::any::Access::put(any, *content_, out, std::move(bytes));
  return any;
}

}  // namespace CORBA

namespace orbweaver::any {

using CORBA::TypeCode;
constexpr std::int32_t kAbstractModifier = 2;  // VM_ABSTRACT
using Bytes = std::vector<std::uint8_t>;

void Access::put(CORBA::Any& any, const TypeCode& type, cdr::Encoder& from, Bytes&& bytes) {
  any.broker_ = from.broker() == nullptr ? nullptr : from.broker()->hold();
  any.type_ = reference_to(type);
  any.bytes_ = std::move(bytes);
}

const Bytes* Access::find(const CORBA::Any& any, const TypeCode& type) {
  if (any.type_ == nullptr) return nullptr;
  if (any.type_.get() == &type || any.type_->equivalent(reference_to(type))) return &any.bytes_;
  return nullptr;
}

const Bytes* Access::find_reference(const CORBA::Any& any) {
  if (any.type_ == nullptr) return nullptr;
  return typecode::is_reference(typecode::resolved(*any.type_).kind()) ? &any.bytes_ : nullptr;
}

const Bytes* Access::find_value(const CORBA::Any& any, const TypeCode& type) {
  if (any.type_ == nullptr) return nullptr;
  const TypeCode& held = typecode::resolved(*any.type_);
  if (held.kind() == CORBA::TCKind::tk_value_box) return find(any, type);
  if (!typecode::is_value(held.kind())) return nullptr;
  // A value of an abstract type may be of any concrete one: the value itself decides.
  if (typecode::Access::extra(type) == kAbstractModifier || &type == &typecode::k_ValueBase)
    return &any.bytes_;
  for (const TypeCode* each = &held; each != nullptr; each = typecode::Access::content(*each)) {
    if (each == &type || each->equivalent(reference_to(type))) return &any.bytes_;
  }
  return nullptr;
}

cdr::Broker* Access::broker(const CORBA::Any& any) noexcept { return any.broker_.get(); }

std::size_t Access::bound(const CORBA::Any& any) {
  constexpr std::size_t kPadding = 7;  // another offset may need more padding
  const std::size_t bytes = any.bytes_.size();
  // GIOP 1.1 adds a NUL and padding, up to eight bytes, to each wide string of at least four.
  return (any.type_ != nullptr && typecode::may_contain_wchar(*any.type_) ? 3 * bytes : bytes) + kPadding;
}

void Access::check(const cdr::Decoder& in) {
  if (in.ok()) return;
  throw CORBA::MARSHAL(cdr::minor_code(in), CORBA::CompletionStatus::COMPLETED_NO,
                       std::string("malformed any: ") + cdr::describe(in.fault()));
}

void Access::encode(cdr::Encoder& out, const CORBA::Any& any) {
  cdr::encode(out, any.type_);
  if (any.bytes_.empty()) return;
  if (any.broker_ != nullptr) out.broker(any.broker_.get());
  encode_copy(out, *any.type_, any.bytes_);
}

namespace {
// The initial capacity of a decoded value. Most values are shorter, and an allocation takes at least as much.
// An encoder would start with 256 bytes, and many short anys would take twenty times the bytes of their
// message.
constexpr std::size_t kControlBytes = 16;
}  // namespace

namespace {
/// Decodes a sequence of numbers or octets whose elements are received as they are stored: one copy, and no
/// storage that is cleared first. Returns false if the value is none, and reads nothing.
bool decode_numbers(const TypeCode& type, cdr::Decoder& in, Bytes& bytes) {
  const TypeCode& value = typecode::resolved(type);
  if (value.kind() != CORBA::TCKind::tk_sequence) return false;
  const TypeCode& element = *typecode::Access::content(value);
  const typecode::PlainLayout number = typecode::plain_layout_of(element);
  // A plain struct of several members may begin where its size is no alignment.
  if (number.size == 0 || number.size != number.align || (in.swaps() && number.size != 1)) return false;
  if (!in.count_steps()) return true;
  const std::uint32_t n =
      in.get_length(typecode::min_encoded_bytes(element), typecode::Access::length(value));
  if (n != 0) in.align(number.align);
  const std::size_t size = std::size_t{n} * number.size;  // no more than the message has, by get_length
  const std::uint8_t* const first = in.get_bytes(size);
  if (!in.ok()) return true;
  const std::size_t begin = n == 0 ? sizeof n : std::max<std::size_t>(sizeof n, number.align);
  bytes.reserve(begin + size);
  bytes.resize(begin);
  std::memcpy(bytes.data(), &n, sizeof n);
  bytes.insert(bytes.end(), first, first + size);
  return true;
}
}  // namespace

void Access::decode(cdr::Decoder& in, CORBA::Any& any) {
  any._reset();
  CORBA::typecode_reference type;
  cdr::decode(in, type);
  if (!in.ok() || !in.enter()) return;
  Bytes bytes = std::move(any.bytes_);  // empty, with the storage that a variable of the caller has
  bool references = false;
  if (!decode_numbers(*type, in, bytes)) {
    bytes.resize(kControlBytes);
    cdr::Encoder out(bytes);
    ValueCopy copy(in, out);
    copy.value(*type);
    out.finish();
    references = copy.references();
  }
  in.leave();
  if (!in.ok()) return;
  if (bytes.empty() || bytes.capacity() > std::max(kControlBytes, 2 * bytes.size())) bytes.shrink_to_fit();
  // An any of tk_null is the same as an empty any.
  if (type->kind() != CORBA::TCKind::tk_null) any.type_ = std::move(type);
  any.bytes_ = std::move(bytes);
  if (references && in.broker() != nullptr) any.broker_ = in.broker()->hold();
}

}  // namespace orbweaver::any

namespace orbweaver::cdr {

std::size_t Codec<CORBA::Any>::bound(const CORBA::Any& any) {
  return bound_of(any.type()) + any::Access::bound(any);
}

}  // namespace orbweaver::cdr
