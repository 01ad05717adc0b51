#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/object.h>
#include <orbweaver/operation.h>
#include <orbweaver/orb.h>
#include <orbweaver/policy.h>

namespace PortableServer {

class POA;
class POAManager;
class Servant;

using ObjectId = std::vector<std::uint8_t>;

ObjectId string_to_ObjectId(const std::string& text);
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

/// Base of all servants. Generated skeletons derive from it, virtually, and fill in `_dispatch`,
/// `_as` and `_interface`; users see only what is not marked for generated code. Counted: the POA holds
/// a reference while the servant is active, and while it serves a call.
class Servant : public virtual CORBA::RefCounted {
 public:
  /// The POA of `_this` for servants activated nowhere else: the root POA of the first ORB made.
  virtual CORBA::object_reference<POA> _default_POA();
  virtual bool _is_a(const std::string& repository_id);
  virtual bool _non_existent();

  /// For generated code: finds the operation and calls it; false if there is none of that name.
  virtual bool _dispatch(orbweaver::ServerCall& call) = 0;
  /// For generated code: this servant as the skeleton of `interface` (the address of its orbweaver::Interface),
  /// or null. A direct call's replacement for dynamic_cast.
  virtual void* _as(const orbweaver::Interface* interface) noexcept = 0;
  virtual const orbweaver::Interface& _interface() const noexcept = 0;

 protected:
  /// For generated `_this`: the reference of this servant, activated in _default_POA() if need be.
  CORBA::object_reference<CORBA::Object> _this_object();
};

enum class LifespanPolicyValue : std::uint32_t { TRANSIENT, PERSISTENT };
enum class IdAssignmentPolicyValue : std::uint32_t { USER_ID, SYSTEM_ID };
enum class IdUniquenessPolicyValue : std::uint32_t { UNIQUE_ID, MULTIPLE_ID };
enum class ImplicitActivationPolicyValue : std::uint32_t { IMPLICIT_ACTIVATION, NO_IMPLICIT_ACTIVATION };
enum class ThreadPolicyValue : std::uint32_t { ORB_CTRL_MODEL, SINGLE_THREAD_MODEL };

/// The exceptions of POA and POAManager, all without members but InvalidPolicy.
#define ORBWEAVER_DECLARE_POA_EXCEPTION(NAME, SCOPE)                                                        \
  class NAME final : public CORBA::UserException {                                                          \
   public:                                                                                                  \
    const char* _name() const noexcept override { return "PortableServer::" SCOPE "::" #NAME; }             \
    const char* _rep_id() const noexcept override {                                                         \
      return "IDL:omg.org/PortableServer/" SCOPE "/" #NAME ":1.0";                                          \
    }                                                                                                       \
    [[noreturn]] void _raise() const override { throw *this; }                                              \
    std::size_t _bound() const override { return 0; }                                                       \
    void _encode(orbweaver::cdr::Encoder&) const override {}                                                \
  };

/// Holds, passes, discards or refuses the requests of its POAs (CORBA 3.3 part 1, 15.3.2). Thread-safe.
class POAManager : public CORBA::LocalObject {
 public:
  enum class State : std::uint32_t { HOLDING, ACTIVE, DISCARDING, INACTIVE };
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterInactive, "POAManager")

  virtual void activate() = 0;
  virtual void hold_requests(bool wait_for_completion) = 0;
  virtual void discard_requests(bool wait_for_completion) = 0;
  virtual void deactivate(bool etherealize_objects, bool wait_for_completion) = 0;
  virtual State get_state() = 0;
};

/// An object adapter: makes references for servants and finds the servant of a request
/// (CORBA 3.3 part 1, 15.3.9). Servants are retained in an active object map; servant managers and
/// default servants are refused with InvalidPolicy by create_POA. Thread-safe.
class POA : public CORBA::LocalObject {
 public:
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterAlreadyExists, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(AdapterNonExistent, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(ObjectAlreadyActive, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(ObjectNotActive, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(ServantAlreadyActive, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(ServantNotActive, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(WrongAdapter, "POA")
  ORBWEAVER_DECLARE_POA_EXCEPTION(WrongPolicy, "POA")

  /// create_POA was given a policy that is unknown or fits no other: `index` of it in the list.
  class InvalidPolicy final : public CORBA::UserException {
   public:
    explicit InvalidPolicy(std::uint16_t index = 0) : index_(index) {}
    std::uint16_t index() const noexcept { return index_; }
    const char* _name() const noexcept override { return "PortableServer::POA::InvalidPolicy"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 3; }
    void _encode(orbweaver::cdr::Encoder& out) const override { out.put(index_); }

   private:
    std::uint16_t index_;
  };

  using ServantRef = CORBA::object_reference<Servant>;
  using ObjectRef = CORBA::object_reference<CORBA::Object>;

  /// A nil `manager` makes a new one, holding.
  virtual CORBA::object_reference<POA> create_POA(const std::string& name,
                                                  const CORBA::object_reference<POAManager>& manager,
                                                  const CORBA::PolicyList& policies) = 0;
  virtual CORBA::object_reference<POA> find_POA(const std::string& name, bool activate_it) = 0;
  virtual void destroy(bool etherealize_objects, bool wait_for_completion) = 0;

  virtual CORBA::object_reference<CORBA::Policy> create_lifespan_policy(LifespanPolicyValue value) = 0;
  virtual CORBA::object_reference<CORBA::Policy> create_id_assignment_policy(IdAssignmentPolicyValue value) = 0;
  virtual CORBA::object_reference<CORBA::Policy> create_id_uniqueness_policy(IdUniquenessPolicyValue value) = 0;
  virtual CORBA::object_reference<CORBA::Policy> create_implicit_activation_policy(
      ImplicitActivationPolicyValue value) = 0;
  virtual CORBA::object_reference<CORBA::Policy> create_thread_policy(ThreadPolicyValue value) = 0;

  virtual std::string the_name() = 0;
  virtual CORBA::object_reference<POA> the_parent() = 0;
  virtual std::vector<CORBA::object_reference<POA>> the_children() = 0;
  virtual CORBA::object_reference<POAManager> the_POAManager() = 0;

  virtual ObjectId activate_object(const ServantRef& servant) = 0;
  virtual void activate_object_with_id(const ObjectId& id, const ServantRef& servant) = 0;
  /// New requests are refused at once; those in progress end, and then the servant is let go.
  virtual void deactivate_object(const ObjectId& id) = 0;
  virtual ObjectRef create_reference(const std::string& repository_id) = 0;
  virtual ObjectRef create_reference_with_id(const ObjectId& id, const std::string& repository_id) = 0;
  virtual ObjectId servant_to_id(const ServantRef& servant) = 0;
  virtual ObjectRef servant_to_reference(const ServantRef& servant) = 0;
  virtual ServantRef reference_to_servant(const ObjectRef& reference) = 0;
  virtual ObjectId reference_to_id(const ObjectRef& reference) = 0;
  virtual ServantRef id_to_servant(const ObjectId& id) = 0;
  virtual ObjectRef id_to_reference(const ObjectId& id) = 0;
};

}  // namespace PortableServer
