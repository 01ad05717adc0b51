#pragma once

// Vocabulary of the tests of DynAnys.
#include <gmock/gmock.h>
#include <orbweaver/dynamic_any.h>
#include <orbweaver/orb.h>

#include "../orb/testing/anys.h"
#include "everythingC.h"

namespace dynany {

using CORBA::Any;
using CORBA::TCKind;
using DynamicAny::DynAny;
using Ref = IDL::traits<DynAny>::ref_type;
using TypeRef = CORBA::typecode_reference;
using orbtest::any_of;
using orbweaver::reference_to;
using orbweaver::TypeCodeOf;

/// The ORB of all tests of the program.
inline CORBA::ORB& orb() {
  static const auto instance = CORBA::ORB_init();
  return *instance;
}
/// Its factory.
inline DynamicAny::DynAnyFactory& factory() {
  static const auto instance =
      IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb().resolve_initial_references("DynAnyFactory"));
  return *instance;
}

/// A DynAny with the initial value of a type.
inline Ref initial(const TypeRef& type) { return factory().create_dyn_any_from_type_code(type); }
template <class T>
Ref initial() {
  return initial(reference_to(TypeCodeOf<T>::get()));
}
/// A DynAny with a value.
template <class T>
Ref dyn(const T& value) {
  return factory().create_dyn_any(any_of(value));
}
/// The value of a DynAny.
template <class T>
T value_of(const Ref& dyn_any) {
  T value{};
  const Any any = dyn_any->to_any();
  EXPECT_TRUE(any >>= value) << any;
  return value;
}
/// A DynAny as one of a derived interface; nil if it has not this interface.
template <class Interface>
CORBA::object_reference<Interface> as(const Ref& dyn_any) {
  return IDL::traits<Interface>::narrow(dyn_any);
}
/// The component at `index`, which becomes the current one.
inline Ref at(const Ref& dyn_any, std::int32_t index) {
  EXPECT_TRUE(dyn_any->seek(index)) << index;
  return dyn_any->current_component();
}
/// The kind without aliases.
inline TCKind kind_of(TypeRef type) {
  while (type->kind() == TCKind::tk_alias) type = type->content_type();
  return type->kind();
}
/// Octets of the value in an any.
inline const std::vector<std::uint8_t>& octets_of(const Any& any) {
  return *orbweaver::any::Access::find(any, *any.type());
}
/// An any of the type with these octets, which need not be those of a value.
inline Any any_with(const TypeRef& type, std::vector<std::uint8_t> octets) {
  std::vector<std::uint8_t> none;
  orbweaver::cdr::Encoder no_references(none);
  Any any;
  orbweaver::any::Access::put(any, *type, no_references, std::move(octets));
  return any;
}

/// Sets `to`, of the same type, to the value of `from`, by the functions that a program has for its parts.
void rebuild(const Ref& from, const Ref& to);

}  // namespace dynany
