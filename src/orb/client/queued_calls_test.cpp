#include "orb/client/queued_calls.h"

#include <gtest/gtest.h>

namespace orbweaver::orb {
namespace {

TEST(QueuedCalls, CountsCallsAndBytes) {
  QueuedCalls queued;
  EXPECT_TRUE(queued.empty());
  queued.begin(17);
  queued.add(100, 100);
  queued.add(50, 150);
  EXPECT_EQ(queued.bytes(), 150u);
  EXPECT_EQ(queued.since_ns(), 17);
  EXPECT_EQ(queued.unsent(), 2u);
}

TEST(QueuedCalls, LosesWhatWasNotSent) {
  QueuedCalls queued;
  queued.add(100, 100);
  queued.mark_lost();
  EXPECT_TRUE(queued.empty());
  EXPECT_EQ(queued.lost(100), 1u);
}

TEST(QueuedCalls, LosesBatchesThatTheHostDidNotReceive) {
  QueuedCalls queued;
  queued.add(100, 100);
  queued.mark_sent();
  queued.add(100, 200);
  queued.add(100, 300);
  queued.mark_sent();
  EXPECT_EQ(queued.unsent(), 0u);
  EXPECT_EQ(queued.lost(300), 0u);
  EXPECT_EQ(queued.lost(299), 2u);
  EXPECT_EQ(queued.lost(0), 3u);
}

TEST(QueuedCalls, RecordsNoEmptyBatch) {
  QueuedCalls queued;
  queued.mark_sent();
  EXPECT_EQ(queued.lost(0), 0u);
}

TEST(QueuedCalls, KeepsTheLastBatches) {
  QueuedCalls queued;
  for (std::uint64_t end = 1; end <= 100; ++end) {
    queued.add(1, end);
    queued.mark_sent();
  }
  EXPECT_EQ(queued.lost(0), 64u);
}

}  // namespace
}  // namespace orbweaver::orb
