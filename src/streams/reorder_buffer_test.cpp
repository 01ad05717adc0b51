// The reorder buffer with ordinary and hostile sequence numbers. Packets are their own numbers; times are
// those of the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/streams/reorder_buffer.h>

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace orbweaver::streams {
namespace {

using Buffer = ReorderBuffer<std::uint32_t>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kHalfOfAll = 1u << 31;
constexpr std::uint32_t kLast = ~std::uint32_t{0};
constexpr std::chrono::milliseconds kTimeout{100};
constexpr std::int64_t kMs = 1'000'000;

ReorderOptions options(std::size_t packets, std::optional<std::chrono::milliseconds> skip_after,
                       std::uint32_t first = 0) {
  return {packets, kUnlimited, skip_after, first};
}

PushResult push(Buffer& buffer, std::uint32_t number, std::size_t bytes = 1) {
  return buffer.push(number, std::uint32_t{number}, bytes);
}

/// Takes packets until there is none.
std::vector<std::uint32_t> take_all(Buffer& buffer, std::int64_t now = 0) {
  std::vector<std::uint32_t> taken;
  while (const auto packet = buffer.take(now)) taken.push_back(*packet);
  return taken;
}

TEST(ReorderBuffer, DeliversPacketsInOrderOfTheirNumbers) {
  Buffer buffer(options(8, kTimeout));
  for (const std::uint32_t number : {2u, 0u, 3u, 1u}) EXPECT_EQ(push(buffer, number), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(buffer.counts().delivered, 4);
}

TEST(ReorderBuffer, WaitsForAMissingPacketUntilTheTimeout) {
  Buffer buffer(options(8, kTimeout));
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt) << "nothing is missing: the stream may have ended";
  (void)push(buffer, 1);
  EXPECT_EQ(buffer.take(1000 * kMs), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), 1100 * kMs) << "from the first take() that missed it";
  EXPECT_EQ(buffer.take(1099 * kMs), std::nullopt);
  EXPECT_EQ(buffer.take(1100 * kMs), 1u);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt);
  EXPECT_EQ(buffer.counts().skipped, 1);
}

TEST(ReorderBuffer, StartsTheTimeoutAnewForTheNextMissingPacket) {
  Buffer buffer(options(8, kTimeout));
  (void)push(buffer, 1);
  (void)push(buffer, 3);
  buffer.take(0);
  EXPECT_EQ(buffer.take(100 * kMs), 1u);
  EXPECT_EQ(buffer.take(150 * kMs), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), 250 * kMs);
  (void)push(buffer, 2);
  EXPECT_THAT(take_all(buffer, 151 * kMs), ElementsAre(2, 3));
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt);
}

TEST(ReorderBuffer, DropsALatePacketAndCountsIt) {
  Buffer buffer(options(8, kTimeout * 0));
  (void)push(buffer, 2);
  EXPECT_EQ(buffer.take(0), 2u);
  EXPECT_EQ(push(buffer, 1), PushResult::dropped);
  EXPECT_EQ(push(buffer, 2), PushResult::dropped) << "already delivered";
  EXPECT_EQ(buffer.counts().skipped, 2);
  EXPECT_EQ(buffer.counts().late, 2);
  EXPECT_THAT(take_all(buffer), IsEmpty());
}

TEST(ReorderBuffer, KeepsTheFirstOfTwoPacketsWithOneNumber) {
  ReorderBuffer<std::unique_ptr<int>> buffer(options(4, kTimeout));
  EXPECT_EQ(buffer.push(1, std::make_unique<int>(10), 1), PushResult::accepted);
  auto second = std::make_unique<int>(20);
  EXPECT_EQ(buffer.push(1, std::move(second), 1), PushResult::dropped);
  EXPECT_TRUE(second) << "a packet that is not stored is not moved from";
  (void)buffer.push(0, std::make_unique<int>(0), 1);
  EXPECT_EQ(**buffer.take(0), 0);
  EXPECT_EQ(**buffer.take(0), 10);
  EXPECT_EQ(buffer.counts().duplicates, 1);
}

TEST(ReorderBuffer, RefusesPacketsBeyondItsCapacityUntilThereIsSpace) {
  Buffer buffer(options(2, kTimeout));
  EXPECT_EQ(push(buffer, 2), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 1), PushResult::accepted);
  EXPECT_EQ(push(buffer, 0), PushResult::accepted) << "the missing packet always has space";
  EXPECT_EQ(push(buffer, 2), PushResult::queue_full);
  EXPECT_EQ(buffer.counts().packets, 2);
  EXPECT_EQ(buffer.take(0), 0u);
  EXPECT_EQ(push(buffer, 2), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(1, 2));
}

TEST(ReorderBuffer, SkipsToARefusedPacketIfNothingIsStored) {
  Buffer buffer(options(2, kTimeout));
  EXPECT_EQ(push(buffer, 900), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 700), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 800), PushResult::queue_full);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), 100 * kMs);
  EXPECT_EQ(buffer.take(100 * kMs), std::nullopt);
  EXPECT_EQ(buffer.counts().skipped, 700);
  EXPECT_EQ(push(buffer, 700), PushResult::accepted);
  EXPECT_EQ(buffer.take(100 * kMs), 700u);
}

TEST(ReorderBuffer, OrdersNumbersAcrossTheWrap) {
  Buffer buffer(options(8, kTimeout, kLast - 1));
  for (const std::uint32_t number : {1u, 0u, kLast, kLast - 1})
    EXPECT_EQ(push(buffer, number), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(kLast - 1, kLast, 0, 1));
}

TEST(ReorderBuffer, ContinuesAtAJumpAfterItsStoredPackets) {
  Buffer buffer(options(8, kTimeout));
  for (const std::uint32_t number : {1u, 4u}) (void)push(buffer, number);
  EXPECT_EQ(push(buffer, kHalfOfAll), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 0), PushResult::accepted) << "it precedes the jump";
  EXPECT_THAT(take_all(buffer), ElementsAre(0, 1, 4)) << "without waiting for missing packets";
  EXPECT_EQ(buffer.counts().jumps, 1);
  EXPECT_EQ(push(buffer, kHalfOfAll), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(kHalfOfAll));
}

TEST(ReorderBuffer, JumpsBackToASenderThatStartsAgain) {
  Buffer buffer(options(8, kTimeout, 5000));
  EXPECT_EQ(buffer.jump_distance(), 4096);
  EXPECT_EQ(push(buffer, 905), PushResult::dropped);
  EXPECT_EQ(push(buffer, 904), PushResult::accepted);
  EXPECT_EQ(push(buffer, 905), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(904, 905));
}

TEST(ReorderBuffer, AcceptsOthersAfterTheSenderOfAJumpGivesUp) {
  Buffer buffer(options(8, kTimeout));
  (void)push(buffer, 0);
  EXPECT_EQ(push(buffer, kHalfOfAll), PushResult::queue_full);
  EXPECT_THAT(take_all(buffer), ElementsAre(0));
  EXPECT_EQ(push(buffer, 1), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(1));
  EXPECT_EQ(buffer.counts().jumps, 2);
}

TEST(ReorderBuffer, DeliversTheRestAtOnceAtTheEnd) {
  Buffer buffer(options(8, std::nullopt));
  for (const std::uint32_t number : {5u, 3u, 2u}) (void)push(buffer, number);
  EXPECT_EQ(buffer.take(1), std::nullopt);
  buffer.finish();
  EXPECT_THAT(take_all(buffer), ElementsAre(2, 3, 5));
  EXPECT_EQ(buffer.counts().skipped, 3);
}

TEST(ReorderBuffer, RejectsInvalidLimits) {
  EXPECT_THROW(Buffer(options(0, kTimeout)), std::invalid_argument);
  EXPECT_THROW(Buffer(options((std::size_t{1} << 23) + 1, kTimeout)), std::invalid_argument);
  EXPECT_THROW(Buffer(ReorderOptions{8, 0}), std::invalid_argument);
  EXPECT_THROW(Buffer(options(8, -kTimeout)), std::invalid_argument);
  EXPECT_EQ(Buffer(options(1, std::chrono::milliseconds::max())).capacity(), 1);
}

