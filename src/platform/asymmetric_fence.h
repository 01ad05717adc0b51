#pragma once

/// A fence whose price is paid by one side only. Where one thread stores A and then loads B, and another
/// stores B and then loads A, one of the two has to see the other's store; usually both pay a full fence.
/// Here the frequent side pays nothing but order in the compiler, and the rare side makes up for it by
/// interrupting every core that runs this process.
namespace orbweaver::platform {

namespace detail {
/// Whether the system has an expedited membarrier; found out, and registered for, when the library is loaded.
extern const bool kHasMembarrier;
}  // namespace detail

/// The frequent side: between its store and its load.
inline void light_fence() noexcept {
  if (detail::kHasMembarrier) {
    asm volatile("" ::: "memory");
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

/// The rare side: microseconds. Other threads of this process only.
void heavy_fence() noexcept;

}  // namespace orbweaver::platform
