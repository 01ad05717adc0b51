// A library that a test has loaded into the processes of a domain (LD_PRELOAD): counts the blocks of operator
// new that have not been deleted, in a file of the folder $ORBWEAVER_COUNT_BLOCKS. Over-aligned blocks are
// not counted, nor are those of libraries in C.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "block_counts.h"

namespace orbweaver::bench {
namespace {

using Count = std::atomic<long>;  // a counter only: no ordering is needed
static_assert(sizeof(Count) == sizeof(long));

Count until_opened{0};
std::atomic<Count*> count{&until_opened};

/// Counts in the file from now on. When the library is loaded: there is no other thread.
[[gnu::constructor]] void open_file() {
  const char* const folder = std::getenv("ORBWEAVER_COUNT_BLOCKS");
  if (folder == nullptr) return;
  const int file = open(block_counts_file(folder, getpid()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof(Count)) == 0) {
    void* const mapped = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) count = new (mapped) Count(until_opened.load());
  }
  close(file);
}

void add(long blocks) noexcept {
  count.load(std::memory_order_relaxed)->fetch_add(blocks, std::memory_order_relaxed);
}

void* allocate(std::size_t bytes) noexcept {
  void* const block = std::malloc(bytes != 0 ? bytes : 1);
  if (block != nullptr) add(1);
  return block;
}

}  // namespace
}  // namespace orbweaver::bench

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* const block = orbweaver::bench::allocate(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return orbweaver::bench::allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return orbweaver::bench::allocate(bytes);
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  orbweaver::bench::add(-1);
  std::free(block);
}
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }
