#pragma once

#include "transport/testing/ends.h"
#include "transport/testing/resources.h"

/// Frames that are queued leave with the next commit or flush, in order. Where a transport keeps none, that is
/// nothing that anyone could see here.
namespace orbweaver::transport::testing {

inline Result<void> queue_frame(Channel& channel, std::size_t bytes, std::uint32_t sequence) {
  Result<MutableBytes> room = channel.claim(bytes, Deadline::never());
  if (!room) return room.take_error();
  write_frame(room->first(bytes), sequence);
  return channel.queue(bytes, Deadline::never());
}

TYPED_TEST_P(TransportContract, QueuedFramesArriveBeforeTheCommitThatFollows) {
  for (const Wait wait : kEveryWait) {
    SCOPED_TRACE(word_for(wait));
    Ends ends = this->connected(wait);
    const std::uint32_t each = std::min(50u, holds<TypeParam>());
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (std::uint32_t i = 0; i + 1 < each; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 13 + 7 * i, i)));
      ASSERT_TRUE(ok(send_frame(*ends.near, 100, each)));
      for (std::uint32_t i = 0; i + 1 < each; ++i) ASSERT_TRUE(receives(*ends.far, 13 + 7 * i, i));
      ASSERT_TRUE(receives(*ends.far, 100, each));
    }
  }
}

TYPED_TEST_P(TransportContract, AFlushSendsWhatIsQueuedAndNothingElse) {
  Ends ends = this->connected();
  EXPECT_TRUE(ok(ends.near->flush(Deadline::never())));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 1000, 0)));
  ASSERT_TRUE(ok(queue_frame(*ends.near, 20, 1)));
  ASSERT_TRUE(ok(ends.near->claim(500, Deadline::never())));
  ends.near->abandon();
  EXPECT_TRUE(ok(ends.near->flush(Deadline::in_ms(5'000))));
  EXPECT_TRUE(receives(*ends.far, 1000, 0));
  EXPECT_TRUE(receives(*ends.far, 20, 1));
  EXPECT_TRUE(fails_with(Remedy::wait, ends.far->receive(Deadline::in_ms(5))));
}

TYPED_TEST_P(TransportContract, MoreThanEveryBufferMayBeQueued) {
  ORBWEAVER_NEEDS_RELIABILITY();
  Ends ends = this->connected();
  std::thread sending([&] {
    Sizes sizes(9, kRingBytes);
    for (std::uint32_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(ok(i % 100 == 99 ? send_frame(*ends.near, sizes.next(), i) : queue_frame(*ends.near, sizes.next(), i)));
    }
  });
  Sizes sizes(9, kRingBytes);
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_TRUE(receives(*ends.far, sizes.next(), i));
  sending.join();
}

TYPED_TEST_P(TransportContract, QueueingAllocatesNothing) {
  Ends ends = this->connected();
  const std::uint32_t each = std::min(20u, holds<TypeParam>());
  std::size_t before = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    if (round == 300) before = allocations();
    for (std::uint32_t i = 0; i + 1 < each; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, 101, i)));
    ASSERT_TRUE(ok(send_frame(*ends.near, 100, each)));
    for (std::uint32_t i = 0; i + 1 < each; ++i) ASSERT_TRUE(receives(*ends.far, 101, i));
    ASSERT_TRUE(receives(*ends.far, 100, each));
  }
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace orbweaver::transport::testing
