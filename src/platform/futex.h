#pragma once

#include <atomic>
#include <cstdint>

#include "platform/clock.h"

/// Sleeping on a word of memory until somebody else changes it. The caller owns the word and the protocol
/// around it; these functions only put threads to sleep and wake them, and order no memory by themselves.
namespace orbweaver::platform {

enum class FutexWait : std::uint8_t {
  woken,    ///< Somebody called futex_wake: look at the word again.
  timeout,  ///< The deadline passed.
  interrupted,  ///< A signal came: look at the word again.
  changed,  ///< The word was not `expected`: there was nothing to sleep for.
};

/// Sleeps while `*word == expected`, at most until `deadline`. `shared`: the word lies in memory that
/// another process also maps (and wakes with `shared` too). Any thread.
FutexWait futex_wait(const std::atomic<std::uint32_t>* word, std::uint32_t expected, Deadline deadline,
                     bool shared) noexcept;

/// Wakes at most `count` threads that sleep on `word`. Returns how many there were. Any thread.
int futex_wake(const std::atomic<std::uint32_t>* word, int count, bool shared) noexcept;

/// Between two looks at a word that another thread is about to write. The thread next to it on the same core, if
/// there is one, gets on with its work meanwhile, and nothing is fetched on the guess that the word has not changed.
inline void look_again() noexcept {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Fetches the line at `at` for writing, without waiting for it.
inline void prefetch_to_write(const void* at) noexcept {
#if defined(__x86_64__)
  // The builtin makes this of it only where the target is known to have it. Those without take it for nothing.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Tells the core that the caller spins: saves power, and gives the core's other thread the pipeline.
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
