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
