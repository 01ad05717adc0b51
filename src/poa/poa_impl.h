#pragma once

#include <orbweaver/poa.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "poa/adapter_registry.h"
#include "poa/poa_manager_impl.h"
#include "poa/poa_policies.h"

namespace orbweaver::poa {

/// Implementation of POA. Its objects are in the ORB's ActiveObjectMap; this class maps their ids and
/// servants. Thread-safe.
///
/// With system ids and transient lifespan an object id *is* a slot, so that requests find it by index. All
/// other objects are found by POA path and object id.
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

  CORBA::object_reference<CORBA::Policy> create_lifespan_policy(
      PortableServer::LifespanPolicyValue v) override;
  CORBA::object_reference<CORBA::Policy> create_id_assignment_policy(
      PortableServer::IdAssignmentPolicyValue v) override;
  CORBA::object_reference<CORBA::Policy> create_id_uniqueness_policy(
      PortableServer::IdUniquenessPolicyValue v) override;
  CORBA::object_reference<CORBA::Policy> create_implicit_activation_policy(
      PortableServer::ImplicitActivationPolicyValue v) override;
  CORBA::object_reference<CORBA::Policy> create_thread_policy(PortableServer::ThreadPolicyValue v) override;

  std::string the_name() override { return name_; }
  PoaRef the_parent() override;
  std::vector<PoaRef> the_children() override;
  CORBA::object_reference<PortableServer::POAManager> the_POAManager() override { return manager_; }

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
  /// Whether each request needs a lookup by the POA: SINGLE_THREAD_MODEL, or request queues.
  bool needs_lookup() const noexcept { return single_thread_ != nullptr || policies_.queue; }
  bool ids_are_keys() const noexcept { return policies_.ids_are_keys; }
  /// Incarnation in keys with this POA's path: 0 if it is persistent.
  Incarnation key_incarnation() const noexcept {
    return policies_.persistent() ? 0 : adapters_.incarnation();
  }
  /// Enters the active object of this id; null if there is none. For keys with a POA path.
  ObjectSlot* enter(Bytes id);
  AdapterRegistry& adapters() const noexcept { return adapters_; }

 private:
  CORBA::object_reference<PoaImpl> create_child(const std::string& name,
                                                CORBA::object_reference<PoaManagerImpl> manager,
                                                const Policies& policies);
  static std::string path_below(const PoaImpl* parent, const std::string& name);
  bool ids_are_slots() const noexcept { return policies_.system_ids() && !policies_.persistent(); }
  std::vector<std::uint8_t> key_of(const ObjectId& id) const;
  [[noreturn, gnu::cold]] void raise_servant_active(PortableServer::Servant& servant) const;
  [[noreturn, gnu::cold]] void raise_not_active(const ObjectId& id) const;
  [[noreturn, gnu::cold]] void raise_other_adapter() const;
  ObjectRef make_reference_to(const ObjectId& id, const std::string& repository_id);
  ObjectId new_object_id(ObjectSlot& slot);
  ObjectSlot& reserve_slot();
  ObjectSlot* find_active(const ObjectId& id);  // mutex_ held
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

  std::mutex mutex_;  // guards the rest
  bool destroyed_ = false;
  std::map<std::string, CORBA::object_reference<PoaImpl>> children_;
  std::map<ObjectId, ObjectSlot*> by_id_;
  std::unordered_set<ObjectSlot*> reserved_;  // by create_reference, not yet activated
  std::unordered_multimap<PortableServer::Servant*, ObjectSlot*> by_servant_;
  std::uint64_t last_id_ = 0;
};

}  // namespace orbweaver::poa
