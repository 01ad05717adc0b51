#include "testing/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> total{0};     // a counter only
thread_local std::size_t largest = 0;  // largest block that this thread has allocated, in bytes
thread_local int not_counted = 0;      // number of AllocationsAreNotCounted of this thread
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (not_counted == 0) total.fetch_add(1, std::memory_order_relaxed);
  if (bytes > largest) largest = bytes;
  if (void* const block = std::malloc(bytes != 0 ? bytes : 1)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace orbtest {

std::size_t allocations() noexcept { return total.load(std::memory_order_relaxed); }
std::size_t largest_allocation() noexcept { return largest; }
void reset_largest_allocation() noexcept { largest = 0; }

AllocationsAreNotCounted::AllocationsAreNotCounted() noexcept { ++not_counted; }
AllocationsAreNotCounted::~AllocationsAreNotCounted() { --not_counted; }

}  // namespace orbtest
