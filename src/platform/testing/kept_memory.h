#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace orbweaver::platform::testing {

/// Has the C library keep freed blocks of up to 30 MiB from now on, as in a program that has freed one of
/// that size (mallopt(3), M_MMAP_THRESHOLD).
inline void let_free_keep_large_blocks() {
  void* volatile block = std::malloc(std::size_t{30} << 20);  // volatile: the compiler may omit the pair
  std::free(block);
}

/// Whether there is a page at that address.
inline bool is_mapped(const void* at) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(at) & ~(page - 1);
  return msync(reinterpret_cast<void*>(address), page, MS_ASYNC) == 0;
}

}  // namespace orbweaver::platform::testing
