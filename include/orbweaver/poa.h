#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/detail/operation.h>
#include <orbweaver/detail/poa_exception.h>
#include <orbweaver/forward_request.h>
#include <orbweaver/object.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa_policies.h>
#include <orbweaver/policy.h>

/// Object adapters (CORBA 3.3 part 1, 15).
namespace PortableServer {

class AdapterActivator;
class POA;
class POAManager;
class POAManagerFactory;
class Servant;
class ServantManager;

/// Object id: an opaque sequence of octets, unique within its POA (CORBA 3.3 part 1, 15.2.1).
using ObjectId = std::vector<std::uint8_t>;

/// Returns the characters of `text` as an object id, without a terminating NUL. Any thread. Raises nothing.
ObjectId string_to_ObjectId(const std::string& text);
/// Returns the octets of `id` as a string. Any thread. Raises nothing; any octet is accepted, NUL included,
/// where the C++ mapping would raise BAD_PARAM.
std::string ObjectId_to_string(const ObjectId& id);

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

namespace PortableServer {

/// Base of all servants. Generated skeletons derive from it, virtually, and implement `_dispatch`, `_as` and
/// `_interface`; users need only the functions that are not marked "For generated code". Reference-counted:
/// the POA holds a reference while the servant is active, and while it serves a call.
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
  /// orbweaver::Interface), or null. Replaces dynamic_cast in collocated calls.
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

/// State of one or more POAs: their requests are held, served, discarded or rejected (CORBA 3.3 part 1,
/// 15.3.2). Thread-safe.
///
/// Once the manager is INACTIVE, activate, hold_requests and discard_requests raise AdapterInactive. With
/// `wait_for_completion`, a function returns when the requests in progress have ended (those held are not
/// counted; polled every millisecond), or when the state changes again or the ORB shuts down; inside an
/// upcall, where this would deadlock, it raises BAD_INV_ORDER (OMG minor 3), COMPLETED_NO.
class POAManager : public CORBA::LocalObject {
 public:
  /// HOLDING queues requests; ACTIVE serves them; DISCARDING rejects them with TRANSIENT (OMG minor 1);
  /// INACTIVE rejects them with OBJ_ADAPTER (OMG minor 1) and is final.
  enum class State : std::uint32_t { HOLDING, ACTIVE, DISCARDING, INACTIVE };
  /// The manager is INACTIVE.
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterInactive, "POAManager")

