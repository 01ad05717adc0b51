#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "transport/testing/resources.h"

// Replaces operators new and delete of the whole test program by counting ones. The forms for arrays
// and without exceptions are covered: the library's call the plain ones. Over-aligned blocks are not
// counted. Not inlined, as the compiler would otherwise warn of a mismatched free behind delete.
namespace {
std::atomic<std::size_t> total{0}, requested{0}, live{0};  // counters only: no ordering is needed
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = std::malloc(bytes != 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  total.fetch_add(1, std::memory_order_relaxed);
  requested.fetch_add(bytes, std::memory_order_relaxed);
  live.fetch_add(1, std::memory_order_relaxed);
  return block;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& no) noexcept { return operator new(bytes, no); }
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }

namespace orbweaver::transport::testing {

std::size_t allocations() noexcept { return total.load(std::memory_order_relaxed); }
std::size_t allocated_bytes() noexcept { return requested.load(std::memory_order_relaxed); }
std::size_t live_blocks() noexcept { return live.load(std::memory_order_relaxed); }

namespace {

TEST(AllocationCount, CountsAllocationsAndFrees) {
  const std::size_t total_before = allocations(), live_before = live_blocks();
  auto block = std::make_unique<std::vector<int>>(100);
  EXPECT_GE(allocations(), total_before + 2);
  EXPECT_GE(live_blocks(), live_before + 2);
  block.reset();
  EXPECT_EQ(live_blocks(), live_before);
}

}  // namespace
}  // namespace orbweaver::transport::testing
