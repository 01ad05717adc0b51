#include "realtime/adapter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "giop/tagged_components.h"
#include "realtime/minor_codes.h"
#include "realtime/thread_pool.h"
#include "realtime/thread_priority.h"

namespace orbweaver::realtime {
namespace {
thread_local std::int16_t priority_of_new_objects = giop::kNoPriority;

/// See Adapter::ceiling.
std::int16_t ceiling_of(const Adapter::Policies& policies) noexcept {
  if (!policies.model) return giop::kNoPriority;
  if (policies.pool != nullptr && policies.pool->settings().has_lanes)
    return policies.pool->settings().lanes.back().lane_priority();
  std::int16_t highest = policies.bands.empty() ? policies.model->server_priority : giop::kNoPriority;
  for (const giop::PriorityRange& band : policies.bands) highest = std::max(highest, band.high);
  return highest;
}

}  // namespace

NewObjectPriority::NewObjectPriority(std::int16_t priority) noexcept { priority_of_new_objects = priority; }
NewObjectPriority::~NewObjectPriority() { priority_of_new_objects = giop::kNoPriority; }
std::int16_t Adapter::new_object_priority() const noexcept { return priority_of_new_objects; }

Adapter::Adapter(Policies policies)
    : policies_(std::move(policies)), ceiling_(ceiling_of(policies_)), uses_pool_(policies_.pool != nullptr) {
}

Adapter::~Adapter() { poa_destroyed(); }  // its creation has failed

void Adapter::poa_destroyed() const noexcept {
  if (uses_pool_.exchange(false)) --policies_.pool->users;
}

orb::LanePool* Adapter::pool() const noexcept { return policies_.pool.get(); }

const char* reason_against(const Adapter::Policies& policies, std::int16_t priority) {
  if (priority < RTCORBA::minPriority) return "is not within 0 to 32767";
  const auto& bands = policies.bands;
  if (!bands.empty() &&
      std::none_of(bands.begin(), bands.end(), [&](const auto& band) { return band.contains(priority); }))
    return "is in none of the bands of the POA";
  if (policies.pool == nullptr || !policies.pool->settings().has_lanes) return nullptr;
  const auto& lanes = policies.pool->settings().lanes;
  const bool has_lane = std::any_of(lanes.begin(), lanes.end(), [&](const RTCORBA::ThreadpoolLane& lane) {
    return lane.lane_priority() == priority;
  });
  return has_lane ? nullptr : "is that of no lane of the thread pool";
}

void Adapter::check_priority(std::int16_t priority) const {
  const char* const against = reason_against(policies_, priority);
  if (against == nullptr) return;
  throw CORBA::BAD_PARAM(minor::kBadPriority, CORBA::CompletionStatus::COMPLETED_NO,
                         "the priority " + std::to_string(priority) + " " + against);
}

std::int16_t Adapter::own_priority(std::int16_t object_priority) const noexcept {
  if (object_priority != giop::kNoPriority) return object_priority;
  if (policies_.model) return policies_.model->server_priority;
  return policies_.pool->settings().lanes.front().lane_priority();
}

void Adapter::add_component(giop::Ior& ior, std::int16_t object_priority) const {
  if (!policies_.model) return;
  std::vector<giop::PolicyValue> published = {
      {giop::policy_type::kPriorityModel,
       giop::encode_priority_model({policies_.model->client_propagated, own_priority(object_priority)})}};
  if (!policies_.bands.empty()) {
    published.push_back(
        {giop::policy_type::kPriorityBandedConnection, giop::encode_priority_bands(policies_.bands)});
  }
  const giop::TaggedData component{giop::component_tag::kPolicies, giop::encode_policies(published)};
  for (giop::TaggedData& tagged : ior.profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile) continue;
    profile->components.push_back(component);
    tagged.data = giop::encode_iiop_profile(*profile);
  }
}

std::int16_t Adapter::priority_of(const giop::ServiceContexts& contexts,
                                  std::int16_t object_priority) const noexcept {
  if (policies_.model && policies_.model->client_propagated) {
    if (const auto data = contexts.find(giop::context_id::kRtPriority)) {
      if (const auto priority = giop::decode_priority(*data)) return std::min(*priority, ceiling_);
    }
  }
  return own_priority(object_priority);
}

void Adapter::begin(const giop::ServiceContexts& contexts, std::int16_t object_priority,
                    Execution& execution) const {
  execution.priority_before = thread_priority();
  const auto set_priority = [&](std::int16_t priority) {
    if (policies_.model) set_request_priority(priority);
    execution.restored_before = orb::exchange_priority_to_restore({});
  };
  if (policies_.model && policies_.model->client_propagated) {
    if (const auto data = contexts.find(giop::context_id::kRtPriority)) {
      const auto priority = giop::decode_priority(*data);
      if (!priority) {
        throw CORBA::MARSHAL(minor::kMalformedPriority, CORBA::CompletionStatus::COMPLETED_NO,
                             "malformed service context RTCorbaPriority");
      }
      execution.replied_priority = *priority;
      return set_priority(std::min(*priority, ceiling_));
    }
  }
  set_priority(own_priority(object_priority));
}

void Adapter::end(const Execution& execution) const noexcept {
  restore_thread_priority(execution.priority_before);
  (void)orb::exchange_priority_to_restore(execution.restored_before);  // of a servant, which has ended
}

void Adapter::bind_band(const giop::ServiceContexts& contexts, std::int16_t object_priority,
                        bool owns_thread) const {
  const auto data = contexts.find(giop::context_id::kRtPriorityRange);
  const auto band = data ? giop::decode_priority_range(*data) : std::nullopt;
  if (!band) {
    throw CORBA::MARSHAL(minor::kMalformedPriority, CORBA::CompletionStatus::COMPLETED_NO,
                         "_bind_priority_band without a valid service context RTCorbaPriorityRange");
  }
  // The server's own bands only: any peer that is admitted sends what it likes.
  const auto& own = policies_.bands;
  if (!owns_thread || !policies_.model || std::find(own.begin(), own.end(), *band) == own.end()) return;
  // No request of the connection then waits for a thread of a lower priority than its own.
  set_orb_thread_priority(policies_.model->client_propagated ? std::min(band->high, ceiling_)
                                                             : own_priority(object_priority));
}

std::optional<std::vector<std::uint8_t>> published_policy(const giop::Ior& ior, CORBA::PolicyType type) {
  for (const giop::TaggedData& tagged : ior.profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    const auto profile = giop::decode_iiop_profile(tagged.data);
    if (!profile) continue;
    const giop::TaggedData* const component = giop::find(profile->components, giop::component_tag::kPolicies);
    if (component == nullptr) continue;
    const auto policies = giop::decode_policies(component->data);
    if (!policies) continue;
    for (const giop::PolicyValue& policy : *policies) {
      if (policy.type == type) return policy.value;
    }
  }
  return std::nullopt;
}

}  // namespace orbweaver::realtime
