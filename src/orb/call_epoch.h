#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "platform/asymmetric_fence.h"

/// Tells when calls that may still use something have ended, at the price of two plain stores a call.
/// What a reference was bound to may be in use by calls in progress; it is put aside with a Grace, and
/// given up once every call that was under way then has ended.
namespace orbweaver::orb {

/// A thread's count of calls begun and ended: odd while one is in progress. Never freed, used again.
struct CallCount {
  std::atomic<std::uint64_t> value{0};
  std::atomic<bool> taken{false};
  int depth = 0;  // calls may nest: a servant calls on, in the thread that serves it
};

/// The calling thread's, once it has one. Plain, and found without asking anybody: every call looks.
extern __thread CallCount* calls_of_this_thread __attribute__((tls_model("initial-exec")));
CallCount& first_call_of_this_thread();

inline CallCount& my_calls() {
  return calls_of_this_thread != nullptr ? *calls_of_this_thread : first_call_of_this_thread();
}

class CallScope {
 public:
  CallScope() noexcept : mine_(my_calls()) {
    if (mine_.depth++ != 0) return;
    mine_.value.store(mine_.value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // E1: the call is announced before anything is looked up; pairs with the heavy fence in Grace.
    platform::light_fence();
  }
  ~CallScope() {
    if (--mine_.depth != 0) return;
    // E2: what the call did happens before; pairs with the acquire in Grace::over.
    mine_.value.store(mine_.value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  CallCount& mine_;
};

/// The calls in progress at its making, the calling thread's own included.
class Grace {
 public:
  Grace();
  bool over() const noexcept;

 private:
  struct Seen {
    const CallCount* thread;
    std::uint64_t value;
  };
  std::vector<Seen> in_progress_;
};

}  // namespace orbweaver::orb
