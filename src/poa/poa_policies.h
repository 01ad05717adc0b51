#pragma once

#include <orbweaver/poa.h>

#include <optional>

#include "orb/server/request_queue.h"

namespace orbweaver::poa {

/// Policy type numbers (CORBA 3.3 part 1, 15.4).
namespace policy_type {
inline constexpr CORBA::PolicyType kThread = 16;
inline constexpr CORBA::PolicyType kLifespan = 17;
inline constexpr CORBA::PolicyType kIdUniqueness = 18;
inline constexpr CORBA::PolicyType kIdAssignment = 19;
inline constexpr CORBA::PolicyType kImplicitActivation = 20;
}  // namespace policy_type

/// Policies of a POA, with the defaults of the standard (CORBA 3.3 part 1, 15.4).
struct Policies {
  PortableServer::ThreadPolicyValue thread = PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL;
  PortableServer::LifespanPolicyValue lifespan = PortableServer::LifespanPolicyValue::TRANSIENT;
  PortableServer::IdUniquenessPolicyValue uniqueness = PortableServer::IdUniquenessPolicyValue::UNIQUE_ID;
  PortableServer::IdAssignmentPolicyValue assignment = PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  PortableServer::ImplicitActivationPolicyValue implicit =
      PortableServer::ImplicitActivationPolicyValue::NO_IMPLICIT_ACTIVATION;

  /// Whether the object ids are the object keys (AdapterRegistry::corbaloc_poa). Requires PERSISTENT and
  /// USER_ID.
  bool ids_are_keys = false;
  /// Set by a RequestQueuePolicy.
  std::optional<orb::RequestQueue::Limits> queue;

  bool persistent() const noexcept { return lifespan == PortableServer::LifespanPolicyValue::PERSISTENT; }
  bool system_ids() const noexcept {
    return assignment == PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  }
  bool unique() const noexcept { return uniqueness == PortableServer::IdUniquenessPolicyValue::UNIQUE_ID; }
  bool activates_implicitly() const noexcept {
    return implicit == PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  }
};

/// A policy object with one immutable value.
template <class Value>
class ValuePolicy final : public CORBA::Policy {
 public:
  ValuePolicy(CORBA::PolicyType type, Value value) : type_(type), value_(value) {}
  CORBA::PolicyType policy_type() const override { return type_; }
  Value value() const noexcept { return value_; }

 private:
  CORBA::PolicyType type_;
  Value value_;
};

/// Reads a policy list. Raises POA::InvalidPolicy with the index of a policy that is unknown, duplicate or
/// inconsistent (implicit activation requires system ids).
Policies read_policies(const CORBA::PolicyList& list);

}  // namespace orbweaver::poa
