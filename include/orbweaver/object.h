#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/operation.h>
#include <orbweaver/reference.h>
#include <orbweaver/weak_reference.h>

namespace orbweaver {
/// What a reference says (an IOR) and the connection it is bound to: src/orb/reference.h.
class Reference;

/// What IDL::traits has for all that is passed by reference.
template <class T>
struct reference_traits : write_traits<CORBA::object_reference<T>> {
  using ref_type = CORBA::object_reference<T>;
  using weak_ref_type = CORBA::weak_object_reference<T>;
  using value_type = ref_type;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
};

}  // namespace orbweaver

namespace CORBA {

class Object;
class ORB;
class Policy;

using PolicyType = std::uint32_t;
using PolicyTypeSeq = std::vector<PolicyType>;
using PolicyList = std::vector<object_reference<Policy>>;
/// Of a list of policies: in place of all that are set, or added to them.
enum class SetOverrideType : std::uint32_t { SET_OVERRIDE, ADD_OVERRIDE };

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

/// The root of all references. Generated interfaces derive from it, virtually; local objects through
/// LocalObject. Thread-safe.
class Object : public virtual RefCounted {
 public:
  using _ref_type = object_reference<Object>;

  /// Does the object have this interface, "IDL:Test/Hello:1.0"? May ask the object itself.
  virtual bool _is_a(const std::string& repository_id);
  /// True only where the object is known to be gone for good. May call it.
  virtual bool _non_existent();
  /// Do both refer to the same object, as far as can be told without calling it?
  virtual bool _is_equivalent(const object_reference<Object>& other);
  virtual std::uint32_t _hash(std::uint32_t maximum);
  /// The repository id that the reference was made with; empty where it has none.
  virtual std::string _repository_id();
  object_reference<ORB> _get_orb();
  /// The component that the object is a facet of, by asking the object; nil where it is of none. CORBA 3.3 part 1, 8.3.
  object_reference<Object> _get_component();
  /// The object's description in an interface repository, by asking the object. Raises INTF_REPOS where the server has
  /// no repository, as servers of this ORB do not.
  object_reference<Object> _get_interface();
  /// Connects, and asks the server by a LocateRequest whether it has the object, or where it is, so that the first call
  /// need not. True, and no policies: none that a client sets here can be at odds with a server's. Raises what keeps
  /// calls from the object, OBJECT_NOT_EXIST where there is none. CORBA 3.3 part 1, 8.3.
  bool _validate_connection(PolicyList& inconsistent_policies);
  /// Another reference to the same object, whose calls keep to these policies (orbweaver/policy.h); narrow it again.
  /// Raises InvalidPolicies, and NO_IMPLEMENT for a local object. CORBA 3.3 part 1, 8.3.
  object_reference<Object> _set_policy_overrides(const PolicyList& policies, SetOverrideType how);
  /// Those of the given types that were set for this very reference; all of them for an empty list.
  PolicyList _get_policy_overrides(const PolicyTypeSeq& types);
  /// The policy of that type that calls of this thread by this reference keep to, wherever it was set; the ORB's own
  /// where it was not, nil where that is none. INV_POLICY for a type that no client has here. The servers of these
  /// policies have no say in them, so that both are the same. CORBA 3.3 part 1, 8.3.9.
  object_reference<Policy> _get_policy(PolicyType type);
  object_reference<Policy> _get_client_policy(PolicyType type);

  /// For generated code and the ORB: null for local objects.
  orbweaver::Reference* _reference() const noexcept { return reference_; }
  static const char* _interface_id() noexcept { return "IDL:omg.org/CORBA/Object:1.0"; }
  static Object* _make(orbweaver::Reference* reference) { return new Object(reference); }

 protected:
  Object() = default;
  /// Shares `reference`.
  explicit Object(orbweaver::Reference* reference) noexcept;
  ~Object() override;

 private:
  orbweaver::Reference* reference_ = nullptr;
};

/// Base of objects that never leave the process: the ORB itself, POAs, `local interface`s.
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

/// Is `repository_id` the interface's own or that of one it inherits?
bool is_ancestor(const Interface& interface, std::string_view repository_id) noexcept;

/// A reference to the same object whose calls go by a connection that no other reference uses; closed with the
/// last copy of it. Otherwise all calls of one ORB to another share one connection, which is served in order: a
/// call that blocks there holds those behind it (but for two-way calls from inside of upcalls: docs/threads.md). Nil and
/// local objects come back as they are. Narrow the result again: it is of no interface yet.
CORBA::object_reference<CORBA::Object> with_private_connection(const CORBA::object_reference<CORBA::Object>& object);

/// Does the object behind `object` have the interface `repository_id`? Asks it where the reference's own
/// type does not tell. For generated `narrow`.
bool has_interface(CORBA::Object& object, const char* repository_id);

/// `IDL::traits<T>::narrow` for generated interfaces: the object itself where it already is a T, a new
/// reference to the same object where it has the interface, nil where it has not.
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

/// The same for local interfaces: no remote object can have one.
template <class T, class U>
CORBA::object_reference<T> narrow_local(const CORBA::object_reference<U>& object) {
  auto* same = object ? dynamic_cast<T*>(object.get()) : nullptr;
  if (same) same->_add_ref();
  return CORBA::object_reference<T>::adopt(same);
}

/// What IDL::traits is for an interface; generated code derives its specialisations from it.
template <class T>
struct interface_traits : reference_traits<T> {
  static constexpr bool is_local = false;
  template <class U>
  static CORBA::object_reference<T> narrow(const CORBA::object_reference<U>& object) {
    return orbweaver::narrow<T>(object);
  }
};
template <class T>
struct local_interface_traits : reference_traits<T> {
  static constexpr bool is_local = true;
  template <class U>
  static CORBA::object_reference<T> narrow(const CORBA::object_reference<U>& object) {
    return orbweaver::narrow_local<T>(object);
  }
};

}  // namespace orbweaver
