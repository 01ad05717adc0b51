#pragma once

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <map>
#include <mutex>

#include "orb/policy/call_policies.h"

namespace orbweaver::orb {

struct Options;

/// Creates a client policy of `type` from `value`. Raises PolicyError.
CORBA::object_reference<CORBA::Policy> make_client_policy(CORBA::PolicyType type, const CORBA::Any& value);
/// Default policy of a type: nil if there is none. Raises INV_POLICY for other types.
CORBA::object_reference<CORBA::Policy> default_client_policy(CORBA::PolicyType type, const Options& options);

/// Client policies of an ORB, a thread or a reference, at most one of each type. A value.
class ClientPolicies {
 public:
  using Policy = CORBA::object_reference<CORBA::Policy>;

  /// Returns a copy with `policies` replacing all (SET_OVERRIDE) or added (ADD_OVERRIDE). Raises
  /// InvalidPolicies, also for a TransportPreference unless `allows_transport_preference`.
  ClientPolicies with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how,
                      bool allows_transport_preference = true) const;
  /// Policies of the given types; all if `types` is empty.
  CORBA::PolicyList list(const CORBA::PolicyTypeSeq& types) const;
  /// The policy of `type`; nil if not set.
  Policy find(CORBA::PolicyType type) const;
  /// Transport names of the TransportPreference policy; null if not set. Valid while this object is.
  const std::vector<std::string>* transports() const noexcept { return transports_; }
  const CallPolicies& call_policies() const noexcept { return call_policies_; }

 private:
  bool add(const Policy& policy);

  std::map<CORBA::PolicyType, Policy> set_;
  const std::vector<std::string>* transports_ = nullptr;  // owned by the policy in set_
  CallPolicies call_policies_;
};

/// Policies of an ORB (CORBA::PolicyManager). Thread-safe.
class PolicyManagerImpl final : public CORBA::PolicyManager {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  ClientPolicies policies() const;
  CallPolicies call_policies() const;

 private:
  mutable std::mutex mutex_;
  ClientPolicies policies_;
};

/// Policies of the calling thread for one ORB (CORBA::PolicyCurrent).
class PolicyCurrentImpl final : public CORBA::PolicyCurrent {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  /// The policies of the calling thread; the reference is valid until the thread sets others.
  const ClientPolicies& policies() const;

 private:
  static std::uint64_t next_number() noexcept;
  const std::uint64_t number_ = next_number();  // not the address: a later object may have the same
};

}  // namespace orbweaver::orb
