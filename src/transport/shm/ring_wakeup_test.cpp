// Tests of the wake-ups of a writer that sleeps because the ring is full.
#include <gtest/gtest.h>

#include <thread>

#include "transport/shm/testing/ring_in_memory.h"

namespace orbweaver::transport::shm {
namespace {

using testing::kRing;
constexpr std::size_t kFrame = 8192;

struct RingWakeup : testing::RingInMemory {
  void fill() {
    while (send(kFrame, 1)) continue;
  }
  /// Reads one frame. False if there is none.
  bool read() {
    if (!reader.receive(Deadline::in_ns(0))) return false;
    reader.release();
    return true;
  }
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
  ASSERT_TRUE(send(kFrame, 1));
  words.writer_state = kAsleep;
  ASSERT_TRUE(read());
  EXPECT_EQ(words.writer_state, kAsleep);
  ASSERT_FALSE(read());
  EXPECT_EQ(words.writer_state, kAwake);
}

TEST_F(RingWakeup, IsNotNeededByAWriterThatSleeps) {
  fill();
  std::thread sender([this] { EXPECT_TRUE(send(kFrame, 1, Deadline::never())); });
  while (words.writer_state != kAsleep) std::this_thread::yield();
  words.read_position = 2 * kFrame;  // as a reader whose upcall does not end
  sender.join();
}

}  // namespace
}  // namespace orbweaver::transport::shm
