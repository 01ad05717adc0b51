#pragma once

// Object adapters of the micro library, in place of include/orbweaver/poa.h.

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/detail/operation.h>
#include <orbweaver/detail/poa_exception.h>
#include <orbweaver/object.h>
#include <orbweaver/orb.h>

/// Object adapters (CORBA 3.3 part 1, 15).
namespace PortableServer {

class POA;
class POAManager;
class Servant;

/// Object id: an opaque sequence of octets, unique within its POA (CORBA 3.3 part 1, 15.2.1).
using ObjectId = std::vector<std::uint8_t>;

/// Returns the characters of `text` as an object id, without a terminating NUL. Any thread. Raises nothing.
inline ObjectId string_to_ObjectId(const std::string& text) { return ObjectId(text.begin(), text.end()); }
/// Returns the octets of `id` as a string. Any thread. Raises nothing; any octet is accepted, NUL included.
inline std::string ObjectId_to_string(const ObjectId& id) { return std::string(id.begin(), id.end()); }

}  // namespace PortableServer

namespace IDL {
template <>
struct traits<PortableServer::POA> : orbweaver::local_interface_traits<PortableServer::POA> {};
template <>
struct traits<PortableServer::POAManager> : orbweaver::local_interface_traits<PortableServer::POAManager> {};
}  // namespace IDL

namespace orbweaver {
class ServerCall;
}
namespace orbweaver::micro {
class ObjectMap;
}

namespace PortableServer {

/// Base of all servants. Generated skeletons derive from it, virtually, and implement `_dispatch`, `_as` and
/// `_interface`. Reference-counted: the POA holds a reference while the servant is active, and while it
/// serves a call.
class Servant : public virtual CORBA::RefCounted {
 public:
  /// Returns the POA in which `_this` activates this servant: the root POA of the first ORB created. May be
  /// overridden. Raises BAD_INV_ORDER (OMG minor 4) if there is no ORB. CORBA 3.3 part 1, 15.3.1.
  virtual CORBA::object_reference<POA> _default_POA();
  /// Returns whether `repository_id` is the interface of this servant or one that it inherits. Called by the
  /// ORB for remote `_is_a` requests, in an upcall. CORBA 3.3 part 1, 15.3.1.
  virtual bool _is_a(const std::string& repository_id);
  /// Returns false; may be overridden. Called by the ORB for remote `_non_existent` requests, in an upcall.
  /// CORBA 3.3 part 1, 15.3.1.
  virtual bool _non_existent();

  /// @cond internal
  /// For generated code: finds the operation and calls it. Returns false if there is none of that name.
  virtual bool _dispatch(orbweaver::ServerCall& call) = 0;
  /// For generated code: returns this servant as the skeleton of `interface` (compared by the address of its
  /// orbweaver::Interface), or null.
  virtual void* _as(const orbweaver::Interface* interface) noexcept = 0;
  /// For generated code: the most derived interface of this servant.
  virtual const orbweaver::Interface& _interface() const noexcept = 0;

 protected:
  /// For generated `_this`: in an upcall of this servant, returns a reference to the object of the request;
  /// else a reference to this servant, which is activated in _default_POA() if necessary. Any thread. Raises
  /// BAD_INV_ORDER (OMG minor 4) without an ORB, and what servant_to_reference of that POA raises.
  CORBA::object_reference<CORBA::Object> _this_object();
  /// @endcond
};

/// State of the POAs of an ORB, which have one manager: their requests are held, served, discarded or
/// rejected (CORBA 3.3 part 1, 15.3.2). Thread-safe.
///
/// Once the manager is INACTIVE, activate, hold_requests and discard_requests raise AdapterInactive. With
/// `wait_for_completion`, a function returns when the requests in progress have ended; inside an upcall,
/// where this would deadlock, it raises BAD_INV_ORDER (OMG minor 3), COMPLETED_NO.
class POAManager final : public CORBA::LocalObject {
 public:
  /// HOLDING queues requests; ACTIVE serves them; DISCARDING rejects them with TRANSIENT (OMG minor 1);
  /// INACTIVE rejects them with OBJ_ADAPTER (OMG minor 1) and is final.
  enum class State : std::uint32_t { HOLDING, ACTIVE, DISCARDING, INACTIVE };
  /// The manager is INACTIVE.
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterInactive, "POAManager")

  /// Changes to ACTIVE: serves the requests held so far and all later ones.
  void activate();
  /// Changes to HOLDING: requests wait until the state changes.
  void hold_requests(bool wait_for_completion);
  /// Changes to DISCARDING: rejects requests, also held ones, with TRANSIENT.
  void discard_requests(bool wait_for_completion);
  /// Changes to INACTIVE, for good. `etherealize_objects` has no effect: there are no servant managers.
  void deactivate(bool etherealize_objects, bool wait_for_completion);
  /// Returns the present state. Raises nothing.
  State get_state();
  /// Returns "RootPOAManager". Raises nothing.
  std::string get_id();

  /// @cond internal
  explicit POAManager(orbweaver::micro::Core& core) noexcept;
  /// @endcond

 private:
  void change(State state, bool wait_for_completion);

  orbweaver::micro::Core& core_;
};

