#pragma once

#include <orbweaver/poa.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "orb/core.h"
#include "orb/object_finder.h"
#include "poa/object_map.h"

namespace orbweaver::poa {

/// The gate before the servants of its POAs. While it is active a call passes with one load.
class PoaManagerImpl final : public PortableServer::POAManager {
 public:
  /// `calls_in_progress(manager)`: of all its POAs, those that wait in `pass` included.
  using CallsInProgress = std::function<std::size_t(const PoaManagerImpl&)>;
  PoaManagerImpl(std::shared_ptr<orb::Core> core, CallsInProgress calls)
      : core_(std::move(core)), calls_in_progress_(std::move(calls)) {}
  ~PoaManagerImpl() override;

  void activate() override;
  void hold_requests(bool wait_for_completion) override;
  void discard_requests(bool wait_for_completion) override;
  void deactivate(bool etherealize_objects, bool wait_for_completion) override;
  State get_state() override { return state_.load(std::memory_order_acquire); }

  /// Found::servant: pass, to this object, which has been entered. While requests are held: waits, until the ORB's
  /// shutdown or the object's end at most; or Found::held, where the caller may not wait.
  orb::Found pass(const ObjectSlot& slot, bool may_wait) {
    if (state_.load(std::memory_order_acquire) == State::ACTIVE) [[likely]] return orb::Found::servant;
    return wait_to_pass(slot, may_wait);
  }
  /// Lets those who wait see that the ORB shuts down, or that their object is gone.
  void wake();

 private:
  orb::Found wait_to_pass(const ObjectSlot& slot, bool may_wait);
  void change(State to, bool wait_for_completion);
  // With mutex_ held. Requests for objects of the POA `poa` have been held for a second: the log says so, once for each
  // time that they are.
  void tell_held(const std::string& poa);
  /// The same after a second, for which this does not wait.
  void tell_held_later(const std::string& poa);

  std::shared_ptr<orb::Core> core_;
  CallsInProgress calls_in_progress_;
  std::atomic<State> state_{State::HOLDING};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;  // in wait_to_pass
  bool told_ = false;        // that requests are held
  bool watching_ = false;    // held_watch_ has not come to its end
  bool ended_ = false;
  std::thread held_watch_;   // of requests that no thread waits for
};

}  // namespace orbweaver::poa
