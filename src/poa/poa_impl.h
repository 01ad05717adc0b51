#pragma once

#include <orbweaver/poa.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "orb/interception.h"
#include "orb/real_time.h"
#include "orb/server/upcall_scope.h"
#include "poa/adapter_registry.h"
#include "poa/poa_manager_impl.h"
#include "poa/poa_policies.h"

namespace orbweaver::poa {

struct UnmappedRequest;

/// Implementation of POA. Its objects are in the ORB's ActiveObjectMap; this class maps their ids and
/// servants. Thread-safe.
///
/// With system ids and transient lifespan an object id *is* a slot, so that requests find it by index. All
/// other objects are found by POA path and object id, also those of POAs with servant managers or a default
/// servant, which serve objects that have no slot. Requests for these are counted in a slot of the POA, its
/// gate, so that its destruction waits for them.
///
/// Implemented in poa_impl.cpp (hierarchy), poa_objects.cpp (ids, references), poa_requests.cpp (requests
/// for objects that are not in the map), poa_endings.cpp (objects passed back to a servant activator) and
/// poa_activation.cpp (adapter activators).
class PoaImpl final : public PortableServer::POA {
 public:
  using PoaRef = CORBA::object_reference<PortableServer::POA>;
  using ObjectId = PortableServer::ObjectId;

  static CORBA::object_reference<PoaImpl> make_root(AdapterRegistry& adapters);
  /// Creates the child "CorbalocPOA" of the root, whose object ids are the object keys.
  CORBA::object_reference<PoaImpl> make_corbaloc_poa();
  PoaImpl(AdapterRegistry& adapters, std::string name, CORBA::object_reference<PoaImpl> parent,
          CORBA::object_reference<PoaManagerImpl> manager, Policies policies);

  PoaRef create_POA(const std::string& name,
                    const CORBA::object_reference<PortableServer::POAManager>& manager,
                    const CORBA::PolicyList& policies) override;
  PoaRef find_POA(const std::string& name, bool activate_it) override;
  void destroy(bool etherealize_objects, bool wait_for_completion) override;

  template <class T>
  using Ref = CORBA::object_reference<T>;
  Ref<PortableServer::LifespanPolicy> create_lifespan_policy(PortableServer::LifespanPolicyValue v) override;
  Ref<PortableServer::IdAssignmentPolicy> create_id_assignment_policy(
      PortableServer::IdAssignmentPolicyValue v) override;
  Ref<PortableServer::IdUniquenessPolicy> create_id_uniqueness_policy(
      PortableServer::IdUniquenessPolicyValue v) override;
  Ref<PortableServer::ImplicitActivationPolicy> create_implicit_activation_policy(
      PortableServer::ImplicitActivationPolicyValue v) override;
  Ref<PortableServer::ThreadPolicy> create_thread_policy(PortableServer::ThreadPolicyValue v) override;
  Ref<PortableServer::ServantRetentionPolicy> create_servant_retention_policy(
      PortableServer::ServantRetentionPolicyValue v) override;
  Ref<PortableServer::RequestProcessingPolicy> create_request_processing_policy(
      PortableServer::RequestProcessingPolicyValue v) override;

  std::string the_name() override { return name_; }
  PoaRef the_parent() override;
  std::vector<PoaRef> the_children() override;
  CORBA::object_reference<PortableServer::POAManager> the_POAManager() override { return manager_; }
  Ref<PortableServer::POAManagerFactory> the_POAManagerFactory() override;
  std::vector<std::uint8_t> id() override;
  Ref<PortableServer::AdapterActivator> the_activator() override;
  void the_activator(const Ref<PortableServer::AdapterActivator>& activator) override;
  Ref<PortableServer::ServantManager> get_servant_manager() override;
  void set_servant_manager(const Ref<PortableServer::ServantManager>& manager) override;
  ServantRef get_servant() override;
  void set_servant(const ServantRef& servant) override;

  ObjectId activate_object(const ServantRef& servant) override;
  void activate_object_with_id(const ObjectId& id, const ServantRef& servant) override;
  void deactivate_object(const ObjectId& id) override;
  ObjectRef create_reference(const std::string& repository_id) override;
  ObjectRef create_reference_with_id(const ObjectId& id, const std::string& repository_id) override;
  ObjectId servant_to_id(const ServantRef& servant) override;
  ObjectRef servant_to_reference(const ServantRef& servant) override;
  ServantRef reference_to_servant(const ObjectRef& reference) override;
  ObjectId reference_to_id(const ObjectRef& reference) override;
  ServantRef id_to_servant(const ObjectId& id) override;
  ObjectRef id_to_reference(const ObjectId& id) override;

