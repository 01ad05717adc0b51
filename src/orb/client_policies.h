#pragma once

#include <orbweaver/policy.h>

#include <memory>
#include <mutex>

namespace orbweaver::orb {

/// The policies that a client sets, of an ORB or of one reference: at most one of each kind. A value.
class ClientPolicies {
 public:
  /// With the list in place of all, or added to those that are set. Raises InvalidPolicies.
  ClientPolicies with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) const;
  /// Those of the types; all for none.
  CORBA::PolicyList of(const CORBA::PolicyTypeSeq& types) const;
  /// The transports of the preference; null where there is none.
  const std::vector<std::string>* transports() const noexcept { return preference_ ? &preference_->transports() : nullptr; }

 private:
  CORBA::object_reference<TransportPreferencePolicy> preference_;
};

/// An ORB's.
class PolicyManagerImpl final : public CORBA::PolicyManager {
 public:
  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override;
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override;
  ClientPolicies policies() const;

 private:
  mutable std::mutex mutex_;
  ClientPolicies policies_;
};

}  // namespace orbweaver::orb
