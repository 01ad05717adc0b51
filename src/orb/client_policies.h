#pragma once

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <map>
#include <mutex>

#include "orb/call_policies.h"

namespace orbweaver::orb {

struct Options;

/// A policy of one of the kinds that clients set, from the value in the any. Raises PolicyError.
CORBA::object_reference<CORBA::Policy> make_client_policy(CORBA::PolicyType type, const CORBA::Any& value);
/// What holds for that kind where nobody has set one: nil where that is nothing. Raises INV_POLICY for other kinds.
CORBA::object_reference<CORBA::Policy> default_client_policy(CORBA::PolicyType type, const Options& options);

/// The policies that a client sets, of an ORB, of a thread, or of one reference: at most one of each kind. A value.
class ClientPolicies {
 public:
  using Policy = CORBA::object_reference<CORBA::Policy>;

  /// With the list in place of all, or added to those that are set. Raises InvalidPolicies; where not `of_roads`,
  /// for a TransportPreference, too.
  ClientPolicies with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how, bool of_roads = true) const;
  /// Those of the types; all for none.
  CORBA::PolicyList of(const CORBA::PolicyTypeSeq& types) const;
  /// Nil where there is none.
  Policy find(CORBA::PolicyType type) const;
  /// The transports of the preference; null where there is none.
  const std::vector<std::string>* transports() const noexcept { return transports_; }
  const CallPolicies& of_calls() const noexcept { return of_calls_; }

 private:
  bool take(const Policy& policy);

  std::map<CORBA::PolicyType, Policy> set_;
  const std::vector<std::string>* transports_ = nullptr;  // the policy's, which is in set_
  CallPolicies of_calls_;
};

/// An ORB's.
class PolicyManagerImpl final : public CORBA::PolicyManager {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  ClientPolicies policies() const;
  CallPolicies of_calls() const;

 private:
  mutable std::mutex mutex_;
  ClientPolicies policies_;
};

/// The calling thread's, of one ORB.
class PolicyCurrentImpl final : public CORBA::PolicyCurrent {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  /// Until the thread sets others.
  const ClientPolicies& policies() const;

 private:
  static std::uint64_t next_number() noexcept;
  const std::uint64_t number_ = next_number();  // an address may be another one's later
};

}  // namespace orbweaver::orb
