#include "poa/poa_impl.h"

#include "orb/minor_codes.h"
#include "orb/reference/reference.h"
#include "orb/server/upcall_scope.h"
#include "platform/process_identity.h"

namespace orbweaver::poa {

using CORBA::CompletionStatus;
using PortableServer::Servant;

namespace {

constexpr std::size_t kMaxPathBytes = 0xffff;  // docs/formats/object-key.md

template <class Value>
CORBA::object_reference<CORBA::Policy> make_policy(CORBA::PolicyType type, Value value) {
  return CORBA::make_reference<ValuePolicy<Value>>(type, value);
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
      policies_(policies),
      single_thread_(policies.thread == PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL
                         ? std::make_unique<std::recursive_mutex>()
                         : nullptr),
      shared_turn_(single_thread_ != nullptr && policies.queue
                       ? std::make_shared<orb::RequestQueue::SharedTurn>()
                       : nullptr) {}

CORBA::object_reference<PoaImpl> PoaImpl::make_root(AdapterRegistry& adapters) {
  Policies policies;
  policies.implicit = PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  auto root = CORBA::make_reference<PoaImpl>(adapters, "RootPOA", nullptr, adapters.make_manager(), policies);
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
  const Policies requested = read_policies(policies);
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
  return create_child(name, std::move(used), requested);
}

CORBA::object_reference<PoaImpl> PoaImpl::create_child(const std::string& name,
                                                       CORBA::object_reference<PoaManagerImpl> manager,
                                                       const Policies& policies) {
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  if (children_.count(name) != 0)
    throw AdapterAlreadyExists("the POA '" + name_ + "' has a child '" + name + "' already");
  _add_ref();
  const auto self = CORBA::object_reference<PoaImpl>::adopt(this);
  auto child = CORBA::make_reference<PoaImpl>(adapters_, name, self, std::move(manager), policies);
  if (child->path_.size() > kMaxPathBytes) {
    throw CORBA::IMP_LIMIT(minor::kNameTooLong, CompletionStatus::COMPLETED_NO,
                           "the new POA's path has " + std::to_string(child->path_.size()) +
                               " bytes; the limit is " + std::to_string(kMaxPathBytes));
  }
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

PoaImpl::PoaRef PoaImpl::find_POA(const std::string& name, bool) {
  const std::lock_guard lock(mutex_);
  const auto child = children_.find(name);
  if (child == children_.end())
    throw AdapterNonExistent("the POA '" + name_ + "' has no child '" + name + "'");
  return child->second;
}

PoaImpl::PoaRef PoaImpl::the_parent() { return parent_; }

std::vector<PoaImpl::PoaRef> PoaImpl::the_children() {
  const std::lock_guard lock(mutex_);
  std::vector<PoaRef> list;
  for (const auto& [name, child] : children_) list.push_back(child);
  return list;
}

void PoaImpl::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion && orb::in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CompletionStatus::COMPLETED_NO,
                               "wait_for_completion within an upcall would deadlock");
  }
  std::map<std::string, CORBA::object_reference<PoaImpl>> children;
  std::vector<ObjectSlot*> slots;
  std::unordered_set<ObjectSlot*> reserved;
  {
    const std::lock_guard lock(mutex_);
    if (destroyed_) return;
    destroyed_ = true;
    children.swap(children_);
    for (const auto& [servant, slot] : by_servant_) slots.push_back(slot);
    by_servant_.clear();
    by_id_.clear();
    reserved.swap(reserved_);
  }
  for (auto& [name, child] : children) child->destroy(etherealize_objects, wait_for_completion);
  adapters_.remove(path_);
  for (ObjectSlot* slot : slots) adapters_.objects().deactivate(*slot);
  for (ObjectSlot* slot : reserved) adapters_.objects().unreserve(*slot);
  manager_->wake();  // wakes calls held for the deactivated objects
  while (wait_for_completion &&
         adapters_.objects().calls([&](const ObjectSlot& s) { return s.poa == this; }) != 0) {
    platform::sleep_ms(1);
  }
  if (parent_) {
    const std::lock_guard lock(parent_->mutex_);
    parent_->children_.erase(name_);
  }
}

// ---- policies ----

CORBA::object_reference<CORBA::Policy> PoaImpl::create_lifespan_policy(
    PortableServer::LifespanPolicyValue v) {
  return make_policy(policy_type::kLifespan, v);
}
CORBA::object_reference<CORBA::Policy> PoaImpl::create_id_assignment_policy(
    PortableServer::IdAssignmentPolicyValue v) {
  return make_policy(policy_type::kIdAssignment, v);
}
CORBA::object_reference<CORBA::Policy> PoaImpl::create_id_uniqueness_policy(
    PortableServer::IdUniquenessPolicyValue v) {
  return make_policy(policy_type::kIdUniqueness, v);
}
CORBA::object_reference<CORBA::Policy> PoaImpl::create_implicit_activation_policy(
    PortableServer::ImplicitActivationPolicyValue v) {
  return make_policy(policy_type::kImplicitActivation, v);
}
CORBA::object_reference<CORBA::Policy> PoaImpl::create_thread_policy(PortableServer::ThreadPolicyValue v) {
  return make_policy(policy_type::kThread, v);
}

}  // namespace orbweaver::poa