TEST(ReorderBuffer, RefusesPacketsBeyondItsBytesUntilThereIsSpace) {
  Buffer buffer({8, 100, kTimeout});
  EXPECT_EQ(push(buffer, 1, 101), PushResult::too_large);
  EXPECT_EQ(push(buffer, 2, 60), PushResult::accepted);
  EXPECT_EQ(push(buffer, 1, 41), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 3, 40), PushResult::accepted);
  EXPECT_EQ(push(buffer, 0, 100), PushResult::accepted) << "the missing packet always has space";
  EXPECT_EQ(buffer.counts().bytes, 200);
  EXPECT_EQ(push(buffer, 1, 1), PushResult::queue_full);
  EXPECT_EQ(buffer.take(0), 0u);
  EXPECT_EQ(push(buffer, 1, 41), PushResult::accepted) << "missing now";
  EXPECT_THAT(take_all(buffer), ElementsAre(1, 2, 3));
  EXPECT_EQ(buffer.counts().bytes, 0);
  EXPECT_EQ(buffer.counts().peak_bytes, 200);
  EXPECT_EQ(buffer.counts().too_large, 1);
}

TEST(ReorderBuffer, DoesNotSkipAPacketThatIsRefusedForItsBytes) {
  Buffer buffer({8, 100, kTimeout});
  EXPECT_EQ(push(buffer, 4, 100), PushResult::accepted);
  EXPECT_EQ(push(buffer, 3, 1), PushResult::queue_full);
  EXPECT_EQ(push(buffer, 2, 1), PushResult::queue_full);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.take(100 * kMs), std::nullopt);
  EXPECT_EQ(buffer.counts().skipped, 2) << "0 and 1";
  EXPECT_EQ(push(buffer, 2, 1), PushResult::accepted);
  EXPECT_EQ(buffer.take(100 * kMs), 2u);
  EXPECT_EQ(push(buffer, 3, 1), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(3, 4));
  EXPECT_EQ(buffer.counts().late, 0);
}

TEST(ReorderBuffer, ForgetsARefusedPacketThatIsNotPushedAgain) {
  Buffer buffer(options(2, kTimeout));
  EXPECT_EQ(push(buffer, 700), PushResult::queue_full);
  buffer.forget_refused(700);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt) << "no packet is known to be missing";
  EXPECT_EQ(push(buffer, 1), PushResult::accepted);
  EXPECT_EQ(push(buffer, kHalfOfAll), PushResult::queue_full);
  buffer.forget_refused(kHalfOfAll);
  EXPECT_EQ(buffer.take(0), std::nullopt) << "0 is not skipped for the sake of a jump";
  EXPECT_EQ(push(buffer, 0), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(0, 1));
  EXPECT_EQ(buffer.counts().jumps, 0);
}

TEST(ReorderBuffer, EndsTheTimeOutOfARefusedPacketThatIsNotPushedAgain) {
  Buffer buffer(options(2, kTimeout));
  EXPECT_EQ(push(buffer, 700), PushResult::queue_full);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_NE(buffer.skip_at_ns(), std::nullopt);
  buffer.forget_refused(700);
  EXPECT_EQ(buffer.take(50 * kMs), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt);
  EXPECT_EQ(push(buffer, 1), PushResult::accepted);
  EXPECT_EQ(buffer.take(1000 * kMs), std::nullopt) << "0 is waited for from now on";
  EXPECT_EQ(push(buffer, 0), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(0, 1));
}

