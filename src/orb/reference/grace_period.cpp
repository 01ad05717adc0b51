#include "orb/reference/grace_period.h"

#include <memory>
#include <mutex>

namespace orbweaver::orb {
namespace {

std::mutex threads_mutex;
std::vector<std::unique_ptr<ThreadCallCounter>>& threads() {
  // Never destroyed: threads may end after static destruction has begun.
  static auto* list = new std::vector<std::unique_ptr<ThreadCallCounter>>;
  return *list;
}

ThreadCallCounter& acquire_thread_call_counter() {
  const std::lock_guard lock(threads_mutex);
  for (const auto& count : threads()) {
    if (!count->in_use.exchange(true, std::memory_order_acquire)) return *count;
  }
  threads().push_back(std::make_unique<ThreadCallCounter>());
  threads().back()->in_use.store(true, std::memory_order_relaxed);
  return *threads().back();
}

/// Returns the counter for reuse when the thread ends.
struct CounterRegistration {
  ThreadCallCounter& count = acquire_thread_call_counter();
  ~CounterRegistration() { count.in_use.store(false, std::memory_order_release); }
};

}  // namespace

__thread ThreadCallCounter* call_counter_of_this_thread = nullptr;

ThreadCallCounter& register_thread_call_counter() {
  static thread_local CounterRegistration registration;
  call_counter_of_this_thread = &registration.count;
  return registration.count;
}

GracePeriod::GracePeriod() {
  // Pairs with E1: a call that is not seen here reads the values stored before.
  platform::heavy_fence();
  const std::lock_guard lock(threads_mutex);
  for (const auto& count : threads()) {
    const std::uint64_t value = count->value.load(std::memory_order_acquire);
    if (value % 2 == 1) in_progress_.push_back({count.get(), value});
  }
}

bool GracePeriod::has_elapsed() const noexcept {
  for (const Snapshot& seen : in_progress_) {
    if (seen.thread->value.load(std::memory_order_acquire) == seen.value) return false;
  }
  return true;
}

}  // namespace orbweaver::orb
