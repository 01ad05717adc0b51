#include "poa/poa_impl.h"

#include "orb/minor_codes.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
namespace ps = PortableServer;

namespace {

constexpr std::size_t kMaxPathBytes = 0xffff;  // docs/formats/object-key.md

template <class Type, class Value>
CORBA::object_reference<Type> make_policy(CORBA::PolicyType type, Value value) {
  return CORBA::make_reference<ValuePolicy<Type, Value>>(type, value);
}

}  // namespace

/// Returns the path of a POA: names separated by '/', in which '/' and '\' are escaped.
std::string PoaImpl::path_below(const PoaImpl* parent, const std::string& name) {
  if (parent == nullptr) return {};
  std::string escaped;
  for (const char c : name) {
    if (c == '/' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return parent->parent_ ? parent->path_ + "/" + escaped : escaped;
}

PoaImpl::PoaImpl(AdapterRegistry& adapters, std::string name, CORBA::object_reference<PoaImpl> parent,
                 CORBA::object_reference<PoaManagerImpl> manager, Policies policies)
    : core_(adapters.core().shared_from_this()), adapters_(adapters), name_(std::move(name)),
      parent_(std::move(parent)), path_(path_below(parent_.get(), name_)), manager_(std::move(manager)),
      policies_(policies), single_thread_(policies.thread == ps::ThreadPolicyValue::ORB_CTRL_MODEL
                                              ? nullptr
                                              : std::make_unique<std::recursive_mutex>()),
      shared_turn_(single_thread_ != nullptr && policies.queue
                       ? std::make_shared<orb::RequestQueue::SharedTurn>()
                       : nullptr) {}

CORBA::object_reference<PoaImpl> PoaImpl::make_root(AdapterRegistry& adapters) {
  Policies policies;
  policies.implicit = PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  auto root = CORBA::make_reference<PoaImpl>(adapters, "RootPOA", nullptr,
                                             adapters.make_manager("RootPOAManager"), policies);
  adapters.add("", *root);
  return root;
}

void PoaImpl::check_not_destroyed() const {
  if (!destroyed_) return;
  throw CORBA::OBJECT_NOT_EXIST(minor::kNoSuchAdapter, CompletionStatus::COMPLETED_NO,
                                "the POA '" + name_ + "' has been destroyed");
}

void PoaImpl::check_servant(const ServantRef& servant) const {
  if (servant) return;
  throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, "a nil servant");
}

// ---- POA hierarchy ----

PoaImpl::PoaRef PoaImpl::create_POA(const std::string& name,
                                    const CORBA::object_reference<PortableServer::POAManager>& manager,
                                    const CORBA::PolicyList& policies) {
  const Policies requested = read_policies(policies, *core_);
  CORBA::object_reference<PoaManagerImpl> used;
  if (!manager) {
    used = adapters_.make_manager();
  } else if (auto* manager_impl = dynamic_cast<PoaManagerImpl*>(manager.get())) {
    manager_impl->_add_ref();
    used = CORBA::object_reference<PoaManagerImpl>::adopt(manager_impl);
  } else {
    throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO,
                           "a POAManager of another ORB");
  }
  const auto child = create_child(name, std::move(used), requested);
  child->tell_interceptors(policies);
  return child;
}

void PoaImpl::tell_interceptors(const CORBA::PolicyList& policies) try {
  orb::Interception* const interception = core_->interception();
  if (interception == nullptr) return;
  orb::InterceptedAdapter adapter;
  for (const PoaImpl* poa = this; poa != nullptr; poa = poa->parent_.get())
    adapter.name.insert(adapter.name.begin(), poa->name_);
  adapter.manager_id = manager_->get_id();
  adapter.state = [manager = manager_] { return static_cast<std::int16_t>(manager->get_state()); };
  adapter.policies = policies;
  adapter.make = [poa = self()](const std::string& repository_id, const ObjectId& id) {
    return poa->make_plain_reference_to(id, repository_id);
  };
  interception_owner_ = interception->adapter_created(std::move(adapter));
  interception_.store(interception_owner_.get(), std::memory_order_release);
} catch (...) {
  destroy(false, false);
  throw;
}

