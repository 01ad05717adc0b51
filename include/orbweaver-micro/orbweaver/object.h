#pragma once

// Object references of the micro library, in place of include/orbweaver/object.h.

#include <string>
#include <string_view>
#include <vector>

#include <orbweaver/detail/not_in_micro.h>
#include <orbweaver/detail/operation.h>
#include <orbweaver/exception.h>
#include <orbweaver/reference.h>
#include <orbweaver/weak_reference.h>

namespace orbweaver {
// State shared by the copies of an object reference: its IOR and its connection.
// src/micro/reference.h.
class Reference;

/// Members of IDL::traits for types that are passed by reference (IDL to C++11, 6.27).
template <class T>
struct reference_traits : write_traits<CORBA::object_reference<T>> {
  using ref_type = CORBA::object_reference<T>;            ///< Counted reference; nil: nullptr.
  using weak_ref_type = CORBA::weak_object_reference<T>;  ///< Reference that keeps nothing alive.
  using value_type = ref_type;                            ///< As ref_type.
  using in_type = ref_type;                               ///< Type of an `in` parameter.
  using out_type = ref_type&;                             ///< Type of an `out` parameter.
  using inout_type = ref_type&;                           ///< Type of an `inout` parameter.
};

}  // namespace orbweaver

namespace CORBA {

class Object;
class ORB;

}  // namespace CORBA

namespace IDL {

template <>
struct traits<CORBA::Object> : orbweaver::reference_traits<CORBA::Object> {
  static constexpr bool is_local = false;
  template <class U>
  static ref_type narrow(const CORBA::object_reference<U>& object) {
    return object;
  }
};

}  // namespace IDL

namespace CORBA {

/// Base of all object references. Generated interfaces derive from it, virtually; local objects through
/// LocalObject. Thread-safe.
///
/// Functions that call the object block, and raise what any call raises: TRANSIENT (0x4f57001e), COMM_FAILURE
/// (0x4f570028), TIMEOUT (0x4f570032), NO_PERMISSION (0x4f57008c), INV_OBJREF (0x4f57006e);
/// docs/minor-codes.md has all codes.
class Object : public virtual RefCounted {
 public:
  /// Reference to an object of any interface.
  using _ref_type = object_reference<Object>;

  /// Returns whether the object has the interface `repository_id`, such as "IDL:Test/Hello:1.0". Calls the
  /// object if the reference's own type does not decide it. CORBA 3.3 part 1, 8.3.
  virtual bool _is_a(const std::string& repository_id);
  /// Returns true only if the object is known to no longer exist. Calls the object. CORBA 3.3 part 1, 8.3.
  virtual bool _non_existent();
  /// Returns whether both are known to refer to the same object; false does not prove that they differ. Does
  /// not call the object. Raises nothing. CORBA 3.3 part 1, 8.3.
  virtual bool _is_equivalent(const object_reference<Object>& other);
  /// Returns a number from 0 to `maximum`, equal for equivalent references. Does not call the object. Raises
  /// nothing. CORBA 3.3 part 1, 8.3.
  virtual std::uint32_t _hash(std::uint32_t maximum);
  /// Returns the repository id in the reference; empty if it has none. Does not call the object. Raises
  /// nothing.
  virtual std::string _repository_id();
  /// Returns the ORB of this reference; nil once that is destroyed, and for local objects. Raises nothing.
  /// CORBA 3.3 part 1, 8.3.
  object_reference<ORB> _get_orb();

  /// @name Not in the micro library
  /// A call of these functions does not compile.
  /// @{
  ORBWEAVER_NOT_IN_MICRO("components") object_reference<Object> _get_component();
  ORBWEAVER_NOT_IN_MICRO("interface repository") object_reference<Object> _get_interface();
  template <class Policies>
  ORBWEAVER_NOT_IN_MICRO("policies")
  bool _validate_connection(Policies& inconsistent_policies);
  template <class Policies, class How>
  ORBWEAVER_NOT_IN_MICRO("policies")
  object_reference<Object> _set_policy_overrides(const Policies& policies, How how);
  /// @}

