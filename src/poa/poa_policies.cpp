#include "poa/poa_policies.h"

#include <orbweaver/bidirpolicy.h>
#include <orbweaver/request_queue.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "orb/interception.h"
#include "orb/minor_codes.h"

namespace orbweaver {
namespace {

class RequestQueuePolicyImpl final : public RequestQueuePolicy {
 public:
  RequestQueuePolicyImpl(std::size_t max_requests, std::size_t max_bytes)
      : max_requests_(max_requests), max_bytes_(max_bytes) {}
  CORBA::PolicyType policy_type() const override { return REQUEST_QUEUE_POLICY_TYPE; }
  std::size_t max_requests() const noexcept override { return max_requests_; }
  std::size_t max_bytes() const noexcept override { return max_bytes_; }

 private:
  const std::size_t max_requests_, max_bytes_;
};

void check(const char* name, std::size_t value, std::size_t limit) {
  if (value >= 1 && value <= limit) return;
  throw CORBA::BAD_PARAM(minor::kBadOption, CORBA::CompletionStatus::COMPLETED_NO,
                         std::string("make_request_queue_policy: ") + name + " takes 1 to " +
                             std::to_string(limit) + ", not " + std::to_string(value));
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_request_queue_policy(std::size_t max_requests,
                                                                 std::size_t max_bytes) {
  check("max_requests", max_requests, kMaxQueuedRequests);
  check("max_bytes", max_bytes, kMaxQueuedBytes);
  return CORBA::make_reference<RequestQueuePolicyImpl>(max_requests, max_bytes);
}

}  // namespace orbweaver

namespace orbweaver::poa {
namespace {

using PortableServer::POA;

template <class Type, class Value>
bool take(const CORBA::Policy& policy, Value& value) {
  const auto* known = dynamic_cast<const Type*>(&policy);
  if (known != nullptr) value = known->value();
  return known != nullptr;
}

/// Whether a POA has the policies of this type of Real-time CORBA.
bool is_real_time(CORBA::PolicyType type) noexcept {
  namespace types = giop::policy_type;
  return type == types::kPriorityModel || type == types::kThreadpool ||
         type == types::kPriorityBandedConnection;
}

/// A policy that its POA needs to have with another one, or that excludes another one.
struct Rule {
  bool is_violated;
  CORBA::PolicyType one, other;
  const char* text;
};

/// The rules of CORBA 3.3 part 1, 15.3.8, and those of this ORB's policies.
std::vector<Rule> rules(const Policies& p, bool single_threaded) {
  using namespace policy_type;
  constexpr CORBA::PolicyType kQueue = REQUEST_QUEUE_POLICY_TYPE;
  constexpr CORBA::PolicyType kPool = giop::policy_type::kThreadpool;
  const bool has_pool = p.real_time != nullptr && p.real_time->pool() != nullptr;
  return {
      {p.activates_implicitly() && !p.system_ids(), kImplicitActivation, kIdAssignment,
       "IMPLICIT_ACTIVATION requires SYSTEM_ID"},
      {p.activates_implicitly() && !p.retains(), kImplicitActivation, kServantRetention,
       "IMPLICIT_ACTIVATION requires RETAIN"},
      {p.map_only() && !p.retains(), kServantRetention, kRequestProcessing,
       "NON_RETAIN requires USE_DEFAULT_SERVANT or USE_SERVANT_MANAGER"},
      {p.default_servant() && p.unique(), kRequestProcessing, kIdUniqueness,
       "USE_DEFAULT_SERVANT requires MULTIPLE_ID"},
      {p.queue && !p.map_only(), kQueue, kRequestProcessing,
       "a request queue requires USE_ACTIVE_OBJECT_MAP_ONLY"},
      {has_pool && !p.map_only(), kPool, kRequestProcessing,
       "a thread pool requires USE_ACTIVE_OBJECT_MAP_ONLY"},
      {has_pool && p.queue, kPool, kQueue, "a POA has a request queue or a thread pool, not both"},
      {has_pool && p.main_thread(), kPool, kThread, "MAIN_THREAD_MODEL excludes a thread pool"},
      {p.main_thread() && !single_threaded, kThread, kThread,
       "MAIN_THREAD_MODEL requires -ORBThreads single, with which the thread of ORB::run serves all "
       "requests"},
  };
}

}  // namespace

Policies read_policies(const CORBA::PolicyList& list, const orb::Core& core) {
  namespace ps = PortableServer;
  const bool single_threaded = core.options().threads == orb::Options::Threads::single;
  bool is_real_time_adapter = false;
  Policies p;
  std::map<CORBA::PolicyType, std::uint16_t> at;  // index of each type
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    const auto reject = [&](const std::string& why) {
      throw POA::InvalidPolicy(index, "policy " + std::to_string(index) + " of create_POA " + why);
    };
    if (!list[i]) reject("is nil");
    const CORBA::Policy& policy = *list[i];
    if (!at.emplace(policy.policy_type(), index).second) reject("is of the same type as an earlier one");
    if (const auto* queue = dynamic_cast<const RequestQueuePolicy*>(&policy); queue != nullptr) {
      p.queue = {queue->max_requests(), queue->max_bytes()};
      continue;
    }
    if (const auto* both = dynamic_cast<const BiDirPolicy::BidirectionalPolicy*>(&policy); both != nullptr) {
      p.bidirectional = both->value() == BiDirPolicy::BOTH;
      continue;
    }
    if (core.real_time() != nullptr && is_real_time(policy.policy_type())) {
      is_real_time_adapter = true;
      continue;
    }
    if (orb::is_program_policy(policy.policy_type())) continue;  // for interceptors
    if (!take<ps::ThreadPolicy>(policy, p.thread) && !take<ps::LifespanPolicy>(policy, p.lifespan) &&
        !take<ps::IdUniquenessPolicy>(policy, p.uniqueness) &&
        !take<ps::IdAssignmentPolicy>(policy, p.assignment) &&
        !take<ps::ImplicitActivationPolicy>(policy, p.implicit) &&
        !take<ps::ServantRetentionPolicy>(policy, p.retention) &&
        !take<ps::RequestProcessingPolicy>(policy, p.processing)) {
      reject("is not supported: type " + std::to_string(policy.policy_type()));
    }
  }
  if (is_real_time_adapter) p.real_time = core.real_time()->make_adapter(list);
  for (const Rule& rule : rules(p, single_threaded)) {
    if (!rule.is_violated) continue;
    // One of them is in the list: the defaults fit each other.
    std::uint16_t index = 0;
    for (const CORBA::PolicyType type : {rule.one, rule.other}) {
      if (const auto found = at.find(type); found != at.end()) index = std::max(index, found->second);
    }
    throw POA::InvalidPolicy(index, rule.text);
  }
  return p;
}

}  // namespace orbweaver::poa
