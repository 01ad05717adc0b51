#include "orb/call_epoch.h"

#include <memory>
#include <mutex>

namespace orbweaver::orb {
namespace {

std::mutex threads_mutex;
std::vector<std::unique_ptr<CallCount>>& threads() {
  // Never destroyed: threads may end after static destruction has begun.
  static auto* list = new std::vector<std::unique_ptr<CallCount>>;
  return *list;
}

CallCount& take_count() {
  const std::lock_guard lock(threads_mutex);
  for (const auto& count : threads()) {
    if (!count->taken.exchange(true, std::memory_order_acquire)) return *count;
  }
  threads().push_back(std::make_unique<CallCount>());
  threads().back()->taken.store(true, std::memory_order_relaxed);
  return *threads().back();
}

/// Gives the count back when the thread ends.
struct Lease {
  CallCount& count = take_count();
  ~Lease() { count.taken.store(false, std::memory_order_release); }
};

}  // namespace

__thread CallCount* calls_of_this_thread = nullptr;

CallCount& first_call_of_this_thread() {
  static thread_local Lease lease;
  calls_of_this_thread = &lease.count;
  return lease.count;
}

Grace::Grace() {
  // Pairs with E1: a call that is not seen here will see what was changed before.
  platform::heavy_fence();
  const std::lock_guard lock(threads_mutex);
  for (const auto& count : threads()) {
    const std::uint64_t value = count->value.load(std::memory_order_acquire);
    if (value % 2 == 1) in_progress_.push_back({count.get(), value});
  }
}

bool Grace::over() const noexcept {
  for (const Seen& seen : in_progress_) {
    if (seen.thread->value.load(std::memory_order_acquire) == seen.value) return false;
  }
  return true;
}

}  // namespace orbweaver::orb
