// One word that one end changes and the other waits for, in the three ways to wait.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "bench/harness/case.h"

namespace orbweaver::bench {

/// Lies in shared memory, zeroed. `value` and what is published with it share a cache line.
struct Word {
  std::atomic<std::uint32_t> value;
  std::atomic<std::uint32_t> sleeping;
};

inline void futex_sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, nullptr, nullptr, 0);
}
inline void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Waits by looking. No pause instruction: nothing else wants the core, and on a virtual machine a pause
/// may be an exit to the hypervisor.
struct Spinning {
  template <class Done>
  static std::uint32_t wait(Word& word, Done done) {
    for (;;) {
      // F1: pairs with the release F2.
      const std::uint32_t seen = word.value.load(std::memory_order_acquire);
      if (done(seen)) return seen;
    }
  }
  static void change(Word& word, std::uint32_t value) {
    word.value.store(value, std::memory_order_release);  // F2: publishes what was copied before
  }
};

/// Looks `Looks` times, then sleeps in the kernel. The waker makes a system call only for a sleeper.
template <unsigned Looks>
struct Sleeping {
  template <class Done>
  static std::uint32_t wait(Word& word, Done done) {
    for (;;) {
      for (unsigned looks = 0;; ++looks) {
        const std::uint32_t seen = word.value.load(std::memory_order_acquire);
        if (done(seen)) return seen;
        if (looks >= Looks) break;
      }
      // F3: "I sleep" before the last look; F4 changes before it asks. Both are sequentially consistent,
      // so that at least one end sees the other.
      word.sleeping.store(1, std::memory_order_seq_cst);
      const std::uint32_t seen = word.value.load(std::memory_order_seq_cst);
      if (!done(seen)) futex_sleep(word.value, seen);
      word.sleeping.store(0, std::memory_order_relaxed);
    }
  }
  static void change(Word& word, std::uint32_t value) {
    word.value.store(value, std::memory_order_seq_cst);  // F4
    if (word.sleeping.load(std::memory_order_seq_cst)) futex_wake(word.value);
  }
};

using Adaptive = Sleeping<20'000>;
using Blocking = Sleeping<0>;

/// Calls `f` with the waiting of `wait` as a type: the loops are compiled for each, no branch is measured.
template <class F>
auto with_waiting(Wait wait, F f) {
  switch (wait) {
    case Wait::spin:
      return f(Spinning{});
    case Wait::adaptive:
      return f(Adaptive{});
    default:
      return f(Blocking{});
  }
}

}  // namespace orbweaver::bench
