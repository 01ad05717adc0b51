#include "platform/buffer_memory.h"

#include <gtest/gtest.h>

#include <limits>

#include "platform/testing/kept_memory.h"

namespace orbweaver::platform::testing {
namespace {

constexpr std::size_t kLarge = std::size_t{8} << 20;

TEST(BufferMemory, ReturnsLargeBuffersToTheSystem) {
  let_free_keep_large_blocks();
  for (const std::size_t bytes : {kMappedBufferBytes, kLarge, kLarge + 1}) {
    Buffer buffer = make_buffer(bytes);
    ASSERT_TRUE(buffer);
    buffer[0] = buffer[bytes - 1] = 1;
    const std::uint8_t* const at = buffer.get();
    EXPECT_TRUE(is_mapped(at));
    buffer.reset();
    EXPECT_FALSE(is_mapped(at)) << bytes;
  }
}

TEST(BufferMemory, ReturnsLargeVectorsToTheSystem) {
  let_free_keep_large_blocks();
  BufferVector vector(kLarge, 1);
  const std::uint8_t* const at = vector.data();
  vector = BufferVector();  // '= {}' would keep the storage
  EXPECT_FALSE(is_mapped(at));
}

TEST(BufferMemory, AlignsTo16) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{100}, kMappedBufferBytes - 1, kMappedBufferBytes})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(make_buffer(bytes).get()) % 16, 0u) << bytes;
}

TEST(BufferMemory, ReportsThatThereIsNoMemory) {
  constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max() - (std::size_t{1} << 20);
  EXPECT_FALSE(make_buffer(kTooMuch));
  EXPECT_THROW((void)BufferAllocator<std::uint8_t>().allocate(kTooMuch), std::bad_alloc);
  EXPECT_THROW((void)BufferAllocator<std::uint64_t>().allocate(kTooMuch), std::bad_alloc);
}

}  // namespace
}  // namespace orbweaver::platform::testing
