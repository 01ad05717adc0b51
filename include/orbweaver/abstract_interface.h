#pragma once

#include <orbweaver/detail/stub.h>
#include <orbweaver/value.h>

/// @file
/// Abstract interfaces (CORBA 3.3 part 1, 10): references to an object or to a value, which supports the
/// interface.

namespace CORBA {

/// Base of all abstract interfaces, and of the interfaces and value types that inherit from or support one.
/// `IDL::traits<A>::ref_type` refers to an object, whose operations are calls, or to a value.
class AbstractBase : public virtual RefCounted {
 public:
  /// Reference to an object or a value.
  using _ref_type = object_reference<AbstractBase>;

  /// Returns the object; nil if this is a value.
  object_reference<Object> _to_object() {
    auto* const object = dynamic_cast<Object*>(this);
    if (object != nullptr) object->_add_ref();
    return object_reference<Object>::adopt(object);
  }
  /// Returns the value; null if this is an object.
  object_reference<ValueBase> _to_value() {
    auto* const value = dynamic_cast<ValueBase*>(this);
    if (value != nullptr) value->_add_ref();
    return object_reference<ValueBase>::adopt(value);
  }

  /// @cond internal
  static const char* _interface_id() noexcept { return "IDL:omg.org/CORBA/AbstractBase:1.0"; }
  /// For generated code: a reference to an object of an interface that is not known.
  static AbstractBase* _make(orbweaver::Reference* reference);
  /// @endcond

 protected:
  AbstractBase() = default;
  ~AbstractBase() override = default;
};

/// The TypeCode of AbstractBase.
extern const typecode_reference _tc_AbstractBase;

}  // namespace CORBA

namespace orbweaver {

/// @cond internal

/// `IDL::traits<A>::narrow` for an abstract interface A: returns the object or value itself if it is an A, a
/// new reference to the same object if it has the interface (which may call it), and nil otherwise.
template <class A, class U>
CORBA::object_reference<A> narrow_abstract(const CORBA::object_reference<U>& either) {
  if (auto same = narrow_local<A>(either); same != nullptr || either == nullptr) return same;
  auto* const object = dynamic_cast<CORBA::Object*>(either.get());
  if (object == nullptr || object->_reference() == nullptr || !has_interface(*object, A::_interface_id()))
    return nullptr;
  return CORBA::object_reference<A>::adopt(A::_make(object->_reference()));
}

/// Base of IDL::traits for an abstract interface; generated code derives its specialisations from it.
template <class A>
struct abstract_interface_traits : reference_traits<A> {
  static constexpr bool is_local = false;
  using is_abstract = std::true_type;
  template <class U>
  static CORBA::object_reference<A> narrow(const CORBA::object_reference<U>& either) {
    return narrow_abstract<A>(either);
  }
};

namespace typecode {
extern const CORBA::TypeCode k_AbstractBase;
}
template <>
struct TypeCodeOf<CORBA::AbstractBase> : TypeCodeOfConstant<typecode::k_AbstractBase> {};

namespace cdr {

/// Codec of references to an abstract interface A (CORBA 3.3 part 2, 9.3.7): a boolean, and an object
/// reference or a value.
template <class A>
struct AbstractCodec {
  static constexpr std::size_t kMinBytes = 5, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  using Scope = ValueReadScope;
  using Ref = CORBA::object_reference<A>;
  static std::size_t bound(const Ref& either) {
    if (auto* const object = dynamic_cast<CORBA::Object*>(either.get())) return 1 + bound_reference(object);
    return 1 + bound_value(dynamic_cast<CORBA::ValueBase*>(either.get()));
  }
  static void encode(Encoder& out, const Ref& either) {
    auto* const object = dynamic_cast<CORBA::Object*>(either.get());
    out.put(static_cast<std::uint8_t>(object != nullptr));
    if (object != nullptr) return encode_reference(out, object);
    encode_value(out, dynamic_cast<CORBA::ValueBase*>(either.get()));
  }
  static void decode(Decoder& in, Ref& either) {
    either = nullptr;
    if (in.get_boolean()) {
      Reference* const reference = decode_reference(in);
      if (reference == nullptr) return;
      either = Ref::adopt(A::_make(reference));
      drop_reference(reference);
      return;
    }
    const auto value = decode_value(in, CORBA::ValueBase::_static_value_type());
    if (value == nullptr) return;
    either = narrow_local<A>(value);
    if (either == nullptr) in.fail(Fault::bad_value);
  }
};

template <>
struct Codec<CORBA::object_reference<CORBA::AbstractBase>> : AbstractCodec<CORBA::AbstractBase> {};

}  // namespace cdr

/// @endcond

}  // namespace orbweaver

namespace IDL {

template <>
struct traits<CORBA::AbstractBase> : orbweaver::reference_traits<CORBA::AbstractBase> {
  static constexpr bool is_local = false;
  using is_abstract = std::true_type;
  template <class U>
  static ref_type narrow(const CORBA::object_reference<U>& either) {
    return orbweaver::narrow_local<CORBA::AbstractBase>(either);
  }
};

}  // namespace IDL