  /// Changes to ACTIVE: serves the requests held so far and all later ones.
  virtual void activate() = 0;
  /// Changes to HOLDING: requests wait until the state changes. Logged if one waits longer than 1 s.
  virtual void hold_requests(bool wait_for_completion) = 0;
  /// Changes to DISCARDING: rejects requests, also held ones, with TRANSIENT.
  virtual void discard_requests(bool wait_for_completion) = 0;
  /// Changes to INACTIVE, for good. With `etherealize_objects`, deactivates the objects of POAs that have a
  /// ServantActivator, which gets each servant when its last request has ended.
  virtual void deactivate(bool etherealize_objects, bool wait_for_completion) = 0;
  /// Returns the present state. Raises nothing.
  virtual State get_state() = 0;
  /// Returns the id given to POAManagerFactory::create_POAManager, or a unique one; "RootPOAManager" for that
  /// of the root POA. Raises nothing.
  virtual std::string get_id() = 0;
};

/// Object adapter: creates references for servants and finds the servant of a request (CORBA 3.3 part 1,
/// 15.3.9). Servants are kept in an active object map, provided by a servant manager
/// (orbweaver/servant_manager.h), or one servant serves all other objects, as the policies determine
/// (orbweaver/poa_policies.h). Thread-safe.
///
/// System exceptions are raised with COMPLETED_NO. After destroy, functions that need the POA raise
/// OBJECT_NOT_EXIST (OMG minor 2) where their comment says so.
class POA : public CORBA::LocalObject {
 public:
  /// There is a child POA of that name.
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterAlreadyExists, "POA")
  /// There is no child POA of that name.
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterNonExistent, "POA")
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
  /// The POA has no default servant.
  ORBWEAVER_DECLARE_POA_EXCEPTION(NoServant, "POA")

  /// Raised by create_POA for a policy that is unknown, not supported or in conflict with another one.
  class InvalidPolicy final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `index`: see index(); `detail`: message.
    explicit InvalidPolicy(std::uint16_t index = 0, std::string detail = {})
        : UserExceptionWithDetail(std::move(detail)), index_(index) {}
    /// Index of the policy in the list given to create_POA, from 0.
    std::uint16_t index() const noexcept { return index_; }
    const char* _name() const noexcept override { return "PortableServer::POA::InvalidPolicy"; }
    const char* _rep_id() const noexcept override {
      return "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0";
    }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 3; }
    void _encode(orbweaver::cdr::Encoder& out) const override { out.put(index_); }

   private:
    std::uint16_t index_;
  };

  /// Counted reference to a servant.
  using ServantRef = CORBA::object_reference<Servant>;
  /// Counted reference to an object of any interface.
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  /// Creates a child POA. A nil `manager` creates a new POAManager, in state HOLDING. `policies` are copied;
  /// defaults as in 15.3.8. The POA lives until destroy, whether references to it are held or not.
  /// Raises InvalidPolicy; AdapterAlreadyExists if there is a child of that name; BAD_PARAM (0x4f570040) for
  /// a manager of another ORB; IMP_LIMIT (0x4f57007c) for a path longer than 65,535 bytes; BAD_INV_ORDER (OMG
  /// minor 17) while this POA is being destroyed, and then OBJECT_NOT_EXIST (OMG minor 2).
  virtual CORBA::object_reference<POA> create_POA(const std::string& name,
                                                  const CORBA::object_reference<POAManager>& manager,
                                                  const CORBA::PolicyList& policies) = 0;
  /// Returns the child POA `name`. With `activate_it`, the adapter activator is asked to create a child that
  /// does not exist. Raises AdapterNonExistent; OBJ_ADAPTER (OMG minor 1) if the activator raises an
  /// exception.
  virtual CORBA::object_reference<POA> find_POA(const std::string& name, bool activate_it) = 0;
  /// Destroys this POA and its descendants: new requests are rejected, requests in progress are completed,
  /// and then the servants are released; with `etherealize_objects`, they are passed to the ServantActivator
  /// first. Idempotent. With `wait_for_completion`, returns when no request is in progress (polled every
  /// millisecond) and the servants have been passed on, which happens after the name can be used again;
  /// raises BAD_INV_ORDER (OMG minor 3) inside an upcall, where this would deadlock.
  virtual void destroy(bool etherealize_objects, bool wait_for_completion) = 0;

  /// Returns a lifespan policy for create_POA, which copies it. The default is TRANSIENT. Raises nothing, as
  /// the next six. CORBA 3.3 part 1, 15.3.8.
  virtual CORBA::object_reference<LifespanPolicy> create_lifespan_policy(LifespanPolicyValue value) = 0;
  /// Returns an id assignment policy for create_POA. The default is SYSTEM_ID.
  virtual CORBA::object_reference<IdAssignmentPolicy> create_id_assignment_policy(
      IdAssignmentPolicyValue value) = 0;
  /// Returns an id uniqueness policy for create_POA. The default is UNIQUE_ID.
  virtual CORBA::object_reference<IdUniquenessPolicy> create_id_uniqueness_policy(
      IdUniquenessPolicyValue value) = 0;
  /// Returns an activation policy for create_POA. Default: NO_IMPLICIT_ACTIVATION; the root POA differs.
  virtual CORBA::object_reference<ImplicitActivationPolicy> create_implicit_activation_policy(
      ImplicitActivationPolicyValue value) = 0;
  /// Returns a thread policy for create_POA. The default is ORB_CTRL_MODEL.
  virtual CORBA::object_reference<ThreadPolicy> create_thread_policy(ThreadPolicyValue value) = 0;
  /// Returns a servant retention policy for create_POA. The default is RETAIN.
  virtual CORBA::object_reference<ServantRetentionPolicy> create_servant_retention_policy(
      ServantRetentionPolicyValue value) = 0;
  /// Returns a request processing policy for create_POA. The default is USE_ACTIVE_OBJECT_MAP_ONLY.
  virtual CORBA::object_reference<RequestProcessingPolicy> create_request_processing_policy(
      RequestProcessingPolicyValue value) = 0;

  /// Name within the parent; "RootPOA" for the root. The four attributes raise nothing, also after destroy.
  virtual std::string the_name() = 0;
  /// Parent; nil for the root POA. Raises nothing.
  virtual CORBA::object_reference<POA> the_parent() = 0;
  /// Children at this moment, in no particular order. Raises nothing.
  virtual std::vector<CORBA::object_reference<POA>> the_children() = 0;
  /// The POAManager given to create_POA, or created by it. Raises nothing.
  virtual CORBA::object_reference<POAManager> the_POAManager() = 0;
  /// The factory of the ORB's POA managers. Raises nothing.
  virtual CORBA::object_reference<POAManagerFactory> the_POAManagerFactory() = 0;
  /// Identifies this POA among those of the process and, with PERSISTENT, among those of its later runs; with
  /// TRANSIENT, among those of all processes. Raises nothing.
  virtual std::vector<std::uint8_t> id() = 0;
  /// The activator of child POAs; nil, the default, if there is none. Raises nothing.
  virtual CORBA::object_reference<AdapterActivator> the_activator() = 0;
  /// Sets the activator of child POAs, which is shared; nil: none. Raises OBJECT_NOT_EXIST (OMG minor 2) if
  /// the POA is destroyed; NO_RESOURCES (0x4f570078) as activate_object.
  virtual void the_activator(const CORBA::object_reference<AdapterActivator>& activator) = 0;

  /// Returns the servant manager; nil if none is set. Raises WrongPolicy without USE_SERVANT_MANAGER.
  virtual CORBA::object_reference<ServantManager> get_servant_manager() = 0;
  /// Sets the servant manager, once: a ServantActivator for a POA with RETAIN, else a ServantLocator. Raises
  /// WrongPolicy without USE_SERVANT_MANAGER; OBJ_ADAPTER (OMG minor 4) for nil or the other kind;
  /// BAD_INV_ORDER (OMG minor 6) if one is set.
  virtual void set_servant_manager(const CORBA::object_reference<ServantManager>& imgr) = 0;
  /// Returns the default servant, which is shared. Raises WrongPolicy without USE_DEFAULT_SERVANT; NoServant.
  virtual ServantRef get_servant() = 0;
  /// Sets the default servant, which is shared, and replaces the one before, which completes its requests.
  /// Raises WrongPolicy without USE_DEFAULT_SERVANT; BAD_PARAM (0x4f570040) for nil; OBJECT_NOT_EXIST (OMG
  /// minor 2) if the POA is destroyed.
  virtual void set_servant(const ServantRef& servant) = 0;

  /// Activates `servant` under a new id and returns the id. The POA holds a reference to the servant until
  /// deactivation and until its last call has ended.
  /// Raises WrongPolicy without SYSTEM_ID and RETAIN; ServantAlreadyActive with UNIQUE_ID; BAD_PARAM
  /// (0x4f570040) for nil; OBJECT_NOT_EXIST (OMG minor 2) if the POA is destroyed; NO_RESOURCES (0x4f570078)
  /// beyond 16,777,216 objects in the process.
  virtual ObjectId activate_object(const ServantRef& servant) = 0;
  /// Activates `servant` under `id`, which is copied. Servant ownership as in activate_object. If the POA has
  /// a ServantActivator and the id is being deactivated, waits until it has been passed the servant; in an
  /// upcall of that object, where this would deadlock, raises BAD_INV_ORDER (OMG minor 3).
  /// Raises WrongPolicy without RETAIN; ObjectAlreadyActive; ServantAlreadyActive with UNIQUE_ID; BAD_PARAM,
  /// OMG minor 14 with SYSTEM_ID if this POA did not assign the id, 0x4f570040 for nil; OBJECT_NOT_EXIST (OMG
  /// minor 2) if the POA is destroyed; NO_RESOURCES (0x4f570078) as in activate_object.
  virtual void activate_object_with_id(const ObjectId& id, const ServantRef& servant) = 0;
  /// Deactivates an object: rejects new requests with OBJECT_NOT_EXIST at once, completes requests in
  /// progress, and then releases the servant. Does not wait for that. A ServantActivator is passed the
  /// servant, and requests wait until it can be asked for a new one. Raises WrongPolicy without RETAIN;
  /// ObjectNotActive, also after destroy.
  virtual void deactivate_object(const ObjectId& id) = 0;
  /// Returns a reference of interface `repository_id` to an object with a new id, which is not activated. The
  /// first reference that an ORB creates makes it listen.
  /// Raises WrongPolicy without SYSTEM_ID; OBJECT_NOT_EXIST (OMG minor 2) if the POA is destroyed;
  /// NO_RESOURCES (0x4f570078) as in activate_object, or if threads cannot be started; INITIALIZE
  /// (0x4f57007a) if the ORB cannot listen; BAD_INV_ORDER (OMG minor 4) after ORB shutdown.
  virtual ObjectRef create_reference(const std::string& repository_id) = 0;
  /// Returns a reference of interface `repository_id` to the object `id`, active or not. Does not check
  /// whether the POA still exists. Raises BAD_PARAM (OMG minor 14) with SYSTEM_ID if this POA did not assign
  /// the id; INITIALIZE and BAD_INV_ORDER as create_reference.
  virtual ObjectRef create_reference_with_id(const ObjectId& id, const std::string& repository_id) = 0;
  /// Returns the id of `servant`, which is activated first if it is not active and the policies allow it.
  /// With MULTIPLE_ID an active servant is activated under a further id. For a servant that is not activated
  /// but executes a request of this POA in this thread, returns the id of that request. Unlike 15.3.9, raises
  /// WrongPolicy only if the POA has a ServantLocator.
  /// Raises ServantNotActive if it may not be activated; BAD_PARAM (0x4f570040) for nil; else as
  /// activate_object.
  virtual ObjectId servant_to_id(const ServantRef& servant) = 0;
  /// Returns a reference to `servant`, which is activated as by servant_to_id. Raises as servant_to_id and
  /// create_reference.
  virtual ObjectRef servant_to_reference(const ServantRef& servant) = 0;
  /// Returns the servant of `reference`; the caller shares it. Raises WrongAdapter for a reference of another
  /// POA, and as id_to_servant.
  virtual ServantRef reference_to_servant(const ObjectRef& reference) = 0;
  /// Returns the object id in `reference`, active or not. Raises WrongAdapter for a reference of another POA.
  virtual ObjectId reference_to_id(const ObjectRef& reference) = 0;
  /// Returns the servant active under `id`, or the default servant; the caller shares it. Raises
  /// ObjectNotActive; WrongPolicy without RETAIN and USE_DEFAULT_SERVANT.
  virtual ServantRef id_to_servant(const ObjectId& id) = 0;
  /// Returns a reference to the object active under `id`, of its servant's interface. Raises ObjectNotActive;
  /// WrongPolicy without RETAIN; INITIALIZE and BAD_INV_ORDER as create_reference.
  virtual ObjectRef id_to_reference(const ObjectId& id) = 0;
};

}  // namespace PortableServer

#include <orbweaver/poa_current.h>
#include <orbweaver/poa_manager_factory.h>
#include <orbweaver/servant_manager.h>
