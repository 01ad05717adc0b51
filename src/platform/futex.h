#pragma once

#include <atomic>
#include <cstdint>

#include "platform/clock.h"

/// Futexes, and processor hints for code that spins. The caller owns the word and the protocol around it;
/// the functions put threads to sleep and wake them, and do not order memory.
namespace orbweaver::platform {

/// The result of futex_wait.
enum class FutexWait : std::uint8_t {
  woken,        ///< futex_wake was called, or the wake-up is spurious: check the word again.
  timeout,      ///< The deadline passed.
  interrupted,  ///< A signal was handled: check the word again.
  changed,      ///< The word was not `expected`; the call did not sleep.
};

/// Sleeps while `*word == expected`, at most until `deadline`. `shared`: the word is in memory that
/// another process also maps, which must pass `shared` to futex_wake as well. Any thread.
FutexWait futex_wait(const std::atomic<std::uint32_t>* word, std::uint32_t expected, Deadline deadline,
                     bool shared) noexcept;

/// Wakes at most `count` threads that sleep on `word`. Returns the number of threads woken. Any thread.
int futex_wake(const std::atomic<std::uint32_t>* word, int count, bool shared) noexcept;

/// Stops speculation between two reads of a word that another thread is about to write. The other hardware
/// thread of the core can use the pipeline, and nothing is fetched on the prediction that the word is
/// unchanged.
inline void speculation_barrier() noexcept {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Prefetches the cache line at `at` for writing. Does not wait.
inline void prefetch_to_write(const void* at) noexcept {
#if defined(__x86_64__)
  // The builtin emits prefetchw only if the target is known to have it. Other processors execute it as a
  // no-op.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Spin-wait hint: saves power and leaves the pipeline to the core's other hardware thread.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#else
  asm volatile("" ::: "memory");
#endif
}

}  // namespace orbweaver::platform
