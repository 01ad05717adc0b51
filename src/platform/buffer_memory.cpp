#include "platform/buffer_memory.h"

#include <sys/mman.h>

namespace orbweaver::platform {

void* allocate_buffer(std::size_t bytes) noexcept {
  if (bytes < kMappedBufferBytes) return operator new[](bytes, std::nothrow);
  void* const found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? nullptr : found;
}

void free_buffer(void* buffer, std::size_t bytes) noexcept {
  if (buffer == nullptr) return;
  if (bytes < kMappedBufferBytes)
    operator delete[](buffer);
  else
    munmap(buffer, bytes);
}

}  // namespace orbweaver::platform
