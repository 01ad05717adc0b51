// Tests of the wake-ups of a writer that sleeps because the ring is full.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "platform/memory.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shm {
namespace {

constexpr std::size_t kRing = std::size_t{1} << 20;
constexpr std::size_t kFrame = 8192;

/// A ring in private memory.
struct RingWakeup : ::testing::Test {
  void make_memory() {
    const platform::FdResult file = platform::make_memory_file("orbweaver-test", kRing);
    ASSERT_TRUE(file);
    platform::MappingResult mapped = platform::map_shared(file.fd, {{0, kRing, 2}});
    ASSERT_TRUE(mapped);
    memory = std::move(mapped.mapping);
  }
  RingMemory ring() noexcept { return {&words, memory.data(), kRing, false}; }

  bool send(Deadline deadline) {
    Result<MutableBytes> room = writer.claim(kFrame, deadline);
    if (!room) return false;
    std::memset(room->data(), 1, kFrame);
    writer.publish(kFrame, FrameKind::frame);
    return true;
  }
  void fill() {
    while (send(Deadline::in_ns(0))) {
    }
  }
  /// Reads one frame. False if there is none.
  bool read() {
    if (!reader.receive(Deadline::in_ns(0))) return false;
    reader.release();
    return true;
  }

  platform::Mapping memory;
  RingWords words;
  RingConnectionState connection;
  RingWriter writer{(make_memory(), ring()), WaitStrategy::block, connection};
  RingReader reader{ring(), WaitStrategy::block, connection};
};

TEST_F(RingWakeup, IsForASixteenthOfTheRingWhileTheReaderHasFrames) {
  fill();
  for (int wakeup = 0; wakeup < 3; ++wakeup) {
    words.writer_state = kAsleep;
    std::size_t bytes = 0;
    while (words.writer_state == kAsleep) {
      ASSERT_TRUE(read()) << "all frames were read, and the writer sleeps";
      bytes += kFrame;
    }
    EXPECT_GE(bytes, kRing / kWakeFraction - kFrame);
    EXPECT_LE(bytes, kRing / kWakeFraction + 2 * kFrame);
  }
}

TEST_F(RingWakeup, IsAtOnceWhenTheReaderHasNoFurtherFrame) {
  ASSERT_TRUE(send(Deadline::in_ns(0)));
  words.writer_state = kAsleep;
  ASSERT_TRUE(read());
  EXPECT_EQ(words.writer_state, kAsleep);
  ASSERT_FALSE(read());
  EXPECT_EQ(words.writer_state, kAwake);
}

TEST_F(RingWakeup, IsNotNeededByAWriterThatSleeps) {
  fill();
  std::thread sender([this] { EXPECT_TRUE(send(Deadline::never())); });
  while (words.writer_state != kAsleep) std::this_thread::yield();
  words.read_position = 2 * kFrame;  // as a reader whose upcall does not end
  sender.join();
}

}  // namespace
}  // namespace orbweaver::transport::shm
