// Equality of values whose C++ type is not known.
#include <orbweaver/detail/stub.h>
#include <orbweaver/fixed.h>

#include <cmath>
#include <cstring>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "dynamic/any/encoded_value.h"

namespace orbweaver::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

/// Compares the values at two decoders. After a difference the decoders are in no defined position.
class Comparison {
 public:
  Comparison(cdr::Decoder& a, cdr::Decoder& b) : a_(a), b_(b) {}

  bool values(const TypeCode& given) {
    if (!a_.count_steps() || !b_.count_steps()) return false;
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_null:
      case TCKind::tk_void: return true;
      case TCKind::tk_boolean:
      case TCKind::tk_char:
      case TCKind::tk_octet: return same<std::uint8_t>();
      case TCKind::tk_short:
      case TCKind::tk_ushort: return same<std::uint16_t>();
      case TCKind::tk_long:
      case TCKind::tk_ulong:
      case TCKind::tk_enum: return same<std::uint32_t>();
      case TCKind::tk_longlong:
      case TCKind::tk_ulonglong: return same<std::uint64_t>();
      case TCKind::tk_float: return same_real<float>();
      case TCKind::tk_double: return same_real<double>();
      case TCKind::tk_longdouble: return same_real<long double>();
      case TCKind::tk_wchar: return same<wchar_t>();
      case TCKind::tk_string: return a_.get_string_view() == b_.get_string_view();
      case TCKind::tk_wstring: return same<std::wstring>();
      case TCKind::tk_fixed: return same_fixed(type);
      default: break;
    }
    if (!a_.enter() || !b_.enter()) return false;
    const bool equal = constructed(type);
    a_.leave();
    b_.leave();
    return equal;
  }

 private:
  template <class T>
  std::pair<T, T> both() {
    std::pair<T, T> values{};
    cdr::decode(a_, values.first);
    cdr::decode(b_, values.second);
    return values;
  }
  template <class T>
  bool same() {
    const auto [a, b] = both<T>();
    return a == b;
  }
  template <class T>
  bool same_real() {
    const auto [a, b] = both<T>();
    return a == b || (std::isnan(a) && std::isnan(b) && std::signbit(a) == std::signbit(b));
  }
  bool same_fixed(const TypeCode& type) {
    const auto digits = static_cast<std::uint16_t>(Fields::length(type));
    const std::size_t n = fixed::octets_of(digits);
    const std::uint8_t *const a = a_.get_bytes(n), *const b = b_.get_bytes(n);
    if (a == nullptr || b == nullptr) return false;
    if (std::memcmp(a, b, n) == 0) return true;
    return digits <= fixed::kMaxDigits && fixed::compare({a, digits, 0}, {b, digits, 0}) == 0;
  }
  bool same_length(std::uint32_t& n, std::size_t min_bytes) {
    n = a_.get_length(min_bytes);
    return n == b_.get_length(min_bytes) && a_.ok() && b_.ok();
  }

  bool constructed(const TypeCode& type) {
    switch (type.kind()) {
      case TCKind::tk_TypeCode: {
        const auto [a, b] = both<CORBA::typecode_reference>();
        return a != nullptr && b != nullptr && a->equal(b);
      }
      case TCKind::tk_any: {
        const auto [a, b] = both<CORBA::typecode_reference>();
        return a != nullptr && b != nullptr && a->equivalent(b) && values(*a);
      }
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home: return references();
      case TCKind::tk_abstract_interface: {
        const auto [a, b] = both<bool>();
        return a == b && (a ? references() : same<std::uint32_t>());
      }
      case TCKind::tk_value:
      case TCKind::tk_value_box:
      case TCKind::tk_event: return same<std::uint32_t>();  // both are nil: others are not encoded
      case TCKind::tk_except: return a_.get_string_view() == b_.get_string_view() && members(type);
      case TCKind::tk_struct: return members(type);
      case TCKind::tk_union: return unions(type);
      case TCKind::tk_array: return elements(*Fields::content(type), Fields::length(type));
      case TCKind::tk_sequence: {
        std::uint32_t n = 0;
        const TypeCode& element = *Fields::content(type);
        return same_length(n, typecode::min_encoded_bytes(element)) && elements(element, n);
      }
      default: a_.fail(cdr::Fault::unsupported_type); return false;
    }
  }
  bool members(const TypeCode& type) {
    if (Fields::count(type) == 0 && type.kind() == TCKind::tk_struct) return same<std::uint8_t>();
    for (std::uint32_t i = 0; i < Fields::count(type); ++i) {
      if (!values(*Fields::members(type)[i].type)) return false;
    }
    return true;
  }
  bool unions(const TypeCode& type) {
    const TypeCode& switched = typecode::resolved(*Fields::content(type));
    const std::int64_t label = any::read_discriminator(a_, switched);
    if (label != any::read_discriminator(b_, switched) || !a_.ok() || !b_.ok()) return false;
    const TypeCode::Member* const member = any::find_case(type, label);
    return member == nullptr || values(*member->type);
  }
  bool elements(const TypeCode& element, std::uint64_t n) {
    if (typecode::min_encoded_bytes(element) == 0) return true;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (skip_same_block(element, n - i)) return true;
      if (!values(element) || !a_.ok() || !b_.ok()) return false;
    }
    return true;
  }
  /// Skips elements of the same octets.
  bool skip_same_block(const TypeCode& element, std::uint64_t n) {
    const typecode::PlainLayout block = typecode::plain_layout_of(element);
    if (block.size == 0 || a_.offset() % block.align != 0 || b_.offset() % block.align != 0) return false;
    const std::uint64_t bytes = n * block.size;
    if (bytes > a_.remaining() || bytes > b_.remaining()) return false;
    if (std::memcmp(a_.position(), b_.position(), bytes) != 0) return false;
    return a_.skip(bytes) && b_.skip(bytes);
  }

  bool references() {
    cdr::Decoder a = a_, b = b_;
    skip_reference(a_);
    skip_reference(b_);
    if (!a_.ok() || !b_.ok()) return false;
    const std::size_t bytes = a_.offset() - a.offset();
    if (bytes == b_.offset() - b.offset() && a.offset() % 4 == b.offset() % 4 &&
        std::memcmp(a.position(), b.position(), bytes) == 0)
      return true;
    CORBA::object_reference<CORBA::Object> first, second;
    if (a.broker() == nullptr || b.broker() == nullptr) return false;  // one is nil
    cdr::decode(a, first);
    cdr::decode(b, second);
    if (first == nullptr || second == nullptr) return first == second;
    return first->_is_equivalent(second);
  }
  static void skip_reference(cdr::Decoder& in) { skip_value(in, typecode::k_Object); }

  cdr::Decoder& a_;
  cdr::Decoder& b_;
};

}  // namespace

bool equal_values(const TypeCode& type, const EncodedValue& a, const EncodedValue& b) {
  if (a.buffer == b.buffer && a.offset == b.offset) return true;
  cdr::Decoder in_a = a.decoder(), in_b = b.decoder();
  const bool equal = Comparison(in_a, in_b).values(type);
  check(in_a);
  return equal && in_b.ok();  // `type` is that of `a`; an equivalent one may have other members
}

}  // namespace orbweaver::dynamic
