#pragma once

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

#include <orbweaver/detail/cdr/values.h>
#include <orbweaver/object.h>

/// @file
/// Value types (IDL to C++11, 6.18; CORBA 3.3 part 1, 9).

namespace CORBA {

class StringValue;
class ValueBase;
class ValueFactoryBase;
class WStringValue;

/// Counted reference to a value: `IDL::traits<V>::ref_type`. Null is nullptr.
template <class V>
using valuetype_reference = object_reference<V>;
/// Weak reference to a value, for members that refer back to what holds them.
template <class V>
using weak_valuetype_reference = weak_object_reference<V>;
/// Traits of a value type: those of IDL::traits.
template <class V>
struct valuetype_traits : IDL::traits<V> {};

/// Base of all values (CORBA 3.3 part 1, 9.3). Values are reference-counted; the references may be copied by
/// any thread, the values themselves are as thread-safe as an int. A cycle of values keeps itself alive: the
/// program breaks it. Received cycles are rejected by default (orbweaver::accept_cyclic_values).
class ValueBase : public virtual RefCounted {
 public:
  /// Reference to a value of any type.
  using _ref_type = object_reference<ValueBase>;

  /// Returns a deep copy: of this value and of all values that it refers to, shared and cyclic as they are.
  /// It is made by encoding and decoding, so that values which are no boxes need a registered factory: raises
  /// MARSHAL (OMG minor 1) without. May be overridden.
  virtual _ref_type _copy_value() const;

  /// @cond internal
  static const char* _interface_id() noexcept { return "IDL:omg.org/CORBA/ValueBase:1.0"; }
  static const orbweaver::ValueType& _static_value_type() noexcept;
  /// For generated code: the most derived IDL type of the value.
  virtual const orbweaver::ValueType& _value_type() const noexcept = 0;
  /// For generated code: encodes and decodes the state, that of the base first.
  virtual void _encode_state(orbweaver::cdr::Encoder& out) const = 0;
  virtual void _decode_state(orbweaver::cdr::Decoder& in) = 0;
  /// For generated code: prints the members, separated by commas.
  virtual void _print_state(std::ostream& os) const = 0;
  /// Prints a value of any type.
  static void _print_value(std::ostream& os, const ValueBase* value);
  /// @endcond

 protected:
  ValueBase() = default;
  ~ValueBase() override = default;
};

/// Base of the factories of value types (CORBA 3.3 part 1, 9.4.3). The ORB calls registered factories to make
/// the values that it receives, in the thread that receives them.
class ValueFactoryBase : public virtual RefCounted {
 public:
  /// Reference to a factory of any value type.
  using _ref_type = object_reference<ValueFactoryBase>;
  /// Returns a new value, whose state the ORB then sets.
  virtual object_reference<ValueBase> create_for_unmarshal() = 0;

 protected:
  ValueFactoryBase() = default;
  ~ValueFactoryBase() override = default;
};

}  // namespace CORBA

namespace orbweaver {

/// @cond internal

/// Base of IDL::traits for value types; generated code derives its specialisations from it.
template <class V>
struct value_traits : reference_traits<V> {
  using base_type = V;
  using root_type = CORBA::ValueBase;  // for anys
  static constexpr bool is_local = false;
  /// Returns the value if it is a V, and null otherwise.
  template <class U>
  static CORBA::object_reference<V> narrow(const CORBA::object_reference<U>& value) {
    return narrow_local<V>(value);
  }
};

/// As value_traits, for value types with state. `Obv` has the state, `Factory` is the base of factories.
template <class V, class Obv, class Factory, bool Truncatable>
struct stateful_value_traits : value_traits<V> {
  using is_abstract = std::false_type;
  using is_truncatable = std::bool_constant<Truncatable>;
  using obv_type = Obv;
  using factory_type = Factory;
  using factory_ref_type = CORBA::object_reference<Factory>;
  using weak_factory_ref_type = CORBA::weak_object_reference<Factory>;
  /// Makes a value of a type without operations. Arguments: none, or all members, those of bases first.
  template <class... Args>
  static CORBA::object_reference<V> make_reference(Args&&... args) {
    return CORBA::make_reference<Obv>(std::forward<Args>(args)...);
  }
};

/// As value_traits, for abstract value types.
template <class V>
struct abstract_value_traits : value_traits<V> {
  using is_abstract = std::true_type;
  using is_truncatable = std::false_type;
};

/// As value_traits, for value boxes.
template <class V>
struct value_box_traits : value_traits<V> {
  using is_abstract = std::false_type;
  using is_truncatable = std::false_type;
  /// Makes a box. Arguments: none, or the contents.
  template <class... Args>
  static CORBA::object_reference<V> make_reference(Args&&... args) {
    return CORBA::make_reference<V>(std::forward<Args>(args)...);
  }
};

/// @endcond

/// Registers a factory for the value type V, by its repository id, in all ORBs of the process; see
/// CORBA::ORB::register_value_factory. `F` is a factory without arguments; by default that of a value type
/// without operations and factories.
template <class V, class F = typename IDL::traits<V>::factory_type>
CORBA::object_reference<CORBA::ValueFactoryBase> register_value_factory();

/// As CORBA::ORB::register_value_factory, which calls it.
CORBA::object_reference<CORBA::ValueFactoryBase> register_value_factory(
    const std::string& id, const CORBA::object_reference<CORBA::ValueFactoryBase>& factory);
/// As CORBA::ORB::unregister_value_factory, which calls it.
void unregister_value_factory(const std::string& id);
/// As CORBA::ORB::lookup_value_factory, which calls it.
CORBA::object_reference<CORBA::ValueFactoryBase> lookup_value_factory(const std::string& id);

/// Whether values that refer to themselves, directly or through others, are decoded: in calls, copies and
/// anys. By default they are rejected (MARSHAL), because a cycle keeps itself alive, and peers could use up
/// the memory of the process. A program that accepts cycles breaks those that it receives. Of the process;
/// thread-safe. Cycles in messages that turn out to be malformed are never freed.
void accept_cyclic_values(bool accept) noexcept;

template <class V, class F>
CORBA::object_reference<CORBA::ValueFactoryBase> register_value_factory() {
  return register_value_factory(V::_interface_id(), CORBA::make_reference<F>());
}

}  // namespace orbweaver

