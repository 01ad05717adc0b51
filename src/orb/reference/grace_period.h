#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "platform/asymmetric_fence.h"

/// Deferred destruction as in RCU: a replaced binding may be in use by calls in progress. It is stored with a
/// GracePeriod and destroyed when the calls in progress at the replacement have ended. A call costs two plain
/// stores.
namespace orbweaver::orb {

/// Counter of the calls that a thread has begun and ended: odd while one is in progress. Never freed; reused
/// by later threads.
struct ThreadCallCounter {
  std::atomic<std::uint64_t> value{0};
  std::atomic<bool> in_use{false};
  int depth = 0;  // nested calls: a servant may call on in the thread of its upcall
};

/// Counter of the calling thread; null before its first call. Initial-exec TLS, as each call reads it.
extern __thread ThreadCallCounter* call_counter_of_this_thread __attribute__((tls_model("initial-exec")));
ThreadCallCounter& register_thread_call_counter();

inline ThreadCallCounter& this_thread_call_counter() {
  return call_counter_of_this_thread != nullptr ? *call_counter_of_this_thread
                                                : register_thread_call_counter();
}

/// Marks a call in progress in the calling thread. May be nested.
class CallScope {
 public:
  /// Throws std::bad_alloc if there is no memory for the counter of a new thread.
  CallScope() : mine_(this_thread_call_counter()) {
    if (mine_.depth++ != 0) return;
    mine_.value.store(mine_.value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // E1: the call is announced before any binding is read; pairs with the heavy fence in GracePeriod.
    platform::light_fence();
  }
  ~CallScope() {
    if (--mine_.depth != 0) return;
    // E2: the accesses of the call happen before; pairs with the acquire in GracePeriod::has_elapsed.
    mine_.value.store(mine_.value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  ThreadCallCounter& mine_;
};

/// The calls in progress at its construction, including one of the calling thread.
class GracePeriod {
 public:
  GracePeriod();  ///< May throw std::bad_alloc.
  /// Whether all of them have ended.
  bool has_elapsed() const noexcept;

 private:
  struct Snapshot {
    const ThreadCallCounter* thread;
    std::uint64_t value;
  };
  std::vector<Snapshot> in_progress_;
};

}  // namespace orbweaver::orb
