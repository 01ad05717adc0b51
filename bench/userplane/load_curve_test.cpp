// Throughput at one load of the receiver, and ratios of it.
#include "bench/userplane/load_curve.h"

#include <gtest/gtest.h>

namespace orbweaver::bench {
namespace {

/// A point of one second.
LoadPoint point(double mbit_per_s, double cpu_percent, std::uint64_t sent = 1000,
                std::uint64_t received = 1000) {
  LoadPoint p;
  p.sent = sent;
  p.received = received;
  p.bytes = static_cast<std::uint64_t>(mbit_per_s * 1e6 / 8);
  p.elapsed_us = 1e6;
  p.cpu_us = cpu_percent * 1e4;
  return p;
}

TEST(LoadPoint, HasThroughputLoadAndLoss) {
  const LoadPoint p = point(80, 25, 1000, 990);
  EXPECT_DOUBLE_EQ(p.mbit_per_s(), 80);
  EXPECT_DOUBLE_EQ(p.cpu_percent(), 25);
  EXPECT_EQ(p.lost(), 10u);
  EXPECT_DOUBLE_EQ(p.lost_percent(), 1);
  EXPECT_EQ(LoadPoint().mbit_per_s(), 0);
}

TEST(ThroughputAt, InterpolatesBetweenNeighbours) {
  const auto at = throughput_at({point(10, 5), point(40, 15), point(60, 35)}, 20);
  ASSERT_TRUE(at);
  EXPECT_TRUE(at->reached);
  EXPECT_NEAR(at->mbit_per_s, 45, 1e-6);
  EXPECT_DOUBLE_EQ(at->cpu_percent, 20);
}

TEST(ThroughputAt, DoesNotDependOnTheOrderOfThePoints) {
  EXPECT_NEAR(throughput_at({point(60, 35), point(10, 5), point(40, 15)}, 20)->mbit_per_s, 45, 1e-6);
}

TEST(ThroughputAt, BeginsAtNoThroughputWithoutLoad) {
  EXPECT_NEAR(throughput_at({point(30, 40), point(50, 60)}, 20)->mbit_per_s, 15, 1e-6);
}

TEST(ThroughputAt, IsThatOfAPointWithExactlyThisLoad) {
  EXPECT_NEAR(throughput_at({point(10, 5), point(40, 20), point(60, 35)}, 20)->mbit_per_s, 40, 1e-6);
}

TEST(ThroughputAt, UsesTheFirstCrossing) {
  EXPECT_NEAR(throughput_at({point(10, 10), point(20, 30), point(30, 15), point(40, 50)}, 20)->mbit_per_s, 15,
              1e-6);
}

TEST(ThroughputAt, IsTheMostThatWasReceivedWhereTheLoadIsNotReached) {
  const auto at = throughput_at({point(10, 2), point(400, 9)}, 20);
  ASSERT_TRUE(at);
  EXPECT_FALSE(at->reached);
  EXPECT_NEAR(at->mbit_per_s, 400, 1e-6);
  EXPECT_NEAR(at->cpu_percent, 9, 1e-6);
}

TEST(ThroughputAt, LeavesOutPointsWithLosses) {
  const LoadPoint overloaded = point(90, 100, 1000, 900);
  EXPECT_FALSE(throughput_at({point(10, 5), overloaded}, 20)->reached);
  EXPECT_EQ(throughput_at({overloaded}, 20), std::nullopt);
  EXPECT_EQ(throughput_at({}, 20), std::nullopt);
}

std::optional<AtLoad> at(double mbit_per_s, bool reached = true) { return AtLoad{mbit_per_s, 20, reached}; }

TEST(LoadRatio, IsTheMedianOfTheRatiosOfEachRound) {
  // The second round was measured on a machine of half the speed.
  const auto ratio = ratio_of({at(80), at(40), at(90)}, {at(10), at(5), at(10)});
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 8);
  EXPECT_FALSE(ratio->at_least);
  EXPECT_FALSE(ratio->at_most);
}

TEST(LoadRatio, IsABoundWhereALoadWasNotReached) {
  EXPECT_TRUE(ratio_of({at(80, false)}, {at(10)})->at_least);
  EXPECT_TRUE(ratio_of({at(80)}, {at(10, false)})->at_most);
}

TEST(LoadRatio, LeavesOutRoundsThatOneDoesNotHave) {
  EXPECT_DOUBLE_EQ(ratio_of({at(80), std::nullopt, at(90)}, {at(10), at(1), std::nullopt})->value, 8);
  EXPECT_EQ(ratio_of({std::nullopt}, {at(10)}), std::nullopt);
}

}  // namespace
}  // namespace orbweaver::bench
