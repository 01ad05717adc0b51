#include "platform/freed_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "platform/testing/forked_process.h"
#include "platform/testing/kept_memory.h"

// Sanitizers replace the C library's allocator.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORBWEAVER_OTHER_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORBWEAVER_OTHER_ALLOCATOR
#endif
#endif
#if defined(__GLIBC__) && !defined(ORBWEAVER_OTHER_ALLOCATOR)

namespace orbweaver::platform::testing {
namespace {

/// Number of heaps of the C library, by its report.
std::size_t heaps() {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const report = open_memstream(&text, &bytes);
  malloc_info(0, report);
  std::fclose(report);
  std::size_t count = 0;
  for (std::string_view rest(text, bytes); (bytes = rest.find("<heap nr=")) != std::string_view::npos;
       rest.remove_prefix(bytes + 1))
    ++count;
  std::free(text);
  return count;
}

/// Allocates in many threads at the same time, so that each has a heap of its own if there may be as many.
void allocate_in_threads() {
  constexpr int kThreads = 8;
  std::barrier all(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      void* volatile block = std::malloc(1);  // volatile: the compiler may omit the pair
      all.arrive_and_wait();
      std::free(block);
    });
  }
}

/// Frees many small blocks after a large one. Returns the bytes by which the heaps have become larger.
std::size_t growth_after_use() {
  let_free_keep_large_blocks();
  malloc_trim(0);
  const std::size_t before = mallinfo2().arena;
  std::vector<void*> blocks(40'000);
  for (void*& block : blocks) block = std::malloc(400);
  for (void* const block : blocks) std::free(block);
  const std::size_t after = mallinfo2().arena;
  return after - std::min(before, after);
}

constexpr std::size_t kFew = std::size_t{4} << 20;

// Each in a process of its own: the settings last until its end.

TEST(FreedMemory, IsKeptByDefault) {
  ForkedProcess program([] {
    allocate_in_threads();
    if (heaps() <= 2 || growth_after_use() < kFew) ForkedProcess::fail();
  });
  EXPECT_TRUE(program.reap()) << "the C library does not do any more what the settings change";
}

TEST(FreedMemory, IsReturnedToTheSystem) {
  ForkedProcess program([] {
    return_freed_memory();
    if (growth_after_use() >= kFew) ForkedProcess::fail();
  });
  EXPECT_TRUE(program.reap());
}

TEST(FreedMemory, IsThatOfTwoHeaps) {
  ForkedProcess program([] {
    const std::size_t before = heaps();
    return_freed_memory();
    allocate_in_threads();
    if (heaps() > std::max(before, std::size_t{2})) ForkedProcess::fail();
  });
  EXPECT_TRUE(program.reap());
}

TEST(FreedMemory, IsKeptIfTheEnvironmentSaysSo) {
  ForkedProcess program([] {
    setenv("MALLOC_ARENA_MAX", "8", 1);
    setenv("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=1000000000", 1);
    return_freed_memory();
    allocate_in_threads();
    if (heaps() <= 2 || growth_after_use() < kFew) ForkedProcess::fail();
  });
  EXPECT_TRUE(program.reap());
}

}  // namespace
}  // namespace orbweaver::platform::testing

#endif
