// A word in shared memory that one end changes and the other waits for, with three wait strategies.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "bench/harness/case.h"

namespace orbweaver::bench {

/// In shared memory, zeroed. `value` shares a cache line with the data that it publishes.
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

/// Waits by polling, without a pause instruction: no other thread needs the core, and on a virtual machine a
/// pause may exit to the hypervisor.
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
    word.value.store(value, std::memory_order_release);  // F2: publishes the copied data
  }
};

/// Polls `Looks` times, then sleeps in the kernel. The waker makes a system call only if the other end
/// sleeps.
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
      // F3: announced before the last check; F4 stores before it checks. Both are sequentially consistent, so
      // that at least one end sees the other.
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

/// Calls `f` with the wait strategy as a type: the loops are compiled for each, so no branch is measured.
template <class F>
auto with_waiting(Wait wait, F f) {
  switch (wait) {
    case Wait::spin: return f(Spinning{});
    case Wait::adaptive: return f(Adaptive{});
    default: return f(Blocking{});
  }
}

}  // namespace orbweaver::bench
