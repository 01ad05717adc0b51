#pragma once

#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

/// An operator new that fails at an allocation chosen by a test. Included in one source file of a program.
namespace orbtest {

/// Number of allocations until one fails, counted down in threads whose name begins with
/// `failing_thread_name`; 0: none fails.
inline std::atomic<int> fails_in{0};
inline const char* failing_thread_name = "";

inline bool allocation_fails() noexcept {
  if (fails_in.load(std::memory_order_relaxed) <= 0) return false;
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return std::strncmp(name, failing_thread_name, std::strlen(failing_thread_name)) == 0 &&
         fails_in.fetch_sub(1) == 1;
}

}  // namespace orbtest

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = orbtest::allocation_fails() ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
