#pragma once

/// An asymmetric memory fence: one side is nearly free, the other is expensive. When one thread stores A and
/// then loads B, and another stores B and then loads A, at least one of them must see the other's store,
/// which usually takes a full fence in both. Here the frequent side (light_fence) is a compiler barrier, and
/// the rare side (heavy_fence) interrupts every core that runs this process (membarrier).
namespace orbweaver::platform {

namespace detail {
/// Whether the system has an expedited membarrier. The process registers for it when the library is loaded.
extern const bool kHasMembarrier;
}  // namespace detail

/// The fence of the frequent side, between its store and its load. Pairs with heavy_fence.
inline void light_fence() noexcept {
  if (detail::kHasMembarrier) {
    asm volatile("" ::: "memory");
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

/// The fence of the rare side, between its store and its load. Takes microseconds. Orders memory against
/// light_fence in other threads of this process only.
void heavy_fence() noexcept;

}  // namespace orbweaver::platform
