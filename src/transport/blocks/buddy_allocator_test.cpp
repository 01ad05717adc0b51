#include "transport/blocks/buddy_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace orbweaver::transport::blocks {
namespace {

TEST(BuddyAllocator, AllocatesAllMemoryAndNoMore) {
  BuddyAllocator buddy(8 * BuddyAllocator::kGranule);
  EXPECT_EQ(buddy.allocate(8 * BuddyAllocator::kGranule), 0u);
  EXPECT_EQ(buddy.allocate(1), BuddyAllocator::kNone);
  buddy.deallocate(0, 8 * BuddyAllocator::kGranule);
  for (int i = 0; i < 8; ++i) EXPECT_NE(buddy.allocate(1), BuddyAllocator::kNone);
  EXPECT_EQ(buddy.allocate(1), BuddyAllocator::kNone);
}

TEST(BuddyAllocator, RejectsOversizedRequests) {
  BuddyAllocator buddy(8 * BuddyAllocator::kGranule);
  EXPECT_EQ(buddy.allocate(8 * BuddyAllocator::kGranule + 1), BuddyAllocator::kNone);
  EXPECT_EQ(buddy.allocate(~std::size_t{0}), BuddyAllocator::kNone);
}

TEST(BuddyAllocator, CoalescesFreeBlocksWithoutOverlap) {
  BuddyAllocator buddy(256 * BuddyAllocator::kGranule);
  std::map<std::size_t, std::size_t> taken;
  std::mt19937 random(3);
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 2 == 0) {
      const std::size_t bytes = BuddyAllocator::rounded(1 + random() % (40 * BuddyAllocator::kGranule));
      const std::size_t at = buddy.allocate(bytes);
      if (at == BuddyAllocator::kNone) continue;
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
      buddy.deallocate(which->first, which->second);
      taken.erase(which);
    }
  }
  for (const auto& [at, bytes] : taken) buddy.deallocate(at, bytes);
  EXPECT_EQ(buddy.used(), 0u);
  EXPECT_EQ(buddy.allocate(256 * BuddyAllocator::kGranule), 0u);
}

}  // namespace
}  // namespace orbweaver::transport::blocks
