#pragma once

#include <orbweaver/poa.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "orb/core.h"
#include "orb/server/object_finder.h"
#include "poa/active_object_map.h"

namespace orbweaver::poa {

class AdapterRegistry;

/// Implementation of POAManager: state of its POAs. While it is active a call reads the state once.
/// Thread-safe.
class PoaManagerImpl final : public PortableServer::POAManager {
 public:
  /// `core` owns `adapters`.
  PoaManagerImpl(std::shared_ptr<orb::Core> core, AdapterRegistry& adapters, std::string id)
      : core_(std::move(core)), adapters_(adapters), id_(std::move(id)) {}
  ~PoaManagerImpl() override;

  void activate() override;
  void hold_requests(bool wait_for_completion) override;
  void discard_requests(bool wait_for_completion) override;
  void deactivate(bool etherealize_objects, bool wait_for_completion) override;
  State get_state() override { return state_.load(std::memory_order_acquire); }
  std::string get_id() override { return id_; }

  const std::atomic<State>& state() const noexcept { return state_; }
  bool is_active() const noexcept { return state_.load(std::memory_order_acquire) == State::ACTIVE; }
  /// Checks the state for a call to the entered object `slot`; the status for a found servant means that it
  /// may proceed. While holding: blocks until the state changes, the ORB shuts down or the object is
  /// deactivated, or returns LookupStatus::holding unless `may_wait`.
  orb::LookupStatus pass(const ObjectSlot& slot, bool may_wait) {
    if (is_active()) [[likely]]
      return orb::LookupStatus::found;
    return wait_while_holding(slot, may_wait);
  }
  /// Wakes blocked calls after a shutdown of the ORB or a deactivation of objects.
  void wake();
  /// Does the same if requests have been held in this holding period.
  void wake_held();

 private:
  orb::LookupStatus wait_while_holding(const ObjectSlot& slot, bool may_wait);
  void change(State to, bool wait_for_completion);
  // Logs a warning that requests for objects of `poa` have been held for a second, once per holding period.
  // Called with mutex_ held.
  void warn_of_held_requests(const std::string& poa);
  /// Does the same after a second, in a thread; does not block. Called with mutex_ held.
  void warn_of_held_requests_later(const std::string& poa);

  std::shared_ptr<orb::Core> core_;
  AdapterRegistry& adapters_;
  const std::string id_;
  std::atomic<State> state_{State::HOLDING};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;       // in wait_while_holding
  bool warned_ = false;           // in this holding period
  bool warning_pending_ = false;  // held_warning_thread_ is running
  bool ended_ = false;
  std::thread held_warning_thread_;  // for parked requests, for which no thread waits
};

}  // namespace orbweaver::poa
