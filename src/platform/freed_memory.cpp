#include "platform/freed_memory.h"

#include <malloc.h>

#include <cstring>

#include "platform/environment.h"

namespace orbweaver::platform {
namespace {

#if defined(__GLIBC__)
constexpr int kHeaps = 2;
/// The initial value of the C library. Setting it ends its adaptation to the largest block that was freed.
constexpr int kKeptBytes = 128 << 10;

/// Sets a parameter of mallopt(3), unless the environment does.
void set(int parameter, int value, const char* variable, const char* tunable) noexcept {
  const char* const tunables = environment("GLIBC_TUNABLES");
  if (environment(variable) != nullptr) return;
  if (tunables != nullptr && std::strstr(tunables, tunable) != nullptr) return;
  mallopt(parameter, value);
}
#endif

}  // namespace

void return_freed_memory() noexcept {
#if defined(__GLIBC__)
  set(M_ARENA_MAX, kHeaps, "MALLOC_ARENA_MAX", "glibc.malloc.arena_max=");
  set(M_TRIM_THRESHOLD, kKeptBytes, "MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold=");
#endif
}

}  // namespace orbweaver::platform
