// Equality of values whose C++ type is not known.
#include <orbweaver/detail/cdr/values.h>
#include <orbweaver/detail/stub.h>
#include <orbweaver/fixed.h>
#include <orbweaver/limits.h>

#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/value_graph.h"

namespace orbweaver::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

/// The values of value types that are to be equal. Those that have once been found together are taken to be
/// equal: if they differ, that is found when they are compared. So each value is in at most one comparison
/// that joins two sets, whatever cycles they form, and none is compared within another.
class ValuePairs {
 public:
  /// Adds a pair. Returns false if it differs at once.
  bool add(const SharedValueRef& a, const SharedValueRef& b) {
    if (a == nullptr || b == nullptr) return a == b;
    const SharedValue *const first = set_of(a.get()), *const second = set_of(b.get());
    if (first == second) return true;
    if ((a->custom == nullptr) != (b->custom == nullptr) || !a->type->equivalent(b->type)) return false;
    sets_[first] = second;
    pending_.emplace_back(a, b);
    return true;
  }
  /// Takes a pair that has not been compared; false if there is none.
  bool next(std::pair<SharedValueRef, SharedValueRef>& pair) {
    if (pending_.empty()) return false;
    pair = std::move(pending_.back());
    pending_.pop_back();
    return true;
  }

 private:
  const SharedValue* set_of(const SharedValue* value) {
    for (auto each = sets_.find(value); each != sets_.end(); each = sets_.find(value)) {
      if (const auto above = sets_.find(each->second); above != sets_.end()) each->second = above->second;
      value = each->second;
    }
    return value;
  }

  std::unordered_map<const SharedValue*, const SharedValue*> sets_;  // those above, up to one that is in none
  std::vector<std::pair<SharedValueRef, SharedValueRef>> pending_;
};

/// A comparison of the values of two anys of different octets makes graphs of them, which takes the size of
/// all anys in them.
constexpr int kMaxNestedAnys = 16;

/// The octets of anys with values that one comparison may decode. Values that several anys share are decoded
/// with each of them, which can take a multiple of the size for each level of anys.
class Budget {
 public:
  /// For values that are compared and are not in another any.
  void add(const EncodedValue& a, const EncodedValue& b) noexcept {
    for (const EncodedValue* each : {&a, &b}) {
      if (!each->is_initial()) left_ += limits::kStepsPerByte * each->buffer->bytes.size();
    }
  }
  void take(std::uint64_t octets) {
    if (octets > left_) raise_limit("anys whose values other anys in them share too often");
    left_ -= octets;
  }

 private:
  std::uint64_t left_ = limits::kFreeSteps;
};

bool are_equal(const TypeCode& type, const EncodedValue& a, const EncodedValue& b, int nesting,
               Budget& budget);

/// The types of the anys are equivalent.
bool are_equal(const CORBA::Any& a, const CORBA::Any& b, int nesting, Budget& budget) {
  const auto &octets_of_a = *any::Access::find(a, *a.type()), &octets_of_b = *any::Access::find(b, *b.type());
  if (octets_of_a == octets_of_b) return true;
  if (nesting > kMaxNestedAnys)
    raise_limit("anys with values nested more than " + std::to_string(kMaxNestedAnys) + " deep");
  budget.take(octets_of_a.size() + octets_of_b.size() + 1);
  ValueGraph graph;
  bool truncated = false;
  const auto first = encoded_value_of(a, *a.type(), &graph, truncated);
  const auto second = encoded_value_of(b, *b.type(), &graph, truncated);
  return first && second && are_equal(*a.type(), *first, *second, nesting, budget);
}

/// Compares the values at two decoders. After a difference the decoders are in no defined position.
class Comparison {
 public:
  Comparison(cdr::Decoder& a, cdr::Decoder& b, const SharedValues* values_of_a,
             const SharedValues* values_of_b, ValuePairs& pairs, int nesting, Budget& budget)
      : a_(a), b_(b), values_of_a_(values_of_a), values_of_b_(values_of_b), pairs_(pairs), nesting_(nesting),
        budget_(budget) {}

