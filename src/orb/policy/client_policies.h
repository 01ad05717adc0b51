#pragma once

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

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

  /// What has the policies. Threads have no policies of connections, and ORBs no bands.
  enum class Place : std::uint8_t { reference, orb, thread };
  /// Returns a copy with `policies` replacing all (SET_OVERRIDE) or added (ADD_OVERRIDE). Raises
  /// InvalidPolicies, also for a policy that `place` does not have.
  ClientPolicies with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how,
                      Place place = Place::reference) const;
  /// Policies of the given types; all if `types` is empty.
  CORBA::PolicyList list(const CORBA::PolicyTypeSeq& types) const;
  /// The policy of `type`; nil if not set.
  Policy find(CORBA::PolicyType type) const;
  /// Transport names of the TransportPreference policy; null if not set. Valid while this object is.
  const std::vector<std::string>* transports() const noexcept { return transports_; }
  const CallPolicies& call_policies() const noexcept { return call_policies_; }
  /// Whether the BidirectionalPolicy is BOTH; not set: there is none.
  std::optional<bool> bidirectional() const noexcept { return bidirectional_; }
  /// Whether there is a PrivateConnectionPolicy.
  bool has_private_connection() const noexcept { return private_connection_; }

 private:
  bool add(const Policy& policy);

  std::map<CORBA::PolicyType, Policy> set_;
  const std::vector<std::string>* transports_ = nullptr;  // owned by the policy in set_
  CallPolicies call_policies_;
  std::optional<bool> bidirectional_;
  bool private_connection_ = false;
};

/// Policies of an ORB (CORBA::PolicyManager). Thread-safe.
class PolicyManagerImpl final : public CORBA::PolicyManager {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  ClientPolicies policies() const;
  CallPolicies call_policies() const;
  /// Whether the ORB has a BidirectionalPolicy with BOTH. Lock-free.
  bool is_bidirectional() const noexcept { return bidirectional_.load(std::memory_order_relaxed); }
  /// Whether the ORB has a PrivateConnectionPolicy. Lock-free.
  bool has_private_connections() const noexcept {
    return private_connections_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> bidirectional_{false};
  std::atomic<bool> private_connections_{false};
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
