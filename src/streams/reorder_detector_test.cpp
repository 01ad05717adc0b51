// The reorder detector with ordinary and hostile sequence numbers.
#include <gtest/gtest.h>

#include <orbweaver/streams/reorder_detector.h>

#include <random>
#include <set>
#include <vector>

namespace orbweaver::streams {
namespace {

using Arrival = ReorderDetector::Arrival;

constexpr std::uint32_t kHalfOfNumbers = 1u << 31;
constexpr std::uint32_t kLastNumber = ~std::uint32_t{0};

ReorderDetector observed(const std::vector<std::uint32_t>& numbers,
                         std::uint32_t window = ReorderDetector::kDefaultWindow) {
  ReorderDetector detector(window);
  for (const std::uint32_t number : numbers) detector.observe(number);
  return detector;
}

std::vector<Arrival> classified(const std::vector<std::uint32_t>& numbers, std::uint32_t window = 16) {
  ReorderDetector detector(window);
  std::vector<Arrival> arrivals;
  for (const std::uint32_t number : numbers) arrivals.push_back(detector.observe(number));
  return arrivals;
}

void expect_counts(const ReorderDetector& detector, const ReorderDetector::Counts& expected) {
  const ReorderDetector::Counts& counts = detector.counts();
  EXPECT_EQ(counts.received, expected.received);
  EXPECT_EQ(counts.reordered, expected.reordered);
  EXPECT_EQ(counts.duplicates, expected.duplicates);
  EXPECT_EQ(counts.missing, expected.missing);
  EXPECT_EQ(counts.jumps, expected.jumps);
}

TEST(ReorderDetector, CountsNothingForNumbersInOrder) {
  expect_counts(observed({0, 1, 2, 3}), {4, 0, 0, 0, 0});
}

TEST(ReorderDetector, CountsAPacketAfterOneWithAHigherNumber) {
  expect_counts(observed({0, 2, 3, 1, 4}), {5, 1, 0, 0, 0});
  expect_counts(observed({3, 2, 1, 0}), {4, 3, 0, 0, 0});
}

TEST(ReorderDetector, CountsMissingNumbersUntilTheyArrive) {
  expect_counts(observed({0, 5}), {2, 0, 0, 4, 0});
  expect_counts(observed({0, 5, 3}), {3, 1, 0, 3, 0});
  expect_counts(observed({0, 5, 3, 1, 2, 4}), {6, 4, 0, 0, 0});
}

TEST(ReorderDetector, CountsNumbersMissingBelowTheFirstPacketOnlyAfterALowerOne) {
  expect_counts(observed({7}), {1, 0, 0, 0, 0});
  expect_counts(observed({7, 4}), {2, 1, 0, 2, 0});
  expect_counts(observed({7, 4, 5, 6, 5}), {5, 3, 1, 0, 0});
}

TEST(ReorderDetector, CountsRepeatsAsDuplicates) {
  expect_counts(observed({0, 0, 0}), {3, 0, 2, 0, 0});
  expect_counts(observed({0, 2, 1, 1, 2, 0}), {6, 1, 3, 0, 0});
}

TEST(ReorderDetector, ComparesNumbersAcrossTheWrap) {
  expect_counts(observed({kLastNumber - 1, kLastNumber, 0, 1}), {4, 0, 0, 0, 0});
  expect_counts(observed({kLastNumber - 1, 1, kLastNumber, 0, kLastNumber}), {5, 2, 1, 0, 0});
}

TEST(ReorderDetector, ContinuesAfterAJumpOfHalfTheNumbers) {
  EXPECT_EQ(
      classified({5, 5 + kHalfOfNumbers, 6 + kHalfOfNumbers, 6, 7}),
      (std::vector{Arrival::in_order, Arrival::jump, Arrival::in_order, Arrival::jump, Arrival::in_order}));
  EXPECT_EQ(classified({0, kHalfOfNumbers - 1, kHalfOfNumbers, kHalfOfNumbers + 1}),
            (std::vector{Arrival::in_order, Arrival::jump, Arrival::in_order, Arrival::in_order}));
}

TEST(ReorderDetector, DistinguishesGapFromJumpAtTheWindow) {
  EXPECT_EQ(classified({100, 115}), (std::vector{Arrival::in_order, Arrival::gap}));
  EXPECT_EQ(classified({100, 116}), (std::vector{Arrival::in_order, Arrival::jump}));
  EXPECT_EQ(classified({100, 85}), (std::vector{Arrival::in_order, Arrival::reordered}));
  EXPECT_EQ(classified({100, 84}), (std::vector{Arrival::in_order, Arrival::jump}));
  expect_counts(observed({100, 115, 131}, 16), {3, 0, 0, 14, 1});
}

TEST(ReorderDetector, CountsBackwardNumbersAsReordered) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 5000; ++i) numbers.push_back(4999 - i);
  const ReorderDetector detector = observed(numbers, 4096);
  // Each jump starts a new history of 4096 numbers.
  expect_counts(detector, {5000, 4998, 0, 0, 1});
}