TEST(ReorderBuffer, DiscardsItsPackets) {
  Buffer buffer(options(8, kTimeout));
  for (const std::uint32_t number : {0u, 2u, 5u}) (void)push(buffer, number);
  EXPECT_EQ(buffer.take(0), 0u);
  EXPECT_EQ(buffer.discard(), 2u);
  EXPECT_EQ(buffer.discard(), 5u);
  EXPECT_EQ(buffer.discard(), std::nullopt);
  EXPECT_EQ(buffer.counts().discarded, 2u);
  EXPECT_EQ(buffer.counts().packets + buffer.counts().bytes, 0u);
  EXPECT_EQ(push(buffer, 4), PushResult::dropped) << "late";
  EXPECT_EQ(push(buffer, 6), PushResult::accepted);
  EXPECT_THAT(take_all(buffer), ElementsAre(6));
  EXPECT_EQ(buffer.counts().skipped, 0u);
}

/// A buffer and producers that wait: refused packets are pushed again, in the order of their arrival.
struct WaitingProducers {
  void push(std::uint32_t number) {
    if (streams::push(buffer, number) == PushResult::queue_full) waiting.push_back(number);
  }
  /// Takes packets until none is delivered any more; missing ones are not waited for.
  std::vector<std::uint32_t> take_all() {
    std::vector<std::uint32_t> taken;
    for (;;) {
      const ReorderCounts before = buffer.counts();
      const auto packet = buffer.take(0);
      if (packet) taken.push_back(*packet);
      const ReorderCounts& now = buffer.counts();
      if (!packet && now.skipped == before.skipped && now.jumps == before.jumps) return taken;
      for (const std::uint32_t number : std::exchange(waiting, {})) push(number);
    }
  }

  Buffer buffer;
  std::vector<std::uint32_t> waiting = {};
};

TEST(ReorderBuffer, DeliversWhatWasRefusedBeforeAJumpBeforeIt) {
  constexpr std::uint32_t kJump = 1'000'000;
  WaitingProducers producers{Buffer(options(64, kTimeout * 0))};
  std::vector<std::uint32_t> expected;
  for (std::uint32_t number = 0; number < 64; ++number) producers.push(number);
  for (const std::uint32_t number : {kJump, 500u, 100u, 99u}) producers.push(number);
  ASSERT_THAT(producers.waiting, ElementsAre(kJump, 500, 100, 99));
  for (std::uint32_t number = 0; number < 64; ++number) expected.push_back(number);
  for (const std::uint32_t number : {99u, 100u, 500u, kJump}) expected.push_back(number);
  EXPECT_EQ(producers.take_all(), expected);
  EXPECT_EQ(producers.buffer.counts().jumps, 1u);
  EXPECT_EQ(producers.buffer.counts().late, 0u);
  EXPECT_EQ(producers.buffer.counts().skipped, 35u + 399u);
}

TEST(ReorderBuffer, DeliversAPacketThatArrivesAfterARefusedJumpBeforeIt) {
  constexpr std::uint32_t kJump = 1'000'000;
  WaitingProducers producers{Buffer(options(8, kTimeout))};
  for (const std::uint32_t number : {1u, 2u, kJump + 1, kJump, 0u, kJump + 2}) producers.push(number);
  EXPECT_THAT(producers.take_all(), ElementsAre(0, 1, 2, kJump, kJump + 1, kJump + 2));
  EXPECT_EQ(producers.buffer.counts().jumps, 1u);
  EXPECT_EQ(producers.buffer.counts().skipped, 0u);
}

