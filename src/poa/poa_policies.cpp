#include "poa/poa_policies.h"

#include <orbweaver/request_queue.h>

#include <set>
#include <string>

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

template <class Value>
bool take(const CORBA::Policy& policy, Value& value) {
  const auto* known = dynamic_cast<const ValuePolicy<Value>*>(&policy);
  if (known != nullptr) value = known->value();
  return known != nullptr;
}

}  // namespace

Policies read_policies(const CORBA::PolicyList& list) {
  using PortableServer::POA;
  Policies p;
  std::set<CORBA::PolicyType> seen;
  std::uint16_t implicit_at = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    const auto reject = [&](const std::string& why) {
      throw POA::InvalidPolicy(index, "policy " + std::to_string(index) + " of create_POA " + why);
    };
    if (!list[i]) reject("is nil");
    if (!seen.insert(list[i]->policy_type()).second) reject("is of the same type as an earlier one");
    const CORBA::Policy& policy = *list[i];
    if (take(policy, p.implicit)) {
      implicit_at = index;
      continue;
    }
    if (const auto* queue = dynamic_cast<const RequestQueuePolicy*>(&policy); queue != nullptr) {
      p.queue = {queue->max_requests(), queue->max_bytes()};
      continue;
    }
    if (!take(policy, p.thread) && !take(policy, p.lifespan) && !take(policy, p.uniqueness) &&
        !take(policy, p.assignment)) {
      reject("is not supported: type " + std::to_string(policy.policy_type()));
    }
  }
  if (p.activates_implicitly() && !p.system_ids())
    throw POA::InvalidPolicy(implicit_at, "IMPLICIT_ACTIVATION requires SYSTEM_ID");
  return p;
}

}  // namespace orbweaver::poa
