#include "realtime/rt_orb.h"

#include <orbweaver/poa.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/catch_and_log.h"
#include "realtime/adapter.h"
#include "realtime/bands.h"
#include "realtime/minor_codes.h"
#include "realtime/policies.h"
#include "realtime/thread_pool.h"

namespace orbweaver::realtime {

using CORBA::CompletionStatus;
using PortableServer::POA;

std::shared_ptr<OrbRealTime> OrbRealTime::of(orb::Core& core) {
  return std::static_pointer_cast<OrbRealTime>(core.set_real_time(std::make_shared<OrbRealTime>(core)));
}

orb::ReferenceBands& OrbRealTime::bands_of(Reference& target) {
  if (orb::ReferenceBands* const known = target.bands()) return *known;
  Bands& made = Bands::of(target);
  if (target.set_bands(made)) return made;
  made.release();
  return *target.bands();
}

Reference& OrbRealTime::select(Reference& target) { return bands_of(target).select(target); }

void OrbRealTime::reconnect(Reference& target) { bands_of(target).reconnect(target); }

std::vector<CORBA::object_reference<Reference>> OrbRealTime::band_references(Reference& target) {
  orb::ReferenceBands* const bands = target.bands();
  if (bands == nullptr) return {};
  return bands->references();
}

std::int16_t OrbRealTime::priority_for(const Reference& target) {
  const auto& endpoints = target.endpoints();
  const bool may_propagate =
      target.is_forwarded() || std::any_of(endpoints.begin(), endpoints.end(), [](const Endpoint& endpoint) {
        return endpoint.propagates_priority;
      });
  return may_propagate ? calling_priority() : giop::kNoPriority;
}

CORBA::object_reference<CORBA::Policy> OrbRealTime::published_policy(const Reference& target,
                                                                     CORBA::PolicyType type) {
  const bool is_published =
      type == RTCORBA::PRIORITY_MODEL_POLICY_TYPE || type == RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE;
  const auto value = is_published ? realtime::published_policy(target.ior(), type) : std::nullopt;
  if (!value) return nullptr;
  if (type == RTCORBA::PRIORITY_MODEL_POLICY_TYPE) {
    const auto model = giop::decode_priority_model(*value);
    if (!model) return nullptr;
    return CORBA::make_reference<PriorityModelPolicyImpl>(model->client_propagated
                                                              ? RTCORBA::PriorityModel::CLIENT_PROPAGATED
                                                              : RTCORBA::PriorityModel::SERVER_DECLARED,
                                                          model->server_priority);
  }
  const auto ranges = giop::decode_priority_bands(*value);
  if (!ranges) return nullptr;
  RTCORBA::PriorityBands bands;
  for (const giop::PriorityRange& range : *ranges) bands.emplace_back(range.low, range.high);
  return CORBA::make_reference<PriorityBandedConnectionPolicyImpl>(std::move(bands));
}

std::shared_ptr<orb::RealTimeAdapter> OrbRealTime::make_adapter(const CORBA::PolicyList& policies) {
  Adapter::Policies read;
  struct EndUse {
    void operator()(ThreadPool* pool) const noexcept { --pool->users; }
  };
  std::unique_ptr<ThreadPool, EndUse> use;  // until the adapter has it
  std::uint16_t model_at = 0, pool_at = 0, bands_at = 0;
  const auto reject = [](std::uint16_t index, const std::string& why) {
    throw POA::InvalidPolicy(index, "policy " + std::to_string(index) + " of create_POA: " + why);
  };
  for (std::uint16_t index = 0; index < policies.size(); ++index) {
    const auto& policy = policies[index];
    const CORBA::PolicyType type = policy->policy_type();
    if (type != RTCORBA::PRIORITY_MODEL_POLICY_TYPE && type != RTCORBA::THREADPOOL_POLICY_TYPE &&
        type != RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE)
      continue;
    if (const auto model = IDL::traits<RTCORBA::PriorityModelPolicy>::narrow(policy)) {
      read.model = {model->priority_model() == RTCORBA::PriorityModel::CLIENT_PROPAGATED,
                    model->server_priority()};
      model_at = index;
    } else if (const auto pool = IDL::traits<RTCORBA::ThreadpoolPolicy>::narrow(policy)) {
      read.pool = use_pool(pool->threadpool());
      use.reset(read.pool.get());
      pool_at = index;
      if (read.pool == nullptr)
        reject(index, "there is no thread pool " + std::to_string(pool->threadpool()));
    } else if (const auto bands = IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::narrow(policy)) {
      read.bands = to_ranges(bands->priority_bands());
      bands_at = index;
    } else {
      reject(index, "not a policy of Real-time CORBA, although its type is");
    }
  }
  if (!read.bands.empty() && !read.model) reject(bands_at, "bands need a PriorityModelPolicy");
  if (!read.model) {
    if (read.pool->settings().has_lanes) reject(pool_at, "a pool with lanes needs a PriorityModelPolicy");
  } else if (!read.model->client_propagated) {
    if (const char* const against = reason_against(read, read.model->server_priority))
      reject(model_at, "the priority " + std::to_string(read.model->server_priority) + " " + against);
  }
  auto adapter = std::make_shared<Adapter>(std::move(read));
  (void)use.release();
  return adapter;
}

RTCORBA::ThreadpoolId OrbRealTime::add(ThreadPool::Settings settings) {
  core_.check_running();
  const auto pool = std::make_shared<ThreadPool>(std::move(settings), core_.options(),
                                                 core_.endpoints().request_queues().shared_from_this());
  pool->start();
  const std::lock_guard lock(mutex_);
  pools_.emplace(++last_id_, pool);
  return last_id_;
}

std::shared_ptr<ThreadPool> OrbRealTime::use_pool(RTCORBA::ThreadpoolId id) {
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(id);
  if (found == pools_.end()) return nullptr;
  ++found->second->users;
  return found->second;
}

void OrbRealTime::remove(RTCORBA::ThreadpoolId id) {
  std::shared_ptr<ThreadPool> removed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pools_.find(id);
    if (found == pools_.end())
      throw RTCORBA::RTORB::InvalidThreadpool("there is no thread pool " + std::to_string(id));
    if (found->second->users != 0) {
      throw CORBA::BAD_INV_ORDER(minor::kPoolInUse, CompletionStatus::COMPLETED_NO,
                                 "a POA uses the thread pool " + std::to_string(id));
    }
    removed_.push_back(found->second);
    removed = std::move(found->second);
    pools_.erase(found);
  }
  removed->stop();
  const std::lock_guard lock(mutex_);
  std::erase_if(removed_, [](const auto& pool) { return pool->has_ended(); });
}

bool OrbRealTime::is_idle() noexcept {
  const std::lock_guard lock(mutex_);
  return std::all_of(pools_.begin(), pools_.end(), [](const auto& pool) { return pool.second->is_idle(); }) &&
         std::all_of(removed_.begin(), removed_.end(), [](const auto& pool) { return pool->is_idle(); });
}

void OrbRealTime::stop() noexcept {
  std::map<RTCORBA::ThreadpoolId, std::shared_ptr<ThreadPool>> pools;
  std::vector<std::shared_ptr<ThreadPool>> removed;
  {
    const std::lock_guard lock(mutex_);
    pools.swap(pools_);
    removed.swap(removed_);
  }
  for (const auto& [id, pool] : pools) pool->stop();
  for (const auto& pool : removed) pool->stop();
}

}  // namespace orbweaver::realtime
