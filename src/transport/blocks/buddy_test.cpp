#include "transport/blocks/buddy.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace orbweaver::transport::blocks {
namespace {

TEST(Buddy, LendsAllItHasAndNoMore) {
  Buddy buddy(8 * Buddy::kGranule);
  EXPECT_EQ(buddy.take(8 * Buddy::kGranule), 0u);
  EXPECT_EQ(buddy.take(1), Buddy::kNone);
  buddy.give_back(0, 8 * Buddy::kGranule);
  for (int i = 0; i < 8; ++i) EXPECT_NE(buddy.take(1), Buddy::kNone);
  EXPECT_EQ(buddy.take(1), Buddy::kNone);
}

TEST(Buddy, NeverTakesAnImpossibleSize) {
  Buddy buddy(8 * Buddy::kGranule);
  EXPECT_EQ(buddy.take(8 * Buddy::kGranule + 1), Buddy::kNone);
  EXPECT_EQ(buddy.take(~std::size_t{0}), Buddy::kNone);
}

TEST(Buddy, BlocksNeverOverlapAndNeighboursJoinAgain) {
  Buddy buddy(256 * Buddy::kGranule);
  std::map<std::size_t, std::size_t> taken;
  std::mt19937 random(3);
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 2 == 0) {
      const std::size_t bytes = Buddy::rounded(1 + random() % (40 * Buddy::kGranule));
      const std::size_t at = buddy.take(bytes);
      if (at == Buddy::kNone) continue;
      ASSERT_EQ(at % bytes, 0u);
      const auto next = taken.lower_bound(at);
      if (next != taken.end()) {
        ASSERT_LE(at + bytes, next->first);
      }
      if (next != taken.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, at);
      }
      taken[at] = bytes;
    } else if (!taken.empty()) {
      const auto which = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      buddy.give_back(which->first, which->second);
      taken.erase(which);
    }
  }
  for (const auto& [at, bytes] : taken) buddy.give_back(at, bytes);
  EXPECT_EQ(buddy.used(), 0u);
  EXPECT_EQ(buddy.take(256 * Buddy::kGranule), 0u);
}

}  // namespace
}  // namespace orbweaver::transport::blocks