TEST(ReorderDetector, AcceptsAWindowOfOneNumber) {
  EXPECT_EQ(classified({0, 1, 2, 2, 4, 3}, 1),
            (std::vector{Arrival::in_order, Arrival::in_order, Arrival::in_order, Arrival::duplicate,
                         Arrival::jump, Arrival::jump}));
  expect_counts(observed({0, 1}, 0), {2, 0, 0, 0, 0});
}

TEST(ReorderDetector, CountsNumbersMissingBeforeTheFirstPacketIfTheStreamsFirstNumberIsKnown) {
  const auto starting_at_10 = [](const std::vector<std::uint32_t>& numbers) {
    ReorderDetector detector(16, 32, 10);
    for (const std::uint32_t number : numbers) detector.observe(number);
    return detector;
  };
  expect_counts(starting_at_10({10, 11}), {2, 0, 0, 0, 0});
  expect_counts(starting_at_10({12}), {1, 0, 0, 2, 0});
  expect_counts(starting_at_10({12, 10, 10}), {3, 1, 1, 1, 0});
  expect_counts(starting_at_10({9, 9, 10}), {3, 1, 1, 0, 0});
  expect_counts(starting_at_10({7, 9}), {2, 2, 0, 1, 0});
  expect_counts(starting_at_10({26}), {1, 0, 0, 0, 1});
}

TEST(ReorderDetector, ComparesNumbersOfEightBits) {
  ReorderDetector detector(ReorderDetector::kDefaultWindow, 8);
  for (int i = 0; i < 1000; ++i) detector.observe(static_cast<std::uint8_t>(i));
  expect_counts(detector, {1000, 0, 0, 0, 0});
  detector.observe((999 + 127) % 256);
  expect_counts(detector, {1001, 0, 0, 126, 0});
  detector.observe(1000 % 256);
  expect_counts(detector, {1002, 1, 0, 125, 0});
  detector.observe((1126 + 128) % 256);
  expect_counts(detector, {1003, 1, 0, 125, 1});
}

TEST(ReorderDetector, ComparesNumbersOf64And1Bits) {
  constexpr std::uint64_t kLast64 = ~std::uint64_t{0};
  ReorderDetector detector(16, 64);
  for (const std::uint64_t number : {kLast64 - 1, kLast64, std::uint64_t{1}, std::uint64_t{0}})
    detector.observe(number);
  expect_counts(detector, {4, 1, 0, 0, 0});
  detector.observe(std::uint64_t{1} << 32);
  expect_counts(detector, {5, 1, 0, 0, 1});
  ReorderDetector alternating(16, 1);
  for (const std::uint64_t number : {0, 1, 0, 1, 1}) alternating.observe(number);
  expect_counts(alternating, {5, 0, 1, 0, 0});
}

TEST(ReorderDetector, AgreesWithASetOfAllNumbers) {
  std::mt19937 random(2026);
  for (int round = 0; round < 200; ++round) {
    ReorderDetector detector(1u << 12);
    std::set<std::int64_t> seen;
    std::uint64_t reordered = 0, duplicates = 0;
    const std::uint32_t base = static_cast<std::uint32_t>(random());
    for (int i = 0; i < 500; ++i) {
      const std::int64_t number = 1000 + i + static_cast<std::int64_t>(random() % 40);
      if (!seen.empty() && number < *seen.rbegin() && seen.count(number) == 0) ++reordered;
      if (!seen.insert(number).second) ++duplicates;
      detector.observe(base + static_cast<std::uint32_t>(number));
    }
    const auto missing = static_cast<std::uint64_t>(*seen.rbegin() - *seen.begin() + 1) -
                         static_cast<std::uint64_t>(seen.size());
    expect_counts(detector, {500, reordered, duplicates, missing, 0});
  }
}

TEST(ReorderDetector, KeepsItsTotalsConsistentForArbitraryNumbers) {
  std::mt19937 random(7);
  for (const std::uint32_t window : {1u, 3u, 64u, 4096u}) {
    ReorderDetector detector(window);
    std::uint64_t gaps_and_in_order = 0;
    std::uint32_t number = 0;
    for (int i = 0; i < 100'000; ++i) {
      switch (random() % 5) {
        case 0: number = static_cast<std::uint32_t>(random()); break;
        case 1: number += kHalfOfNumbers; break;
        case 2: --number; break;
        default: number += static_cast<std::uint32_t>(random() % 4);
      }
      const Arrival arrival = detector.observe(number);
      if (arrival == Arrival::in_order || arrival == Arrival::gap) ++gaps_and_in_order;
    }
    const ReorderDetector::Counts& counts = detector.counts();
    EXPECT_EQ(counts.received, gaps_and_in_order + counts.reordered + counts.duplicates + counts.jumps);
  }
}

}  // namespace
}  // namespace orbweaver::streams
