#pragma once

#include <orbweaver/poa.h>

#include <optional>

#include "orb/core.h"
#include "orb/real_time.h"
#include "orb/server/request_queue.h"

namespace orbweaver::poa {

/// Policy type numbers (CORBA 3.3 part 1, 15.4).
namespace policy_type {
inline constexpr CORBA::PolicyType kThread = 16;
inline constexpr CORBA::PolicyType kLifespan = 17;
inline constexpr CORBA::PolicyType kIdUniqueness = 18;
inline constexpr CORBA::PolicyType kIdAssignment = 19;
inline constexpr CORBA::PolicyType kImplicitActivation = 20;
inline constexpr CORBA::PolicyType kServantRetention = 21;
inline constexpr CORBA::PolicyType kRequestProcessing = 22;
}  // namespace policy_type

/// Policies of a POA, with the defaults of the standard (CORBA 3.3 part 1, 15.4).
struct Policies {
  PortableServer::ThreadPolicyValue thread = PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL;
  PortableServer::LifespanPolicyValue lifespan = PortableServer::LifespanPolicyValue::TRANSIENT;
  PortableServer::IdUniquenessPolicyValue uniqueness = PortableServer::IdUniquenessPolicyValue::UNIQUE_ID;
  PortableServer::IdAssignmentPolicyValue assignment = PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  PortableServer::ImplicitActivationPolicyValue implicit =
      PortableServer::ImplicitActivationPolicyValue::NO_IMPLICIT_ACTIVATION;
  PortableServer::ServantRetentionPolicyValue retention = PortableServer::ServantRetentionPolicyValue::RETAIN;
  PortableServer::RequestProcessingPolicyValue processing =
      PortableServer::RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY;

  /// Whether the object ids are the object keys (AdapterRegistry::corbaloc_poa). Requires PERSISTENT and
  /// USER_ID.
  bool ids_are_keys = false;
  /// BidirectionalPolicy with BOTH (CORBA 3.3 part 2, 9.9).
  bool bidirectional = false;
  /// Set by a RequestQueuePolicy.
  std::optional<orb::RequestQueue::Limits> queue;
  /// Null: there are no policies of Real-time CORBA.
  std::shared_ptr<const orb::RealTimeAdapter> real_time;

  bool persistent() const noexcept { return lifespan == PortableServer::LifespanPolicyValue::PERSISTENT; }
  bool system_ids() const noexcept {
    return assignment == PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  }
  bool unique() const noexcept { return uniqueness == PortableServer::IdUniquenessPolicyValue::UNIQUE_ID; }
  bool activates_implicitly() const noexcept {
    return implicit == PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  }
  bool retains() const noexcept { return retention == PortableServer::ServantRetentionPolicyValue::RETAIN; }
  bool map_only() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY;
  }
  bool default_servant() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT;
  }
  bool servant_manager() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER;
  }
  bool activator() const noexcept { return servant_manager() && retains(); }
  bool locator() const noexcept { return servant_manager() && !retains(); }
  bool main_thread() const noexcept { return thread == PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL; }
};

/// A policy object of one of the types of orbweaver/poa_policies.h, with one immutable value.
template <class Type, class Value>
class ValuePolicy final : public Type {
 public:
  ValuePolicy(CORBA::PolicyType type, Value value) : type_(type), value_(value) {}
  CORBA::PolicyType policy_type() const override { return type_; }
  Value value() const noexcept override { return value_; }

 private:
  CORBA::PolicyType type_;
  Value value_;
};

/// Reads a policy list. Raises POA::InvalidPolicy with the index of a policy that is unknown, duplicate or
/// inconsistent with others (CORBA 3.3 part 1, 15.3.8), the last of those in conflict.
Policies read_policies(const CORBA::PolicyList& list, const orb::Core& core);

}  // namespace orbweaver::poa
