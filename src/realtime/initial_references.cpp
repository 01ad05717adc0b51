// The initial references RTORB and RTCurrent.
#include <orbweaver/detail/initial_reference.h>
#include <orbweaver/rtcorba.h>

#include <algorithm>
#include <string>
#include <utility>

#include "giop/priorities.h"
#include "orb/orb_impl.h"
#include "orb/server/upcall_scope.h"
#include "realtime/bands.h"
#include "realtime/minor_codes.h"
#include "realtime/policies.h"
#include "realtime/rt_orb.h"
#include "realtime/thread_pool.h"
#include "realtime/thread_priority.h"

namespace RTCORBA {

// Here, so that a program that uses the module needs this library, and thus has the initial references.
Current::~Current() = default;
RTORB::~RTORB() = default;

}  // namespace RTCORBA

namespace orbweaver::realtime {
namespace {

using CORBA::CompletionStatus;

class CurrentImpl final : public RTCORBA::Current {
 public:
  RTCORBA::Priority the_priority() override {
    const RTCORBA::Priority priority = thread_priority();
    if (priority != giop::kNoPriority) return priority;
    throw CORBA::INITIALIZE(minor::kNoThreadPriority, CompletionStatus::COMPLETED_NO,
                            "the priority of this thread has not been set");
  }
  void the_priority(RTCORBA::Priority priority) override {
    const RTCORBA::Priority before = thread_priority();
    set_thread_priority(priority);
    // A servant may set it for the rest of its operation.
    const auto earlier = orb::exchange_priority_to_restore({restore_thread_priority, before});
    if (earlier.restore != nullptr) orb::exchange_priority_to_restore(earlier);
  }
};

[[noreturn]] void raise_bad_lanes(const std::string& why) {
  throw CORBA::BAD_PARAM(minor::kBadLanes, CompletionStatus::COMPLETED_NO, "thread pool: " + why);
}

void check_lanes(const RTCORBA::ThreadpoolLanes& lanes) {
  constexpr std::uint32_t kMaxThreads = 10'000;
  if (lanes.empty()) raise_bad_lanes("no lane");
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    check_range(lanes[i].lane_priority(), "the priority of a lane,");
    const std::uint64_t threads = std::uint64_t{lanes[i].static_threads()} + lanes[i].dynamic_threads();
    if (threads == 0 || threads > kMaxThreads)
      raise_bad_lanes("a lane has 1 to " + std::to_string(kMaxThreads) + " threads, not " +
                      std::to_string(threads));
    if (i != 0 && lanes[i].lane_priority() == lanes[i - 1].lane_priority())
      raise_bad_lanes("two lanes have the priority " + std::to_string(lanes[i].lane_priority()));
  }
}

class RtOrbImpl final : public RTCORBA::RTORB {
 public:
  explicit RtOrbImpl(const std::shared_ptr<orb::Core>& core)
      : core_(core), real_time_(OrbRealTime::of(*core)) {}

  RTCORBA::ThreadpoolId create_threadpool(std::uint32_t stacksize, std::uint32_t static_threads,
                                          std::uint32_t dynamic_threads, RTCORBA::Priority default_priority,
                                          bool allow_request_buffering, std::uint32_t max_buffered_requests,
                                          std::uint32_t max_request_buffer_size) override {
    ThreadPool::Settings settings;
    settings.stack_bytes = stacksize;
    settings.lanes = {{default_priority, static_threads, dynamic_threads}};
    settings.buffers = allow_request_buffering;
    settings.max_requests = max_buffered_requests;
    settings.max_bytes = max_request_buffer_size;
    return create(std::move(settings));
  }
  RTCORBA::ThreadpoolId create_threadpool_with_lanes(std::uint32_t stacksize,
                                                     const RTCORBA::ThreadpoolLanes& lanes,
                                                     bool allow_borrowing, bool allow_request_buffering,
                                                     std::uint32_t max_buffered_requests,
                                                     std::uint32_t max_request_buffer_size) override {
    ThreadPool::Settings settings;
    settings.stack_bytes = stacksize;
    settings.lanes = lanes;
    std::sort(settings.lanes.begin(), settings.lanes.end(),
              [](const auto& a, const auto& b) { return a.lane_priority() < b.lane_priority(); });
    settings.has_lanes = true;
    settings.borrows = allow_borrowing;
    settings.buffers = allow_request_buffering;
    settings.max_requests = max_buffered_requests;
    settings.max_bytes = max_request_buffer_size;
    return create(std::move(settings));
  }
  void destroy_threadpool(RTCORBA::ThreadpoolId threadpool) override { real_time_->remove(threadpool); }

  CORBA::object_reference<RTCORBA::PriorityModelPolicy> create_priority_model_policy(
      RTCORBA::PriorityModel priority_model, RTCORBA::Priority server_priority) override {
    check_range(server_priority, "server_priority");
    return CORBA::make_reference<PriorityModelPolicyImpl>(priority_model, server_priority);
  }
  CORBA::object_reference<RTCORBA::ThreadpoolPolicy> create_threadpool_policy(
      RTCORBA::ThreadpoolId threadpool) override {
    return CORBA::make_reference<ThreadpoolPolicyImpl>(threadpool);
  }
  CORBA::object_reference<RTCORBA::PriorityBandedConnectionPolicy> create_priority_banded_connection_policy(
      const RTCORBA::PriorityBands& priority_bands) override {
    if (const char* const against = reason_against(priority_bands)) {
      throw CORBA::BAD_PARAM(minor::kBadBands, CompletionStatus::COMPLETED_NO,
                             std::string("create_priority_banded_connection_policy: ") + against);
    }
    return CORBA::make_reference<PriorityBandedConnectionPolicyImpl>(priority_bands);
  }
  CORBA::object_reference<RTCORBA::PrivateConnectionPolicy> create_private_connection_policy() override {
    return CORBA::make_reference<PrivateConnectionPolicyImpl>();
  }

 private:
  RTCORBA::ThreadpoolId create(ThreadPool::Settings settings) {
    check_lanes(settings.lanes);
    return real_time_->add(std::move(settings));
  }

  const std::shared_ptr<orb::Core> core_;  // outlives the options of the pools
  const std::shared_ptr<OrbRealTime> real_time_;
};

const InitialReferenceProvider rt_orb("RTORB", [](CORBA::ORB& orb) -> CORBA::object_reference<CORBA::Object> {
  return CORBA::make_reference<RtOrbImpl>(static_cast<orb::OrbImpl&>(orb).core());
});
const InitialReferenceProvider rt_current("RTCurrent",
                                          [](CORBA::ORB& orb) -> CORBA::object_reference<CORBA::Object> {
                                            OrbRealTime::of(*static_cast<orb::OrbImpl&>(orb).core());
                                            return CORBA::make_reference<CurrentImpl>();
                                          });

}  // namespace
}  // namespace orbweaver::realtime