/// Object adapter: creates references for servants and finds the servant of a request (CORBA 3.3 part 1,
/// 15.3.9). An ORB has two: the root POA assigns the ids of objects (TRANSIENT, UNIQUE_ID, SYSTEM_ID, RETAIN,
/// USE_ACTIVE_OBJECT_MAP_ONLY, IMPLICIT_ACTIVATION); in the CorbalocPOA, the program chooses them, and an id
/// is the key of corbaloc:…/id, the same in each run (PERSISTENT, UNIQUE_ID, USER_ID, RETAIN,
/// USE_ACTIVE_OBJECT_MAP_ONLY, NO_IMPLICIT_ACTIVATION). Thread-safe.
///
/// System exceptions are raised with COMPLETED_NO.
class POA final : public CORBA::LocalObject {
 public:
  /// A servant is active under that object id.
  ORBWEAVER_DECLARE_POA_EXCEPTION(ObjectAlreadyActive, "POA")
  /// No servant is active under that object id.
  ORBWEAVER_DECLARE_POA_EXCEPTION(ObjectNotActive, "POA")
  /// The servant is active, and the POA has UNIQUE_ID.
  ORBWEAVER_DECLARE_POA_EXCEPTION(ServantAlreadyActive, "POA")
  /// The servant is not active, and the POA may not activate it.
  ORBWEAVER_DECLARE_POA_EXCEPTION(ServantNotActive, "POA")
  /// The reference belongs to another POA.
  ORBWEAVER_DECLARE_POA_EXCEPTION(WrongAdapter, "POA")
  /// The POA's policies do not permit the operation.
  ORBWEAVER_DECLARE_POA_EXCEPTION(WrongPolicy, "POA")

  /// Counted reference to a servant.
  using ServantRef = CORBA::object_reference<Servant>;
  /// Counted reference to an object of any interface.
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  /// "RootPOA" or "CorbalocPOA". Raises nothing.
  std::string the_name();
  /// The manager of both POAs. Raises nothing.
  CORBA::object_reference<POAManager> the_POAManager();

  /// Activates `servant` under a new id and returns the id. The POA holds a reference to the servant until
  /// deactivation and until its last call has ended. Raises WrongPolicy in the CorbalocPOA;
  /// ServantAlreadyActive; BAD_PARAM (0x4f570040) for nil.
  ObjectId activate_object(const ServantRef& servant);
  /// Activates `servant` under `id`, which is copied. Raises ObjectAlreadyActive; ServantAlreadyActive;
  /// BAD_PARAM, OMG minor 14 in the root POA if it did not assign the id, 0x4f570040 for nil.
  void activate_object_with_id(const ObjectId& id, const ServantRef& servant);
  /// Deactivates an object: rejects new requests with OBJECT_NOT_EXIST at once, completes requests in
  /// progress, and then releases the servant. Does not wait for that. Raises ObjectNotActive.
  void deactivate_object(const ObjectId& id);
  /// Returns a reference of interface `repository_id` to an object with a new id, which is not activated. The
  /// first reference that an ORB creates makes it listen. Raises WrongPolicy in the CorbalocPOA; INITIALIZE
  /// (0x4f57007a) if the ORB cannot listen; NO_RESOURCES (0x4f570078) if threads cannot be started;
  /// BAD_INV_ORDER (OMG minor 4) after ORB shutdown.
  ObjectRef create_reference(const std::string& repository_id);
  /// Returns a reference of interface `repository_id` to the object `id`, active or not. Raises BAD_PARAM
  /// (OMG minor 14) in the root POA if it did not assign the id; else as create_reference.
  ObjectRef create_reference_with_id(const ObjectId& id, const std::string& repository_id);
  /// Returns the id of `servant`, which the root POA activates first if it is not active. Raises
  /// ServantNotActive in the CorbalocPOA; BAD_PARAM (0x4f570040) for nil.
  ObjectId servant_to_id(const ServantRef& servant);
  /// Returns a reference to `servant`, which is activated as by servant_to_id. Raises as servant_to_id and
  /// create_reference.
  ObjectRef servant_to_reference(const ServantRef& servant);
  /// Returns the servant of `reference`; the caller shares it. Raises WrongAdapter for a reference of another
  /// POA, and ObjectNotActive.
  ServantRef reference_to_servant(const ObjectRef& reference);
  /// Returns the object id in `reference`, active or not. Raises WrongAdapter for a reference of another POA.
  ObjectId reference_to_id(const ObjectRef& reference);
  /// Returns the servant active under `id`; the caller shares it. Raises ObjectNotActive.
  ServantRef id_to_servant(const ObjectId& id);
  /// Returns a reference to the object active under `id`, of its servant's interface. Raises ObjectNotActive;
  /// else as create_reference.
  ObjectRef id_to_reference(const ObjectId& id);

  /// @name Not in the micro library
  /// A call of these functions does not compile.
  /// @{
  template <class Policies>
  ORBWEAVER_NOT_IN_MICRO("child POAs")
  CORBA::object_reference<POA> create_POA(const std::string& name,
                                          const CORBA::object_reference<POAManager>& manager,
                                          const Policies& policies);
  ORBWEAVER_NOT_IN_MICRO("child POAs")
  CORBA::object_reference<POA> find_POA(const std::string& name, bool activate_it);
  ORBWEAVER_NOT_IN_MICRO("servant managers and default servants") ServantRef get_servant();
  ORBWEAVER_NOT_IN_MICRO("servant managers and default servants")
  void set_servant(const ServantRef& servant);
  /// @}

  /// @cond internal
  POA(orbweaver::micro::Core& core, bool system_ids) noexcept;
  /// @endcond

 private:
  std::string key_of(const ObjectId& id) const;
  std::string key_of(const ServantRef& servant, bool may_be_active);
  ObjectId id_of(const std::string& key) const;
  ObjectRef make_reference(const std::string& key, const char* repository_id);

  orbweaver::micro::Core& core_;
  const bool system_ids_;
};

}  // namespace PortableServer
