#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "platform/memory.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shm::testing {

inline constexpr std::size_t kRing = std::size_t{1} << 20;

/// A ring of kRing bytes in private memory, and both of its ends.
struct RingInMemory : ::testing::Test {
  void make_memory() {
    const platform::FdResult file = platform::make_memory_file("orbweaver-test", kRing);
    ASSERT_TRUE(file);
    platform::MappingResult mapped = platform::map_shared(file.fd, {{0, kRing, 2}});
    ASSERT_TRUE(mapped);
    memory = std::move(mapped.mapping);
  }
  RingMemory ring() noexcept { return {&words, memory.data(), kRing, false}; }

  /// Writes a frame whose bytes are all `filling`. False if there is no space until the deadline.
  bool send(std::size_t bytes, std::uint8_t filling, Deadline deadline = Deadline::in_ns(0)) {
    Result<MutableBytes> room = writer.claim(bytes, deadline);
    if (!room) return false;
    std::memset(room->data(), filling, bytes);
    writer.publish(bytes, FrameKind::frame);
    return true;
  }

  platform::Mapping memory;
  RingWords words;
  RingConnectionState connection;
  RingWriter writer{(make_memory(), ring()), WaitStrategy::block, connection};
  RingReader reader{ring(), WaitStrategy::block, connection};
};

}  // namespace orbweaver::transport::shm::testing
