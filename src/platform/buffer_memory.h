#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

/// Memory of buffers for messages. A block of kMappedBufferBytes or more is a mapping of its own and returns
/// to the system when it is freed. The C library would keep it: after the first large block that a program
/// frees, it takes blocks of that size from the heap of the allocating thread, which keeps its free end, up
/// to twice the largest block, after the thread has ended (mallopt(3), M_MMAP_THRESHOLD). mallopt and
/// malloc_trim apply to the whole process, and so are the program's choice and not a library's.
namespace orbweaver::platform {

/// The initial M_MMAP_THRESHOLD of the C library.
inline constexpr std::size_t kMappedBufferBytes = std::size_t{128} << 10;

/// Allocates `bytes`, aligned to 16, with unspecified contents. Null: no memory. Thread-safe.
void* allocate_buffer(std::size_t bytes) noexcept;
/// Frees what `allocate_buffer(bytes)` returned; null: no effect. Thread-safe.
void free_buffer(void* buffer, std::size_t bytes) noexcept;

/// Deleter of a buffer of `bytes`.
struct FreeBuffer {
  std::size_t bytes = 0;
  void operator()(std::uint8_t* buffer) const noexcept { free_buffer(buffer, bytes); }
};
/// A buffer, or null.
using Buffer = std::unique_ptr<std::uint8_t[], FreeBuffer>;
inline Buffer make_buffer(std::size_t bytes) noexcept {
  return Buffer(static_cast<std::uint8_t*>(allocate_buffer(bytes)), FreeBuffer{bytes});
}

/// Allocator of a BufferVector. `allocate` throws std::bad_alloc.
template <class T>
struct BufferAllocator {
  using value_type = T;
  T* allocate(std::size_t count) {
    void* const buffer = count <= SIZE_MAX / sizeof(T) ? allocate_buffer(count * sizeof(T)) : nullptr;
    if (buffer == nullptr) throw std::bad_alloc();
    return static_cast<T*>(buffer);
  }
  void deallocate(T* buffer, std::size_t count) noexcept { free_buffer(buffer, count * sizeof(T)); }
  bool operator==(const BufferAllocator&) const noexcept { return true; }
};
/// A vector of bytes in such memory.
using BufferVector = std::vector<std::uint8_t, BufferAllocator<std::uint8_t>>;

}  // namespace orbweaver::platform
