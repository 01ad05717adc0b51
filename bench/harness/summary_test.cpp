#include "summary.h"

#include <gmock/gmock.h>

namespace orbweaver::bench {
namespace {

Summary of(std::vector<double> samples) { return summarise(samples); }

std::vector<double> one_to(int last) {
  std::vector<double> v;
  for (int i = last; i >= 1; --i) v.push_back(i);
  return v;
}

TEST(Summary, UsesNearestRankPercentiles) {
  const Summary s = of(one_to(1000));
  EXPECT_EQ(s.p50_us, 500);
  EXPECT_EQ(s.p90_us, 900);
  EXPECT_EQ(s.p99_us, 990);
  EXPECT_EQ(s.p999_us, 999);
  EXPECT_EQ(s.min_us, 1);
  EXPECT_EQ(s.max_us, 1000);
}

TEST(Summary, AveragesAllSamples) {
  const Summary s = of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(s.mean_us, 5);
  EXPECT_DOUBLE_EQ(s.sd_us, 2);
}

TEST(Summary, UsesASingleSampleForEveryPercentile) {
  const Summary s = of({7});
  EXPECT_EQ(s.p50_us, 7);
  EXPECT_EQ(s.p999_us, 7);
  EXPECT_EQ(s.sd_us, 0);
}

TEST(Summary, IsZeroWithoutSamples) { EXPECT_EQ(of({}).max_us, 0); }

TEST(Summary, KeepsTheMedianWithOneOutlier) {
  std::vector<double> samples(999, 1.0);
  samples.push_back(100'000);
  const Summary s = of(samples);
  EXPECT_EQ(s.p50_us, 1);
  EXPECT_EQ(s.p99_us, 1);
  EXPECT_EQ(s.max_us, 100'000);
}

TEST(Summary, CombinesProcessesByMedian) {
  std::vector<Summary> rounds;
  for (const double p50 : {3.0, 1.0, 10.0}) {
    Summary s = of({p50});
    s.calls = 100;
    rounds.push_back(s);
  }
  const Summary all = combine(rounds);
  EXPECT_EQ(all.p50_us, 3);
  EXPECT_EQ(all.p90_us, 3);
  EXPECT_EQ(all.min_us, 1);
  EXPECT_EQ(all.max_us, 10);
  EXPECT_EQ(all.calls, 300u);
  EXPECT_EQ(all.histogram.bins().size(), 21u);  // 1 to 10 µs
}

TEST(Summary, CombinesMemoryByMedian) {
  std::vector<Summary> rounds(3);
  for (std::size_t i = 0; i < 3; ++i) rounds[i].server = {100.0 + static_cast<double>(i), 50};
  EXPECT_EQ(combine(rounds).server.resident_kib, 101);
  EXPECT_EQ(combine(rounds).server.private_kib, 50);
}

TEST(ProcessMemory, GrowsWithWhatIsWritten) {
  const ProcessMemory before = memory_of(0);
  const std::vector<char> written(std::size_t{8} << 20, 'x');
  const ProcessMemory after = memory_of(0);
  EXPECT_GT(before.resident_kib, 0);
  EXPECT_GE(after.resident_kib - before.resident_kib, 8000) << written.back();
  EXPECT_GE(after.private_kib - before.private_kib, 8000);
}

TEST(ProcessMemory, IsZeroOfAProcessThatDoesNotExist) { EXPECT_EQ(memory_of(1 << 30).resident_kib, 0); }

TEST(Summary, AveragesTheTwoMiddleSamples) { EXPECT_EQ(median({4, 1, 3, 2}), 2.5); }

TEST(Summary, RoundTripsThroughALine) {
  Summary s = of({0.1, 0.25, 1.0 / 3});
  s.calls = 3;
  s.cpu_us_per_call = 0.7;
  s.copied_bytes = 8192;
  s.client = {5000, 2000};
  s.server = {6000, 2500};
  const Summary back = parse_summary(to_line(s));
  EXPECT_EQ(back.calls, 3u);
  EXPECT_EQ(back.mean_us, s.mean_us);
  EXPECT_EQ(back.p90_us, s.p90_us);
  EXPECT_EQ(back.max_us, s.max_us);
  EXPECT_EQ(back.cpu_us_per_call, s.cpu_us_per_call);
  EXPECT_EQ(back.copied_bytes, s.copied_bytes);
  EXPECT_EQ(back.client.private_kib, 2000);
  EXPECT_EQ(back.server.resident_kib, 6000);
  EXPECT_EQ(back.histogram, s.histogram);
}

TEST(Summary, RejectsAMalformedLine) {
  EXPECT_THROW(parse_summary("Segmentation fault"), std::invalid_argument);
  EXPECT_THROW(parse_summary("summary 1 2 3"), std::invalid_argument);
}

}  // namespace
}  // namespace orbweaver::bench
