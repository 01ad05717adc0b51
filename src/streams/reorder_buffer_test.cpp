// The reorder buffer with ordinary and hostile sequence numbers. Packets are their own numbers; times are
// those of the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/streams/reorder_buffer.h>

#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace orbweaver::streams {
namespace {

using Buffer = ReorderBuffer<std::uint32_t>;
using Offer = Buffer::Offer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kHalf = 1u << 31;
constexpr std::uint32_t kLast = ~std::uint32_t{0};
constexpr std::int64_t kTimeout = 100;

Offer offer(Buffer& buffer, std::uint32_t number) { return buffer.offer(number, std::uint32_t{number}); }

/// Takes packets until there is none.
std::vector<std::uint32_t> take_all(Buffer& buffer, std::int64_t now = 0) {
  std::vector<std::uint32_t> taken;
  while (const auto packet = buffer.take(now)) taken.push_back(*packet);
  return taken;
}

TEST(ReorderBuffer, DeliversPacketsInOrderOfTheirNumbers) {
  Buffer buffer(8, kTimeout);
  for (const std::uint32_t number : {2u, 0u, 3u, 1u}) EXPECT_EQ(offer(buffer, number), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(buffer.counts().delivered, 4);
}

TEST(ReorderBuffer, WaitsForAMissingPacketUntilTheTimeout) {
  Buffer buffer(8, kTimeout);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt) << "nothing is missing: the stream may have ended";
  offer(buffer, 1);
  EXPECT_EQ(buffer.take(1000), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), 1100) << "from the first take() that missed it";
  EXPECT_EQ(buffer.take(1099), std::nullopt);
  EXPECT_EQ(buffer.take(1100), 1u);
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt);
  EXPECT_EQ(buffer.counts().skipped, 1);
}

TEST(ReorderBuffer, StartsTheTimeoutAnewForTheNextMissingPacket) {
  Buffer buffer(8, kTimeout);
  offer(buffer, 1);
  offer(buffer, 3);
  buffer.take(0);
  EXPECT_EQ(buffer.take(100), 1u);
  EXPECT_EQ(buffer.take(150), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), 250);
  offer(buffer, 2);
  EXPECT_THAT(take_all(buffer, 151), ElementsAre(2, 3));
  EXPECT_EQ(buffer.skip_at_ns(), std::nullopt);
}

TEST(ReorderBuffer, DropsALatePacketAndCountsIt) {
  Buffer buffer(8, 0);
  offer(buffer, 2);
  EXPECT_EQ(buffer.take(0), 2u);
  EXPECT_EQ(offer(buffer, 1), Offer::late);
  EXPECT_EQ(offer(buffer, 2), Offer::late) << "already delivered";
  EXPECT_EQ(buffer.counts().skipped, 2);
  EXPECT_EQ(buffer.counts().late, 2);
  EXPECT_THAT(take_all(buffer), IsEmpty());
}

TEST(ReorderBuffer, KeepsTheFirstOfTwoPacketsWithOneNumber) {
  ReorderBuffer<std::unique_ptr<int>> buffer(4, kTimeout);
  EXPECT_EQ(buffer.offer(1, std::make_unique<int>(10)), Offer::stored);
  auto second = std::make_unique<int>(20);
  EXPECT_EQ(buffer.offer(1, std::move(second)), Offer::duplicate);
  EXPECT_TRUE(second) << "a packet that is not stored is not moved from";
  buffer.offer(0, std::make_unique<int>(0));
  EXPECT_EQ(**buffer.take(0), 0);
  EXPECT_EQ(**buffer.take(0), 10);
  EXPECT_EQ(buffer.counts().duplicates, 1);
}

TEST(ReorderBuffer, RefusesPacketsBeyondItsCapacityUntilThereIsRoom) {
  Buffer buffer(2, kTimeout);
  EXPECT_EQ(offer(buffer, 2), Offer::full);
  EXPECT_EQ(offer(buffer, 1), Offer::stored);
  EXPECT_EQ(offer(buffer, 0), Offer::stored) << "the missing packet always has room";
  EXPECT_EQ(offer(buffer, 2), Offer::full);
  EXPECT_EQ(buffer.size(), 2);
  EXPECT_EQ(buffer.take(0), 0u);
  EXPECT_EQ(offer(buffer, 2), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(1, 2));
}

TEST(ReorderBuffer, SkipsToARefusedPacketIfNothingIsStored) {
  Buffer buffer(2, kTimeout);
  EXPECT_EQ(offer(buffer, 900), Offer::full);
  EXPECT_EQ(offer(buffer, 700), Offer::full);
  EXPECT_EQ(offer(buffer, 800), Offer::full);
  EXPECT_EQ(buffer.take(0), std::nullopt);
  EXPECT_EQ(buffer.skip_at_ns(), kTimeout);
  EXPECT_EQ(buffer.take(kTimeout), std::nullopt);
  EXPECT_EQ(buffer.counts().skipped, 700);
  EXPECT_EQ(offer(buffer, 700), Offer::stored);
  EXPECT_EQ(buffer.take(kTimeout), 700u);
}

