#pragma once

#include <orbweaver/rtcorba.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "orb/real_time.h"

namespace orbweaver::realtime {

class ThreadPool;

/// Priorities and threads of a POA, by its policies.
class Adapter final : public orb::RealTimeAdapter {
 public:
  struct Policies {
    std::optional<giop::PriorityModel> model;
    std::shared_ptr<ThreadPool> pool;
    std::vector<giop::PriorityRange> bands;
  };
  /// `policies.pool` has been counted in its `users`; the adapter ends this use.
  explicit Adapter(Policies policies);
  ~Adapter() override;

  orb::LanePool* pool() const noexcept override;
  void poa_destroyed() const noexcept override;
  bool declares_priorities() const noexcept { return policies_.model && !policies_.model->client_propagated; }
  bool needs_request() const noexcept override { return policies_.pool != nullptr || declares_priorities(); }
  /// The highest priority that clients can give to their requests, whatever these ask for: that of the
  /// highest lane, else that of the highest band, else the server_priority. kNoPriority without a priority
  /// model.
  std::int16_t ceiling() const noexcept { return ceiling_; }
  /// Raises BAD_PARAM for a priority that no object of the POA can have.
  void check_priority(std::int16_t priority) const;
  std::int16_t new_object_priority() const noexcept override;
  void add_component(giop::Ior& ior, std::int16_t object_priority) const override;
  std::int16_t priority_of(const giop::ServiceContexts& contexts,
                           std::int16_t object_priority) const noexcept override;
  void begin(const giop::ServiceContexts& contexts, std::int16_t object_priority,
             Execution& execution) const override;
  void end(const Execution& execution) const noexcept override;
  void bind_band(const giop::ServiceContexts& contexts, std::int16_t object_priority,
                 bool owns_thread) const override;

 private:
  std::int16_t own_priority(std::int16_t object_priority) const noexcept;

  const Policies policies_;
  const std::int16_t ceiling_;
  mutable std::atomic<bool> uses_pool_;
};

/// Sets the priority of the objects that this thread activates, or creates references to.
class NewObjectPriority {
 public:
  explicit NewObjectPriority(std::int16_t priority) noexcept;
  ~NewObjectPriority();
  NewObjectPriority(const NewObjectPriority&) = delete;
  NewObjectPriority& operator=(const NewObjectPriority&) = delete;
};

/// Why no object of a POA with these policies can have this priority; null: it can.
const char* reason_against(const Adapter::Policies& policies, std::int16_t priority);

/// The policy of this type that the server has published in a reference; nothing: none, or it is malformed.
std::optional<std::vector<std::uint8_t>> published_policy(const giop::Ior& ior, CORBA::PolicyType type);

}  // namespace orbweaver::realtime
