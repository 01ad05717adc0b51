#include "base/line_limiter.h"

#include <gtest/gtest.h>

namespace orbweaver::log {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kStart_ns = 1000 * kSecond_ns;

int admitted(LineLimiter& limiter, const std::string& origin, int lines, std::int64_t now_ns = kStart_ns) {
  int count = 0;
  for (int i = 0; i < lines; ++i) count += limiter.admit("malformed", origin, now_ns) ? 1 : 0;
  return count;
}

TEST(LineLimiter, AdmitsABurstAndThenOneLineASecond) {
  LineLimiter limiter;
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000), LineLimiter::kBurst);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStart_ns + kSecond_ns), 1);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStart_ns + 4 * kSecond_ns), 3);
  EXPECT_EQ(admitted(limiter, "10.0.0.7", 1000, kStart_ns + 1000 * kSecond_ns), LineLimiter::kBurst);
}

TEST(LineLimiter, TellsOriginsAndKindsApart) {
  LineLimiter limiter;
  admitted(limiter, "10.0.0.7", 1000);
  EXPECT_EQ(admitted(limiter, "10.0.0.8", 5), 5);
  EXPECT_TRUE(limiter.admit("turned away", "10.0.0.7", kStart_ns));
}

TEST(LineLimiter, CountsWhatWasLeftOutOnce) {
  LineLimiter limiter;
  admitted(limiter, "10.0.0.7", LineLimiter::kBurst + 812);
  EXPECT_EQ(limiter.take_left_out("malformed", "10.0.0.7").lines, 812u);
  EXPECT_EQ(limiter.take_left_out("malformed", "10.0.0.7").lines, 0u);
  EXPECT_EQ(limiter.take_left_out("malformed", "10.0.0.8").lines, 0u);
}

TEST(LineLimiter, TellsOfAllThatIsOldEnough) {
  LineLimiter limiter;
  admitted(limiter, "10.0.0.7", LineLimiter::kBurst + 3);
  EXPECT_TRUE(limiter.take_left_out(kStart_ns + 4 * kSecond_ns, 5 * kSecond_ns).empty());
  const auto all = limiter.take_left_out(kStart_ns + 5 * kSecond_ns, 5 * kSecond_ns);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].lines, 3u);
  EXPECT_EQ(all[0].origin, "10.0.0.7");
  EXPECT_EQ(all[0].kind, "malformed");
}

TEST(LineLimiter, BoundsTheLinesOfManyOriginsAndCountsTheRest) {
  LineLimiter limiter;
  int count = 0;
  for (int i = 0; i < 100'000; ++i) count += admitted(limiter, "10.0.0." + std::to_string(i), 1);
  EXPECT_EQ(count, LineLimiter::kBurstOfAll);
  std::uint64_t left_out = 0;
  for (const auto& each : limiter.take_left_out(kStart_ns, 0)) left_out += each.lines;
  EXPECT_EQ(left_out, 100'000u - LineLimiter::kBurstOfAll);
}

TEST(LineLimiter, GivesPlacesOfQuietOriginsToOthers) {
  LineLimiter limiter;
  for (std::size_t i = 0; i < 2 * LineLimiter::kPlaces; ++i) admitted(limiter, "10.0.0." + std::to_string(i), 20);
  (void)limiter.take_left_out(kStart_ns, 0);
  const std::int64_t later = kStart_ns + 1000 * kSecond_ns;
  EXPECT_EQ(admitted(limiter, "10.1.0.1", 1000, later), LineLimiter::kBurst);
  EXPECT_EQ(admitted(limiter, "10.1.0.2", 1000, later), LineLimiter::kBurst) << "a place of its own";
}

}  // namespace
}  // namespace orbweaver::log