TEST(ReorderBuffer, OrdersNumbersAcrossTheWrap) {
  Buffer buffer(8, kTimeout, kLast - 1);
  for (const std::uint32_t number : {1u, 0u, kLast, kLast - 1})
    EXPECT_EQ(offer(buffer, number), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(kLast - 1, kLast, 0, 1));
}

TEST(ReorderBuffer, ContinuesAtAJumpAfterItsStoredPackets) {
  Buffer buffer(8, kTimeout);
  for (const std::uint32_t number : {1u, 4u}) offer(buffer, number);
  EXPECT_EQ(offer(buffer, kHalf), Offer::full);
  EXPECT_EQ(offer(buffer, 0), Offer::full) << "nothing is added before the jump";
  EXPECT_THAT(take_all(buffer), ElementsAre(1, 4)) << "without waiting for missing packets";
  EXPECT_EQ(buffer.counts().jumps, 1);
  EXPECT_EQ(offer(buffer, kHalf), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(kHalf));
}

TEST(ReorderBuffer, JumpsBackToASenderThatStartsAgain) {
  Buffer buffer(8, kTimeout, 5000);
  EXPECT_EQ(buffer.jump_distance(), 4096);
  EXPECT_EQ(offer(buffer, 905), Offer::late);
  EXPECT_EQ(offer(buffer, 904), Offer::stored);
  EXPECT_EQ(offer(buffer, 905), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(904, 905));
}

TEST(ReorderBuffer, AcceptsOthersAfterTheSenderOfAJumpGivesUp) {
  Buffer buffer(8, kTimeout);
  offer(buffer, 0);
  EXPECT_EQ(offer(buffer, kHalf), Offer::full);
  EXPECT_THAT(take_all(buffer), ElementsAre(0));
  EXPECT_EQ(offer(buffer, 1), Offer::stored);
  EXPECT_THAT(take_all(buffer), ElementsAre(1));
  EXPECT_EQ(buffer.counts().jumps, 2);
}

TEST(ReorderBuffer, DeliversTheRestAtOnceAtTheEnd) {
  Buffer buffer(8, std::numeric_limits<std::int64_t>::max());
  for (const std::uint32_t number : {5u, 3u, 2u}) offer(buffer, number);
  EXPECT_EQ(buffer.take(1), std::nullopt);
  buffer.finish();
  EXPECT_THAT(take_all(buffer), ElementsAre(2, 3, 5));
  EXPECT_EQ(buffer.counts().skipped, 3);
}

TEST(ReorderBuffer, ReplacesInvalidLimits) {
  EXPECT_EQ(Buffer(0, -5).capacity(), 1);
  Buffer buffer(0, -5);
  EXPECT_EQ(offer(buffer, 0), Offer::stored);
  EXPECT_EQ(buffer.take(0), 0u);
  EXPECT_EQ(ReorderWindow(std::size_t{1} << 30, 0, 0).capacity(), ReorderWindow::kMaxPackets);
}

/// Each packet is offered until it is not refused; the receiver takes when one is.
std::vector<std::uint32_t> pass(Buffer& buffer, const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> taken;
  std::int64_t now = 0;
  for (const std::uint32_t number : numbers) {
    int attempts = 0;
    while (offer(buffer, number) == Offer::full) {
      if (++attempts > 100) ADD_FAILURE() << number << " is refused for ever";
      if (attempts > 100) return taken;
      if (const auto packet = buffer.take(now))
        taken.push_back(*packet);
      else
        now = buffer.skip_at_ns().value_or(now);
    }
    EXPECT_LE(buffer.size(), buffer.capacity());
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
    Buffer buffer(capacity, kTimeout, kLast - 500);
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
        case 1: number += kHalf; break;
        case 2: number += 3000; break;
        case 3: --number; break;
        default: number += static_cast<std::uint32_t>(random() % 4);
      }
      numbers.push_back(number);
    }
    Buffer buffer(capacity, kTimeout);
    const auto taken = pass(buffer, numbers);
    const Buffer::Counts& counts = buffer.counts();
    EXPECT_EQ(counts.stored + counts.duplicates + counts.late, numbers.size());
    EXPECT_EQ(counts.delivered, counts.stored);
    EXPECT_EQ(taken.size(), counts.delivered);
    EXPECT_EQ(buffer.size(), 0);
  }
}

}  // namespace
}  // namespace orbweaver::streams