  /// @cond internal
  /// For generated code and the ORB: the shared state, borrowed from this object; null for local objects.
  orbweaver::Reference* _reference() const noexcept { return reference_; }
  /// For generated code: the repository id of the interface.
  static const char* _interface_id() noexcept { return "IDL:omg.org/CORBA/Object:1.0"; }
  /// For generated code: a new object, with one count, that shares `reference`.
  static Object* _make(orbweaver::Reference* reference) { return new Object(reference); }
  /// @endcond

 protected:
  Object() = default;
  /// For the ORB: takes an additional count of `reference`.
  explicit Object(orbweaver::Reference* reference) noexcept;
  ~Object() override;

 private:
  orbweaver::Reference* reference_ = nullptr;
};

/// Base of objects without a remote reference: the ORB, POAs, `local interface`s.
class LocalObject : public virtual Object {
 public:
  bool _is_a(const std::string&) override { return false; }
  bool _non_existent() override { return false; }
  bool _is_equivalent(const object_reference<Object>& other) override { return other.get() == this; }
  std::uint32_t _hash(std::uint32_t maximum) override;
  std::string _repository_id() override { return {}; }

 protected:
  LocalObject() = default;
};

}  // namespace CORBA

namespace orbweaver {

/// @cond internal
/// Returns whether `repository_id` is the interface's own or an inherited one.
bool is_ancestor(const Interface& interface, std::string_view repository_id) noexcept;
/// @endcond

/// Not in the micro library.
ORBWEAVER_NOT_IN_MICRO("private connections")
CORBA::object_reference<CORBA::Object> with_private_connection(
    const CORBA::object_reference<CORBA::Object>& object);

/// @cond internal

/// Returns whether the object has the interface `repository_id`. Calls it if the reference's own type does
/// not decide it. For generated `narrow`.
bool has_interface(CORBA::Object& object, const char* repository_id);

/// `IDL::traits<T>::narrow` for generated interfaces: returns the object itself if it is a T, a new reference
/// to the same object if it has the interface, and nil otherwise. May call the object, and then raises what a
/// call raises.
template <class T, class U>
CORBA::object_reference<T> narrow(const CORBA::object_reference<U>& object) {
  if (!object) return nullptr;
  if (auto* same = dynamic_cast<T*>(object.get())) {
    same->_add_ref();
    return CORBA::object_reference<T>::adopt(same);
  }
  CORBA::Object& plain = *object;
  if (plain._reference() == nullptr || !has_interface(plain, T::_interface_id())) return nullptr;
  return CORBA::object_reference<T>::adopt(T::_make(plain._reference()));
}

/// As `narrow`, for local interfaces: calls nothing, since no remote object can have one.
template <class T, class U>
CORBA::object_reference<T> narrow_local(const CORBA::object_reference<U>& object) {
  auto* same = object ? dynamic_cast<T*>(object.get()) : nullptr;
  if (same) same->_add_ref();
  return CORBA::object_reference<T>::adopt(same);
}

/// Base of IDL::traits for an interface; generated code derives its specialisations from it.
template <class T>
struct interface_traits : reference_traits<T> {
  static constexpr bool is_local = false;
  template <class U>
  static CORBA::object_reference<T> narrow(const CORBA::object_reference<U>& object) {
    return orbweaver::narrow<T>(object);
  }
};
/// As interface_traits, for a local interface.
template <class T>
struct local_interface_traits : reference_traits<T> {
  static constexpr bool is_local = true;
  template <class U>
  static CORBA::object_reference<T> narrow(const CORBA::object_reference<U>& object) {
    return orbweaver::narrow_local<T>(object);
  }
};

/// @endcond

}  // namespace orbweaver