  PoaManagerImpl& manager() const noexcept { return *manager_; }
  /// Mutex of SINGLE_THREAD_MODEL; null for ORB_CTRL_MODEL.
  std::recursive_mutex* single_thread_mutex() noexcept { return single_thread_.get(); }
  /// Whether each request needs a lookup by the POA: SINGLE_THREAD_MODEL, request queues, or policies of
  /// Real-time CORBA.
  bool needs_lookup() const noexcept {
    return single_thread_ != nullptr || policies_.queue || policies_.real_time != nullptr;
  }
  /// Null: the POA has no policies of Real-time CORBA.
  const orb::RealTimeAdapter* real_time() const noexcept { return policies_.real_time.get(); }
  /// Whether a stub of this thread must call the objects by requests, since another thread or another
  /// priority is required.
  bool needs_request() const noexcept {
    return (main_thread() && !orb::in_connection_upcall()) ||
           (policies_.real_time != nullptr && policies_.real_time->needs_request());
  }
  bool activates_implicitly() const noexcept { return policies_.activates_implicitly(); }
  bool ids_are_keys() const noexcept { return policies_.ids_are_keys; }
  bool is_bidirectional() const noexcept { return policies_.bidirectional; }
  /// Incarnation in keys with this POA's path: 0 if it is persistent.
  Incarnation key_incarnation() const noexcept {
    return policies_.persistent() ? 0 : adapters_.incarnation();
  }
  /// Enters the active object of this id; null if there is none. For keys with a POA path.
  ObjectSlot* enter(Bytes id);
  /// Whether all objects are in the active object map.
  bool map_only() const noexcept { return policies_.map_only(); }
  /// Whether all upcalls are to be made by the thread of ORB::run.
  bool main_thread() const noexcept { return policies_.main_thread(); }
  bool has_activator() const noexcept { return policies_.activator(); }

  /// Enters the object of a request, and pins its servant: an active one, or the one that a servant manager
  /// provides, or the default servant. See ObjectFinder::enter; `operation` empty: a collocated call. pre:
  /// not map_only.
  orb::LookupStatus enter_managed(Bytes id, std::string_view operation, orb::ServantPin& pin, bool may_wait,
                                  orb::ObjectSlotHint* slot_hint);
  /// Whether `enter_managed` would look for a servant of this object.
  bool serves(Bytes id);
  /// Calls postinvoke of a servant locator, once for each request. Raises its system exception.
  void postinvoke(UnmappedRequest& request);
  /// Passes an object back to the servant activator: its last call has ended. The caller holds a reference to
  /// `servant`. Once after each `begin_end`.
  void end_object(const ObjectId& id, PortableServer::Servant& servant) noexcept;
  /// Deactivates all objects, and passes them back to the servant activator, if it has one.
  void end_all_objects();
  /// Returns when no object is being passed back to the servant activator.
  void wait_for_endings();

  /// The child of this name for a request of one of its objects: an adapter activator creates it if there is
  /// none. Null: see `why_not`; LookupStatus::holding: it is being created, and the caller may not wait.
  CORBA::object_reference<PoaImpl> child_for_request(const std::string& name, bool may_wait,
                                                     orb::LookupStatus& why_not);
  /// The child of this name; null if there is none. `may_be_created`: whether there is an adapter activator.
  CORBA::object_reference<PoaImpl> existing_child(const std::string& name, bool& may_be_created);
  /// Whether an adapter activator is still creating this POA or one above it.
  bool is_being_created() const noexcept;

  /// Tells the interceptors of IORs of this new POA. `policies`: as passed to create_POA. Raises OBJ_ADAPTER.
  void tell_interceptors(const CORBA::PolicyList& policies);
  /// A reference to an object whose operation is executed by `servant`.
  ObjectRef reference_of(const ObjectId& id, PortableServer::Servant& servant);
  AdapterRegistry& adapters() const noexcept { return adapters_; }

