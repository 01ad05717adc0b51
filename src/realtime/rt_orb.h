#pragma once

#include <orbweaver/rtcorba.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "orb/core.h"
#include "orb/real_time.h"
#include "realtime/thread_pool.h"

namespace orbweaver::realtime {

/// Real-time CORBA of one ORB, whose core owns it.
class OrbRealTime final : public orb::RealTime {
 public:
  explicit OrbRealTime(orb::Core& core) : core_(core) {}
  /// That of the ORB, which is made by the first call.
  static std::shared_ptr<OrbRealTime> of(orb::Core& core);

  Reference& select(Reference& target) override;
  std::vector<CORBA::object_reference<Reference>> band_references(Reference& target) override;
  void reconnect(Reference& target) override;
  std::int16_t priority_for(const Reference& target) override;
  CORBA::object_reference<CORBA::Policy> published_policy(const Reference& target,
                                                          CORBA::PolicyType type) override;
  std::shared_ptr<orb::RealTimeAdapter> make_adapter(const CORBA::PolicyList& policies) override;
  bool is_idle() noexcept override;
  void stop() noexcept override;

  /// Makes a pool, and starts it. Raises NO_RESOURCES.
  RTCORBA::ThreadpoolId add(ThreadPool::Settings settings);
  /// Raises InvalidThreadpool, and BAD_INV_ORDER if a POA uses it.
  void remove(RTCORBA::ThreadpoolId id);

 private:
  /// What the reference has, which is made by the first call.
  static orb::ReferenceBands& bands_of(Reference& target);
  /// The pool, counted in its `users`; null: there is none.
  std::shared_ptr<ThreadPool> use_pool(RTCORBA::ThreadpoolId id);

  orb::Core& core_;
  std::mutex mutex_;  // guards the rest
  std::map<RTCORBA::ThreadpoolId, std::shared_ptr<ThreadPool>> pools_;
  std::vector<std::shared_ptr<ThreadPool>> removed_;  // some of whose threads may not have ended
  RTCORBA::ThreadpoolId last_id_ = 0;
};

}  // namespace orbweaver::realtime