  /// Compares the states of values of this type.
  bool states(const TypeCode& type) {
    if (type.kind() == TCKind::tk_value_box) return values(*Fields::content(type));
    for (const TypeCode* each : any::value_chain(type)) {
      for (std::uint32_t i = 0; i < Fields::count(*each); ++i) {
        if (!values(*Fields::members(*each)[i].type)) return false;
      }
    }
    return true;
  }

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
      case TCKind::tk_any: return anys();
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home: return references();
      case TCKind::tk_abstract_interface: {
        const auto [a, b] = both<bool>();
        return a == b && (a ? references() : shared_values());
      }
      case TCKind::tk_value:
      case TCKind::tk_value_box:
      case TCKind::tk_event: return shared_values();
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
  bool anys() {
    cdr::Decoder in_a = a_, in_b = b_;
    const auto [a, b] = both<CORBA::typecode_reference>();
    if (a == nullptr || b == nullptr || !a->equivalent(b)) return false;
    if (!typecode::may_contain_values(*a)) return values(*a);
    CORBA::Any first, second;
    cdr::decode(in_a, first);
    cdr::decode(in_b, second);
    a_ = in_a;
    b_ = in_b;
    return a_.ok() && b_.ok() && are_equal(first, second, nesting_ + 1, budget_);
  }
  /// Compares references to values.
  bool shared_values() {
    const auto [a, b] = both<std::uint32_t>();
    return pairs_.add(value_at(values_of_a_, a, a_), value_at(values_of_b_, b, b_)) && a_.ok() && b_.ok();
  }
  static SharedValueRef value_at(const SharedValues* values, std::uint32_t position, cdr::Decoder& in) {
    if (position == 0) return nullptr;
    if (values != nullptr && position <= values->size()) return resolved((*values)[position - 1]);
    in.fail(cdr::Fault::bad_value);
    return nullptr;
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
  const SharedValues* const values_of_a_;
  const SharedValues* const values_of_b_;
  ValuePairs& pairs_;
  const int nesting_;
  Budget& budget_;
};

/// The state of a value, which is not an initial one.
EncodedValue written_state(const SharedValue& value) {
  EncodedValue state = value.current_state();
  if (!state.is_initial()) return state;
  ValueWriter writer;
  writer.state(state, *value.type);
  return writer.finish();
}

std::vector<std::uint8_t> encoded_custom(const SharedValue& value) {
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  cdr::encode_apart(out, [&](cdr::Encoder& apart) { cdr::encode_value(apart, value.custom.get()); });
  out.finish();
  return bytes;
}

/// Compares with `compare(comparison)`, which compares what is at the beginning of both.
template <class Compare>
bool compare_at(const EncodedValue& a, const EncodedValue& b, ValuePairs& pairs, int nesting, Budget& budget,
                const Compare& compare) {
  if (nesting == 0) budget.add(a, b);
  cdr::Decoder in_a = a.decoder(), in_b = b.decoder();
  Comparison comparison(in_a, in_b, a.values.get(), b.values.get(), pairs, nesting, budget);
  const bool equal = compare(comparison);
  check(in_a);
  return equal && in_b.ok();  // the types are those of `a`; equivalent ones may have other members
}

bool are_equal(const TypeCode& type, const EncodedValue& a, const EncodedValue& b, int nesting,
               Budget& budget) {
  ValuePairs pairs;
  const auto compare_whole = [&](Comparison& both) { return both.values(type); };
  if (!compare_at(a, b, pairs, nesting, budget, compare_whole)) return false;
  std::pair<SharedValueRef, SharedValueRef> pair;
  while (pairs.next(pair)) {
    const SharedValue &first = *pair.first, &second = *pair.second;
    if (first.custom != nullptr) {
      if (encoded_custom(first) != encoded_custom(second)) return false;
      continue;
    }
    const auto compare = [&](Comparison& both) { return both.states(*first.type); };
    if (!compare_at(written_state(first), written_state(second), pairs, nesting, budget, compare))
      return false;
  }
  return true;
}

}  // namespace

bool equal_values(const TypeCode& type, const EncodedValue& a, const EncodedValue& b) {
  if (a.buffer == b.buffer && a.offset == b.offset && a.values == b.values) return true;
  Budget budget;
  return are_equal(type, a, b, 0, budget);
}

}  // namespace orbweaver::dynamic