 private:
  /// An object that was deactivated, until its servant has been passed back to the activator.
  struct Ending {
    Ref<PortableServer::ServantActivator> activator;  // nil: is not told
    bool cleanup;                                     // cleanup_in_progress
    bool deferred;             // passed back by `destroy`, when all requests have ended
    const ObjectSlot* slot;    // while it has calls in progress
    std::thread::id thread{};  // that calls etherealize
    ServantRef servant{};      // of a deferred one whose calls have ended
  };
  /// Compares ids with views of them.
  struct IdLess {
    using is_transparent = void;
    bool operator()(Bytes a, Bytes b) const noexcept {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  /// A pass of the gate, which counts as a call in progress of this POA.
  class GatePass;

  CORBA::object_reference<PoaImpl> self() noexcept {
    _add_ref();
    return CORBA::object_reference<PoaImpl>::adopt(this);
  }
  void open_gate();  // mutex_ held
  /// Locks the mutex of SINGLE_THREAD_MODEL; without it, the lock is empty.
  std::unique_lock<std::recursive_mutex> lock_single_thread();
  orb::LookupStatus enter_default_servant(Bytes id, orb::ServantPin& pin);
  orb::LookupStatus enter_located(Bytes id, std::string_view operation, orb::ServantPin& pin);
  orb::LookupStatus enter_incarnated(const ObjectId& id, orb::ServantPin& pin, bool may_wait);
  /// Enters the object, incarnated if it is not active; null if it has begun to end meanwhile.
  /// activator_mutex_ held.
  ObjectSlot* incarnate(const ObjectId& id);
  /// Moves an active object to `ending_`. mutex_ held.
  void begin_end(const ObjectId& id, ObjectSlot& slot, bool etherealizes, bool cleanup, bool deferred);
  /// Waits until the object does not end any more. False: it does, and the caller may not wait. Raises
  /// BAD_INV_ORDER in a call of this object.
  bool wait_for_end(const ObjectId& id, bool may_wait);
  void etherealize(const ObjectId& id, ServantRef servant) noexcept;
  void leave_parent();
  bool has_requests();
  /// As child_for_request; `is_request` false: for find_POA, whatever the state of the POA manager.
  CORBA::object_reference<PoaImpl> find_or_create(const std::string& name, bool may_wait, bool is_request,
                                                  orb::LookupStatus& why_not);
  /// Calls the adapter activator for the child `name`.
  bool call_activator(PortableServer::AdapterActivator& activator, const std::string& name);
  void end_activation(const std::string& name) noexcept;
  /// The id of the object whose operation `servant` executes in this thread and POA; null: none.
  const ObjectId* current_id(const PortableServer::Servant& servant) const;
  bool is_system_id(const ObjectId& id) const;  // mutex_ held
  [[noreturn, gnu::cold]] void raise_wrong_policy(const char* needs) const;

  CORBA::object_reference<PoaImpl> create_child(const std::string& name,
                                                CORBA::object_reference<PoaManagerImpl> manager,
                                                const Policies& policies);
  static std::string path_below(const PoaImpl* parent, const std::string& name);
  bool ids_are_slots() const noexcept {
    return policies_.system_ids() && !policies_.persistent() && policies_.map_only();
  }
  std::vector<std::uint8_t> key_of(const ObjectId& id) const;
  [[noreturn, gnu::cold]] void raise_servant_active(PortableServer::Servant& servant) const;
  [[noreturn, gnu::cold]] void raise_not_active(const ObjectId& id) const;
  [[noreturn, gnu::cold]] void raise_other_adapter() const;
  [[noreturn, gnu::cold]] void raise_not_generated() const;
  ObjectRef make_reference_to(const ObjectId& id, const std::string& repository_id);
  /// Adds the policies of Real-time CORBA to a reference.
  void add_priority(giop::Ior& ior, const ObjectId& id);
  ObjectRef make_plain_reference_to(const ObjectId& id, const std::string& repository_id);
  ObjectId new_object_id(ObjectSlot& slot);
  ObjectSlot& reserve_slot();
  ObjectSlot* find_active(Bytes id);  // mutex_ held
  void activate_slot(ObjectSlot& slot, const ObjectId& id, PortableServer::Servant& servant);
  void check_id(const ObjectId& id) const;
  void check_servant(const ServantRef& servant) const;
  void check_not_destroyed() const;

  const std::shared_ptr<orb::Core> core_;  // a reference to a POA keeps the core alive
  AdapterRegistry& adapters_;
  const std::string name_;
  const CORBA::object_reference<PoaImpl> parent_;
  const std::string path_;
  const CORBA::object_reference<PoaManagerImpl> manager_;
  const Policies policies_;
  const std::unique_ptr<std::recursive_mutex> single_thread_;
  const std::shared_ptr<orb::RequestQueue::SharedTurn> shared_turn_;  // with SINGLE_THREAD_MODEL and queues

  std::shared_ptr<orb::AdapterInterception> interception_owner_;
  std::atomic<orb::AdapterInterception*> interception_{nullptr};  // null: there are no interceptors of IORs
  std::atomic<bool> initialising_{false};  // until the adapter activator that creates it returns
  // Locks are taken in the order single_thread_, activator_mutex_, mutex_; nothing of the program is called
  // with mutex_ held.
  std::recursive_mutex activator_mutex_;  // one call of the servant activator at a time
  std::mutex mutex_;                      // guards the rest
  std::condition_variable changed_;       // ending_ or activations_
  /// Interval in which waiting threads look at the state without having been woken.
  static constexpr std::chrono::milliseconds kPollInterval{50};
  bool destroyed_ = false;
  bool destruction_ended_ = false;
  bool etherealizes_at_end_ = false;  // argument of destroy
  ObjectSlot* gate_ = nullptr;        // null: not needed, or destroyed
  std::uint32_t gate_generation_ = 0;
  ServantRef default_servant_;
  Ref<PortableServer::ServantActivator> servant_activator_;
  Ref<PortableServer::ServantLocator> servant_locator_;
  Ref<PortableServer::AdapterActivator> adapter_activator_;
  std::map<std::string, std::thread::id> activations_;  // children that adapter_activator_ is creating
  std::map<ObjectId, Ending, IdLess> ending_;
  std::unordered_map<PortableServer::Servant*, std::size_t> ending_servants_;  // how often in ending_
  std::map<std::string, CORBA::object_reference<PoaImpl>> children_;
  std::map<ObjectId, ObjectSlot*, IdLess> by_id_;
  std::unordered_set<ObjectSlot*> reserved_;  // by create_reference, not yet activated
  std::unordered_multimap<PortableServer::Servant*, ObjectSlot*> by_servant_;
  std::uint64_t last_id_ = 0;
};

}  // namespace orbweaver::poa