TEST(ReorderBuffer, LimitsThePacketsThatPrecedeARefusedJump) {
  WaitingProducers producers{Buffer(options(8, kTimeout))};
  producers.push(0);
  producers.push(kHalfOfAll);
  std::uint32_t number = 1;
  for (; streams::push(producers.buffer, number) == PushResult::accepted; ++number) {
    ASSERT_EQ(producers.buffer.take(0), number - 1);
    ASSERT_LT(number, 10'000u) << "the jump is delayed for ever";
  }
  EXPECT_EQ(number, producers.buffer.jump_distance());
  EXPECT_THAT(producers.take_all(), ElementsAre(number - 1, kHalfOfAll));
}

TEST(ReorderBuffer, RestoresTheStreamsOfASenderThatStartsAgain) {
  std::mt19937 random(11);
  for (const std::size_t capacity : {1u, 5u, 64u}) {
    constexpr std::uint32_t kStreams = 20, kPackets = 300, kDistance = 100'000;
    std::vector<std::uint32_t> expected;
    WaitingProducers producers{Buffer(options(capacity, std::nullopt))};
    std::vector<std::uint32_t> taken;
    for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
      for (std::uint32_t i = 0; i < kPackets; ++i) expected.push_back(stream * kDistance + i);
    }
    // Packets of two streams arrive shuffled, but for the first, while nothing is taken.
    for (std::size_t begin = 0; begin < expected.size(); begin += kPackets / 2 + kPackets) {
      const auto last = std::min(begin + kPackets / 2 + kPackets, expected.size());
      std::vector<std::uint32_t> arriving(expected.begin() + static_cast<long>(begin),
                                          expected.begin() + static_cast<long>(last));
      std::shuffle(arriving.begin() + 1, arriving.end(), random);
      for (const std::uint32_t number : arriving) producers.push(number);
      for (const std::uint32_t number : producers.take_all()) taken.push_back(number);
    }
    EXPECT_EQ(taken, expected) << "capacity " << capacity;
    EXPECT_EQ(producers.buffer.counts().jumps, kStreams - 1);
  }
}

/// Each packet is pushed until it is not refused; the receiver takes when one is.
std::vector<std::uint32_t> pass(Buffer& buffer, const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> taken;
  std::int64_t now = 0;
  for (const std::uint32_t number : numbers) {
    int attempts = 0;
    while (push(buffer, number) == PushResult::queue_full) {
      if (++attempts > 100) ADD_FAILURE() << number << " is refused for ever";
      if (attempts > 100) return taken;
      if (const auto packet = buffer.take(now)) {
        taken.push_back(*packet);
      } else {
        now = buffer.skip_at_ns().value_or(now);
      }
    }
    EXPECT_LE(buffer.counts().packets, buffer.capacity());
  }
  buffer.finish();
  while (const auto packet = buffer.take(now)) taken.push_back(*packet);
  return taken;
}

TEST(ReorderBuffer, RestoresEveryShuffleWithinItsCapacity) {
  std::mt19937 random(2026);
  for (const std::size_t capacity : {1u, 2u, 7u, 64u}) {
    std::vector<std::uint32_t> numbers(1000);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = kLast - 500 + i;
    for (std::size_t begin = 0; begin < numbers.size(); begin += capacity) {
      const auto last = std::min(begin + capacity, numbers.size());
      std::shuffle(numbers.begin() + static_cast<long>(begin), numbers.begin() + static_cast<long>(last),
                   random);
    }
    Buffer buffer(options(capacity, kTimeout, kLast - 500));
    const auto taken = pass(buffer, numbers);
    ASSERT_EQ(taken.size(), 1000) << "capacity " << capacity;
    for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(taken[i], kLast - 500 + i);
  }
}

TEST(ReorderBuffer, CountsEveryPacketOnceForArbitraryNumbers) {
  std::mt19937 random(3);
  for (const std::size_t capacity : {1u, 3u, 64u}) {
    std::vector<std::uint32_t> numbers;
    std::uint32_t number = 0;
    for (int i = 0; i < 20'000; ++i) {
      switch (random() % 6) {
        case 0: number = static_cast<std::uint32_t>(random()); break;
        case 1: number += kHalfOfAll; break;
        case 2: number += 3000; break;
        case 3: --number; break;
        default: number += static_cast<std::uint32_t>(random() % 4);
      }
      numbers.push_back(number);
    }
    Buffer buffer(options(capacity, kTimeout));
    const auto taken = pass(buffer, numbers);
    const ReorderCounts& counts = buffer.counts();
    EXPECT_EQ(counts.stored + counts.duplicates + counts.late, numbers.size());
    EXPECT_EQ(counts.delivered, counts.stored);
    EXPECT_EQ(taken.size(), counts.delivered);
    EXPECT_EQ(buffer.counts().packets, 0);
  }
}

}  // namespace
}  // namespace orbweaver::streams