namespace IDL {

template <>
struct traits<CORBA::ValueBase> : orbweaver::abstract_value_traits<CORBA::ValueBase> {};
template <>
struct traits<CORBA::ValueFactoryBase> : orbweaver::local_interface_traits<CORBA::ValueFactoryBase> {};
template <>
struct traits<CORBA::StringValue> : orbweaver::value_box_traits<CORBA::StringValue> {};
template <>
struct traits<CORBA::WStringValue> : orbweaver::value_box_traits<CORBA::WStringValue> {};

}  // namespace IDL

namespace orbweaver {

/// @cond internal
extern const ValueType kStringValue, kWStringValue;

/// A box of the run time's own.
template <class Boxed, const ValueType& Type>
class TextBox : public virtual CORBA::ValueBase {
 public:
  TextBox() = default;
  explicit TextBox(Boxed value) : value_(std::move(value)) {}
  const Boxed& _value() const { return value_; }
  Boxed& _value() { return value_; }
  void _value(Boxed value) { value_ = std::move(value); }
  static const char* _interface_id() noexcept { return Type.id; }
  static const ValueType& _static_value_type() noexcept { return Type; }
  const ValueType& _value_type() const noexcept override { return Type; }
  void _encode_state(cdr::Encoder& out) const override { cdr::encode(out, value_); }
  void _decode_state(cdr::Decoder& in) override { cdr::decode(in, value_); }
  void _print_state(std::ostream& os) const override;

 private:
  Boxed value_;
};
/// @endcond

}  // namespace orbweaver

namespace CORBA {

/// A string as a value, which may be null and shared (CORBA 3.3 part 1, 9.3): `_value()` is the string.
class StringValue final : public orbweaver::TextBox<std::string, orbweaver::kStringValue> {
 public:
  /// Reference to a box.
  using _ref_type = object_reference<StringValue>;
  using TextBox::TextBox;
};
/// A wide string as a value.
class WStringValue final : public orbweaver::TextBox<std::wstring, orbweaver::kWStringValue> {
 public:
  /// Reference to a box.
  using _ref_type = object_reference<WStringValue>;
  using TextBox::TextBox;
};

/// The TypeCode of ValueBase.
extern const typecode_reference _tc_ValueBase;
/// The TypeCode of StringValue.
extern const typecode_reference _tc_StringValue;
/// The TypeCode of WStringValue.
extern const typecode_reference _tc_WStringValue;

}  // namespace CORBA

namespace orbweaver {

/// @cond internal
namespace typecode {
extern const CORBA::TypeCode k_ValueBase, k_StringValue, k_WStringValue;
}
template <>
struct TypeCodeOf<CORBA::ValueBase> : TypeCodeOfConstant<typecode::k_ValueBase> {};
template <>
struct TypeCodeOf<CORBA::StringValue> : TypeCodeOfConstant<typecode::k_StringValue> {};
template <>
struct TypeCodeOf<CORBA::WStringValue> : TypeCodeOfConstant<typecode::k_WStringValue> {};

namespace cdr {
template <>
struct Codec<CORBA::object_reference<CORBA::ValueBase>> : ValueCodec<CORBA::ValueBase> {};
template <>
struct Codec<CORBA::object_reference<CORBA::StringValue>> : ValueCodec<CORBA::StringValue> {};
template <>
struct Codec<CORBA::object_reference<CORBA::WStringValue>> : ValueCodec<CORBA::WStringValue> {};
}  // namespace cdr
/// @endcond

}  // namespace orbweaver
