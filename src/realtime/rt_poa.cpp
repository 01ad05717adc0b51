// RTPortableServer::POA, which forwards to the POA that it has been made of.
#include <orbweaver/rt_poa.h>

#include <string>
#include <utility>
#include <vector>

#include "orb/real_time.h"
#include "realtime/adapter.h"

namespace orbweaver::realtime {
namespace {

namespace ps = PortableServer;
template <class T>
using Ref = CORBA::object_reference<T>;

class RtPoa final : public RTPortableServer::POA {
 public:
  explicit RtPoa(Ref<ps::POA> poa) : poa_(std::move(poa)) {}

  ObjectRef create_reference_with_priority(const std::string& repository_id, std::int16_t priority) override {
    const NewObjectPriority scope(checked(priority));
    return poa_->create_reference(repository_id);
  }
  ObjectRef create_reference_with_id_and_priority(const ps::ObjectId& id, const std::string& repository_id,
                                                  std::int16_t priority) override {
    const NewObjectPriority scope(checked(priority));
    return poa_->create_reference_with_id(id, repository_id);
  }
  ps::ObjectId activate_object_with_priority(const ServantRef& servant, std::int16_t priority) override {
    const NewObjectPriority scope(checked(priority));
    return poa_->activate_object(servant);
  }
  void activate_object_with_id_and_priority(const ps::ObjectId& id, const ServantRef& servant,
                                            std::int16_t priority) override {
    const NewObjectPriority scope(checked(priority));
    poa_->activate_object_with_id(id, servant);
  }

  Ref<ps::POA> create_POA(const std::string& name, const Ref<ps::POAManager>& manager,
                          const CORBA::PolicyList& policies) override {
    return poa_->create_POA(name, manager, policies);
  }
  Ref<ps::POA> find_POA(const std::string& name, bool activate_it) override {
    return poa_->find_POA(name, activate_it);
  }
  void destroy(bool etherealize_objects, bool wait_for_completion) override {
    poa_->destroy(etherealize_objects, wait_for_completion);
  }
  Ref<ps::LifespanPolicy> create_lifespan_policy(ps::LifespanPolicyValue value) override {
    return poa_->create_lifespan_policy(value);
  }
  Ref<ps::IdAssignmentPolicy> create_id_assignment_policy(ps::IdAssignmentPolicyValue value) override {
    return poa_->create_id_assignment_policy(value);
  }
  Ref<ps::IdUniquenessPolicy> create_id_uniqueness_policy(ps::IdUniquenessPolicyValue value) override {
    return poa_->create_id_uniqueness_policy(value);
  }
  Ref<ps::ImplicitActivationPolicy> create_implicit_activation_policy(
      ps::ImplicitActivationPolicyValue value) override {
    return poa_->create_implicit_activation_policy(value);
  }
  Ref<ps::ThreadPolicy> create_thread_policy(ps::ThreadPolicyValue value) override {
    return poa_->create_thread_policy(value);
  }
  Ref<ps::ServantRetentionPolicy> create_servant_retention_policy(
      ps::ServantRetentionPolicyValue value) override {
    return poa_->create_servant_retention_policy(value);
  }
  Ref<ps::RequestProcessingPolicy> create_request_processing_policy(
      ps::RequestProcessingPolicyValue value) override {
    return poa_->create_request_processing_policy(value);
  }
  std::string the_name() override { return poa_->the_name(); }
  Ref<ps::POA> the_parent() override { return poa_->the_parent(); }
  std::vector<Ref<ps::POA>> the_children() override { return poa_->the_children(); }
  Ref<ps::POAManager> the_POAManager() override { return poa_->the_POAManager(); }
  Ref<ps::POAManagerFactory> the_POAManagerFactory() override { return poa_->the_POAManagerFactory(); }
  std::vector<std::uint8_t> id() override { return poa_->id(); }
  Ref<ps::AdapterActivator> the_activator() override { return poa_->the_activator(); }
  void the_activator(const Ref<ps::AdapterActivator>& activator) override { poa_->the_activator(activator); }
  Ref<ps::ServantManager> get_servant_manager() override { return poa_->get_servant_manager(); }
  void set_servant_manager(const Ref<ps::ServantManager>& manager) override {
    poa_->set_servant_manager(manager);
  }
  ServantRef get_servant() override { return poa_->get_servant(); }
  void set_servant(const ServantRef& servant) override { poa_->set_servant(servant); }
  ps::ObjectId activate_object(const ServantRef& servant) override { return poa_->activate_object(servant); }
  void activate_object_with_id(const ps::ObjectId& id, const ServantRef& servant) override {
    poa_->activate_object_with_id(id, servant);
  }
  void deactivate_object(const ps::ObjectId& id) override { poa_->deactivate_object(id); }
  ObjectRef create_reference(const std::string& repository_id) override {
    return poa_->create_reference(repository_id);
  }
  ObjectRef create_reference_with_id(const ps::ObjectId& id, const std::string& repository_id) override {
    return poa_->create_reference_with_id(id, repository_id);
  }
  ps::ObjectId servant_to_id(const ServantRef& servant) override { return poa_->servant_to_id(servant); }
  ObjectRef servant_to_reference(const ServantRef& servant) override {
    return poa_->servant_to_reference(servant);
  }
  ServantRef reference_to_servant(const ObjectRef& reference) override {
    return poa_->reference_to_servant(reference);
  }
  ps::ObjectId reference_to_id(const ObjectRef& reference) override {
    return poa_->reference_to_id(reference);
  }
  ServantRef id_to_servant(const ps::ObjectId& id) override { return poa_->id_to_servant(id); }
  ObjectRef id_to_reference(const ps::ObjectId& id) override { return poa_->id_to_reference(id); }

 private:
  /// Returns `priority`, if objects of the POA can have it. Raises WrongPolicy and BAD_PARAM.
  std::int16_t checked(std::int16_t priority) const {
    const auto* const adapter = static_cast<const Adapter*>(orb::real_time_of(*poa_));
    if (adapter == nullptr || !adapter->declares_priorities()) {
      throw WrongPolicy("the POA '" + poa_->the_name() +
                        "' has not SERVER_DECLARED, or has IMPLICIT_ACTIVATION");
    }
    adapter->check_priority(priority);
    return priority;
  }

  const Ref<ps::POA> poa_;
};

}  // namespace
}  // namespace orbweaver::realtime

namespace orbweaver {

CORBA::object_reference<RTPortableServer::POA> narrow_to_real_time(
    const CORBA::object_reference<PortableServer::POA>& poa) {
  if (!poa) return nullptr;
  auto known = narrow_local<RTPortableServer::POA>(poa);
  return known ? known : CORBA::make_reference<realtime::RtPoa>(poa);
}

}  // namespace orbweaver