CORBA::object_reference<PoaImpl> PoaImpl::create_child(const std::string& name,
                                                       CORBA::object_reference<PoaManagerImpl> manager,
                                                       const Policies& policies) {
  const std::lock_guard lock(mutex_);
  if (destroyed_ && !destruction_ended_) {
    throw CORBA::BAD_INV_ORDER(minor::kBeingDestroyed, CompletionStatus::COMPLETED_NO,
                               "the POA '" + name_ + "' is being destroyed");
  }
  check_not_destroyed();
  if (children_.count(name) != 0)
    throw AdapterAlreadyExists("the POA '" + name_ + "' has a child '" + name + "' already");
  auto child = CORBA::make_reference<PoaImpl>(adapters_, name, self(), std::move(manager), policies);
  if (child->path_.size() > kMaxPathBytes) {
    throw CORBA::IMP_LIMIT(minor::kNameTooLong, CompletionStatus::COMPLETED_NO,
                           "the new POA's path has " + std::to_string(child->path_.size()) +
                               " bytes; the limit is " + std::to_string(kMaxPathBytes));
  }
  if (!policies.map_only()) {
    const std::lock_guard child_lock(child->mutex_);
    child->open_gate();
  }
  child->initialising_.store(activations_.count(name) != 0, std::memory_order_release);
  adapters_.add(child->path_, *child);
  children_.emplace(name, child);
  return child;
}

CORBA::object_reference<PoaImpl> PoaImpl::make_corbaloc_poa() {
  Policies policies;
  policies.lifespan = PortableServer::LifespanPolicyValue::PERSISTENT;
  policies.assignment = PortableServer::IdAssignmentPolicyValue::USER_ID;
  policies.ids_are_keys = true;
  return create_child(kCorbalocPoa, manager_, policies);
}

PoaImpl::PoaRef PoaImpl::the_parent() { return parent_; }

PoaImpl::Ref<ps::POAManagerFactory> PoaImpl::the_POAManagerFactory() {
  return make_manager_factory(adapters_);
}

std::vector<std::uint8_t> PoaImpl::id() { return encode(NameKey{key_incarnation(), path_, {}}); }

std::vector<PoaImpl::PoaRef> PoaImpl::the_children() {
  const std::lock_guard lock(mutex_);
  std::vector<PoaRef> list;
  for (const auto& [name, child] : children_) list.push_back(child);
  return list;
}

// ---- policies ----

PoaImpl::Ref<ps::LifespanPolicy> PoaImpl::create_lifespan_policy(ps::LifespanPolicyValue v) {
  return make_policy<ps::LifespanPolicy>(policy_type::kLifespan, v);
}
PoaImpl::Ref<ps::IdAssignmentPolicy> PoaImpl::create_id_assignment_policy(ps::IdAssignmentPolicyValue v) {
  return make_policy<ps::IdAssignmentPolicy>(policy_type::kIdAssignment, v);
}
PoaImpl::Ref<ps::IdUniquenessPolicy> PoaImpl::create_id_uniqueness_policy(ps::IdUniquenessPolicyValue v) {
  return make_policy<ps::IdUniquenessPolicy>(policy_type::kIdUniqueness, v);
}
PoaImpl::Ref<ps::ImplicitActivationPolicy> PoaImpl::create_implicit_activation_policy(
    ps::ImplicitActivationPolicyValue v) {
  return make_policy<ps::ImplicitActivationPolicy>(policy_type::kImplicitActivation, v);
}
PoaImpl::Ref<ps::ThreadPolicy> PoaImpl::create_thread_policy(ps::ThreadPolicyValue v) {
  return make_policy<ps::ThreadPolicy>(policy_type::kThread, v);
}
PoaImpl::Ref<ps::ServantRetentionPolicy> PoaImpl::create_servant_retention_policy(
    ps::ServantRetentionPolicyValue v) {
  return make_policy<ps::ServantRetentionPolicy>(policy_type::kServantRetention, v);
}
PoaImpl::Ref<ps::RequestProcessingPolicy> PoaImpl::create_request_processing_policy(
    ps::RequestProcessingPolicyValue v) {
  return make_policy<ps::RequestProcessingPolicy>(policy_type::kRequestProcessing, v);
}

}  // namespace orbweaver::poa
