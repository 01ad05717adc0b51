#include "base/log_rate_limiter.h"

#include <gtest/gtest.h>

namespace orbweaver::log {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kStartNs = 1000 * kSecondNs;

int admitted(LogRateLimiter& limiter, const std::string& origin, int lines, std::int64_t now_ns = kStartNs) {
  int count = 0;
  for (int i = 0; i < lines; ++i) count += limiter.admit("malformed", origin, now_ns) ? 1 : 0;
  return count;
}

TEST(LogRateLimiter, AllowsABurstThenOneLineASecond) {
  LogRateLimiter limiter;
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000), LogRateLimiter::kBurst);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStartNs + kSecondNs), 1);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStartNs + 4 * kSecondNs), 3);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStartNs + 1000 * kSecondNs), LogRateLimiter::kBurst);
}

TEST(LogRateLimiter, LimitsEachOriginAndKindSeparately) {
  LogRateLimiter limiter;
  admitted(limiter, "10.0.0.7", 1000);
  EXPECT_EQ(admitted(limiter, "10.0.0.8", 5), 5);
  EXPECT_TRUE(limiter.admit("rejected", "10.0.0.7", kStartNs));
}

TEST(LogRateLimiter, CountsSuppressedLinesOnce) {
  LogRateLimiter limiter;
  admitted(limiter, "10.0.0.7", LogRateLimiter::kBurst + 812);
  EXPECT_EQ(limiter.take_suppressed("malformed", "10.0.0.7").lines, 812u);
  EXPECT_EQ(limiter.take_suppressed("malformed", "10.0.0.7").lines, 0u);
  EXPECT_EQ(limiter.take_suppressed("malformed", "10.0.0.8").lines, 0u);
}

TEST(LogRateLimiter, ReportsSuppressedLinesAfterAnAge) {
  LogRateLimiter limiter;
  admitted(limiter, "10.0.0.7", LogRateLimiter::kBurst + 3);
  EXPECT_TRUE(limiter.take_suppressed(kStartNs + 4 * kSecondNs, 5 * kSecondNs).empty());
  EXPECT_TRUE(limiter.has_suppressed());
  const auto all = limiter.take_suppressed(kStartNs + 5 * kSecondNs, 5 * kSecondNs);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].lines, 3u);
  EXPECT_EQ(all[0].origin, "10.0.0.7");
  EXPECT_EQ(all[0].kind, "malformed");
  EXPECT_FALSE(limiter.has_suppressed());
}

TEST(LogRateLimiter, LimitsAllOriginsTogether) {
  LogRateLimiter limiter;
  int count = 0;
  for (int i = 0; i < 100'000; ++i) count += admitted(limiter, "10.0.0." + std::to_string(i), 1);
  EXPECT_EQ(count, LogRateLimiter::kBurstOfAll);
  std::uint64_t suppressed = 0;
  for (const auto& each : limiter.take_suppressed(kStartNs, 0)) suppressed += each.lines;
  EXPECT_EQ(suppressed, 100'000u - LogRateLimiter::kBurstOfAll);
}

TEST(LogRateLimiter, ReusesEntriesOfIdleOrigins) {
  LogRateLimiter limiter;
  for (std::size_t i = 0; i < 2 * LogRateLimiter::kEntries; ++i)
    admitted(limiter, "10.0.0." + std::to_string(i), 20);
  (void)limiter.take_suppressed(kStartNs, 0);
  const std::int64_t later = kStartNs + 1000 * kSecondNs;
  EXPECT_EQ(admitted(limiter, "10.1.0.1", 1000, later), LogRateLimiter::kBurst);
  EXPECT_EQ(admitted(limiter, "10.1.0.2", 1000, later), LogRateLimiter::kBurst) << "has its own entry";
}

}  // namespace
}  // namespace orbweaver::log
