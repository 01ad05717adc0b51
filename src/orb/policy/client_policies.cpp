#include "orb/policy/client_policies.h"

#include <orbweaver/bidirpolicy.h>
#include <orbweaver/timebase.h>

#include <algorithm>

#include "giop/priorities.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/options.h"

namespace orbweaver::orb {
namespace {

/// A policy of connections, by its type; null: another one.
const char* connection_policy(CORBA::PolicyType type) noexcept {
  switch (type) {
    case TRANSPORT_PREFERENCE_POLICY_TYPE: return "a TransportPreferencePolicy";
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE: return "a BidirectionalPolicy";
    case giop::policy_type::kPrivateConnection: return "a PrivateConnectionPolicy";
    case giop::policy_type::kPriorityBandedConnection: return "a PriorityBandedConnectionPolicy";
    default: return nullptr;
  }
}

/// Why `place` has no policy of the type; null: it may have one.
const char* reason_against(CORBA::PolicyType type, ClientPolicies::Place place) noexcept {
  if (place == ClientPolicies::Place::reference || connection_policy(type) == nullptr) return nullptr;
  if (type == giop::policy_type::kPriorityBandedConnection) return ", which only references have";
  return place == ClientPolicies::Place::thread ? ", which only references and ORBs have" : nullptr;
}

}  // namespace

ClientPolicies ClientPolicies::with(const CORBA::PolicyList& policies, CORBA::SetOverrideType how,
                                    Place place) const {
  ClientPolicies changed;
  std::vector<std::uint16_t> bad;
  std::string why;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Policy& policy = policies[i];
    const char* const against = policy ? reason_against(policy->policy_type(), place) : nullptr;
    const bool repeated = policy && changed.find(policy->policy_type());
    if (against == nullptr && changed.add(policy)) continue;
    bad.push_back(static_cast<std::uint16_t>(i));
    why += (why.empty() ? "policy " : "; policy ") + std::to_string(i) + " is ";
    if (!policy) {
      why += "nil";
    } else if (against != nullptr) {
      why += std::string(connection_policy(policy->policy_type())) + against;
    } else {
      why += repeated ? "of the same type as an earlier one: " : "no client policy: ";
      why += "type " + std::to_string(policy->policy_type());
    }
  }
  if (!bad.empty()) throw CORBA::InvalidPolicies(std::move(bad), std::move(why));
  if (how == CORBA::SetOverrideType::ADD_OVERRIDE) {
    for (const auto& [type, policy] : set_) changed.add(policy);  // except those in the list
  }
  if (!changed.call_policies_.empty()) call_policies_in_use.store(true, std::memory_order_relaxed);
  return changed;
}

/// Adds a policy. Returns false if it is not a client policy or its type is already set.
bool ClientPolicies::add(const Policy& policy) {
  constexpr std::int64_t kMax = INT64_MAX / 4;  // beyond any deadline; keeps additions from overflow
  const auto ns = [&](TimeBase::TimeT units) {
    return units > static_cast<TimeBase::TimeT>(kMax / 100) ? kMax : static_cast<std::int64_t>(units * 100);
  };
  if (!policy || set_.count(policy->policy_type()) != 0) return false;
  if (const auto preference = IDL::traits<TransportPreferencePolicy>::narrow(policy)) {
    transports_ = &preference->transports();
  } else if (const auto roundtrip = IDL::traits<Messaging::RelativeRoundtripTimeoutPolicy>::narrow(policy)) {
    call_policies_.roundtrip_ns = ns(roundtrip->relative_expiry());
  } else if (const auto request = IDL::traits<Messaging::RelativeRequestTimeoutPolicy>::narrow(policy)) {
    call_policies_.request_ns = ns(request->relative_expiry());
  } else if (const auto reply_end = IDL::traits<Messaging::ReplyEndTimePolicy>::narrow(policy)) {
    call_policies_.reply_end = reply_end->end_time().time();
  } else if (const auto request_end = IDL::traits<Messaging::RequestEndTimePolicy>::narrow(policy)) {
    call_policies_.request_end = request_end->end_time().time();
  } else if (const auto scope = IDL::traits<Messaging::SyncScopePolicy>::narrow(policy)) {
    call_policies_.scope = static_cast<SyncScope>(scope->synchronization());
  } else if (const auto rebind = IDL::traits<Messaging::RebindPolicy>::narrow(policy)) {
    call_policies_.rebind = static_cast<Rebind>(rebind->rebind_mode());
  } else if (const auto full = IDL::traits<OneWayQueueFullPolicy>::narrow(policy)) {
    call_policies_.raises_if_full = full->when_full() == WhenOneWayQueueFull::raise_transient;
  } else if (const auto both = IDL::traits<BiDirPolicy::BidirectionalPolicy>::narrow(policy)) {
    bidirectional_ = both->value() == BiDirPolicy::BOTH;
  } else if (policy->policy_type() == giop::policy_type::kPrivateConnection) {
    private_connection_ = true;
  } else if (policy->policy_type() != giop::policy_type::kPriorityBandedConnection &&
             !is_program_policy(policy->policy_type())) {
    return false;
  }
  set_.emplace(policy->policy_type(), policy);
  return true;
}

CORBA::PolicyList ClientPolicies::list(const CORBA::PolicyTypeSeq& types) const {
  CORBA::PolicyList list;
  for (const auto& [type, policy] : set_) {
    if (types.empty() || std::find(types.begin(), types.end(), type) != types.end()) list.push_back(policy);
  }
  return list;
}

ClientPolicies::Policy ClientPolicies::find(CORBA::PolicyType type) const {
  const auto found = set_.find(type);
  return found == set_.end() ? Policy() : found->second;
}

CORBA::PolicyList PolicyManagerImpl::get_policy_overrides(const CORBA::PolicyTypeSeq& types) {
  return policies().list(types);
}

void PolicyManagerImpl::set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) {
  const std::lock_guard lock(mutex_);
  policies_ = policies_.with(policies, how, ClientPolicies::Place::orb);
  private_connections_.store(policies_.has_private_connection(), std::memory_order_relaxed);
  bidirectional_.store(policies_.bidirectional().value_or(false), std::memory_order_relaxed);
}

ClientPolicies PolicyManagerImpl::policies() const {
  const std::lock_guard lock(mutex_);
  return policies_;
}

CallPolicies PolicyManagerImpl::call_policies() const {
  const std::lock_guard lock(mutex_);
  return policies_.call_policies();
}

namespace {
thread_local std::map<std::uint64_t, ClientPolicies> policies_of_this_thread;  // by number_
}

std::uint64_t PolicyCurrentImpl::next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

const ClientPolicies& PolicyCurrentImpl::policies() const {
  // Never destroyed: threads of an ORB may use it while the program exits.
  static const ClientPolicies& none = *new ClientPolicies;
  const auto found = policies_of_this_thread.find(number_);
  return found == policies_of_this_thread.end() ? none : found->second;
}

CORBA::PolicyList PolicyCurrentImpl::get_policy_overrides(const CORBA::PolicyTypeSeq& types) {
  return policies().list(types);
}

void PolicyCurrentImpl::set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) {
  ClientPolicies changed = this->policies().with(policies, how, ClientPolicies::Place::thread);
  if (changed.list({}).empty()) {
    policies_of_this_thread.erase(number_);
  } else {
    policies_of_this_thread[number_] = std::move(changed);
  }
}

}  // namespace orbweaver::orb
