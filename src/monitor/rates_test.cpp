#include "monitor/rates.h"

#include <gtest/gtest.h>

#include <orbweaver/sca/detail/latency_histogram.h>

namespace orbweaver::monitor {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Snapshot at(std::int64_t ns, std::uint64_t packets, const sca::LatencyHistogram& latency,
            std::uint64_t cpu_ns = 0) {
  Snapshot snapshot;
  snapshot.read_ns = ns;
  Connection connection;
  connection.id = "c";
  connection.measured = true;
  connection.packets = packets;
  connection.bytes = packets * 100;
  connection.latency = latency.counts();
  connection.max_latency_ns = latency.max_ns();
  snapshot.connections = {connection};
  Component component;
  component.id = "a";
  component.cpu_ns = cpu_ns;
  snapshot.components = {component};
  return snapshot;
}

TEST(Rates, AreDifferencesBySeconds) {
  RateMeter meter;
  sca::LatencyHistogram none;
  meter.update(at(5 * kSecond, 1000, none, kSecond));
  EXPECT_FALSE(meter.connection("c")) << "one snapshot has no rate";
  EXPECT_FALSE(meter.cpu_percent("a"));
  meter.update(at(7 * kSecond, 1500, none, kSecond + kSecond / 2));
  EXPECT_DOUBLE_EQ(meter.connection("c")->packets_per_s, 250);
  EXPECT_DOUBLE_EQ(meter.connection("c")->bytes_per_s, 25'000);
  EXPECT_DOUBLE_EQ(*meter.cpu_percent("a"), 25);
  EXPECT_FALSE(meter.connection("other"));
}

TEST(Rates, OfAConnectionThatCountsFromZeroAgainAreZero) {
  RateMeter meter;
  sca::LatencyHistogram before;
  before.add(5);
  before.add(5);
  sca::LatencyHistogram after;
  after.add(6);
  meter.update(at(0, 1000, before, 10 * kSecond));
  meter.update(at(kSecond, 1, after, 1));
  EXPECT_DOUBLE_EQ(meter.connection("c")->packets_per_s, 0);
  EXPECT_EQ(meter.connection("c")->histogram, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{6, 1}}));
  EXPECT_FALSE(meter.cpu_percent("a"));
}

TEST(Rates, LatenciesAreThoseOfTheLastTenToTwentySeconds) {
  RateMeter meter;
  sca::LatencyHistogram latency;
  for (int i = 0; i < 1000; ++i) latency.add(1'000'000);
  meter.update(at(0, 1000, latency));
  for (int second = 1; second <= 25; ++second) {
    latency.add(7);
    meter.update(at(second * kSecond, 1000 + static_cast<std::uint64_t>(second), latency));
    EXPECT_EQ(meter.connection("c")->p99_ns, 7u) << "packets before the first snapshot are not counted";
  }
  const auto histogram = meter.connection("c")->histogram;
  ASSERT_EQ(histogram.size(), 1u);
  EXPECT_EQ(histogram[0].second, 15u) << "since second 10";
}

TEST(Rates, ForgetConnectionsThatAreGone) {
  RateMeter meter;
  sca::LatencyHistogram none;
  meter.update(at(0, 1000, none));
  meter.update(at(kSecond, 1100, none));
  Snapshot empty;
  empty.read_ns = 2 * kSecond;
  meter.update(empty);
  EXPECT_FALSE(meter.connection("c"));
  meter.update(at(3 * kSecond, 1200, none));
  EXPECT_FALSE(meter.connection("c"));
}

}  // namespace
}  // namespace orbweaver::monitor
