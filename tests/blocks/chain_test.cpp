// A block that is passed through a chain of processes: read in place by each, and reclaimed whichever of them
// dies.
#include <memory>

#include "testing.h"
#include "transport/blocks/block_transfer.h"

namespace blocktest {
namespace {

constexpr double kSum = 131072.0;

/// Stages in a chain: each keeps the block that it receives, and forwards it to the next.
class ForwardingChain : public BlockCalls {
 protected:
  void make_chain(std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      processes_.push_back(std::make_unique<StageProcess>());
      stages_.push_back(at(*processes_.back()));
      if (i > 0) stages_[i - 1]->set_next(stages_[i]);
    }
  }
  StageRef stage(std::size_t i) const { return stages_[i]; }
  void kill(std::size_t i) { processes_[i]->kill(); }
  std::size_t length() const { return stages_.size(); }

 private:
  std::vector<std::unique_ptr<StageProcess>> processes_;
  std::vector<StageRef> stages_;
};

TEST_F(ForwardingChain, PassesABlockThroughEightProcesses) {
  make_chain(8);
  stage(0)->keep(filled(5).view());
  overwrite_free_blocks();
  for (std::size_t i = 0; i < length(); ++i) {
    EXPECT_FALSE(stage(i)->kept_is_copy()) << i;
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kSum) << i;
  }
  // From the first on: the last holder returns the block through all the others.
  for (std::size_t i = 0; i < length(); ++i) {
    EXPECT_NE(orbweaver::transport::blocks::pool_used(), 0u) << i;
    stage(i)->drop_kept();
  }
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(ForwardingChain, CopiesBeyondItsLimit) {
  make_chain(orbweaver::transport::blocks::kMaxForwards + 2);
  stage(0)->keep(filled(5).view());
  for (std::size_t i = 0; i < length(); ++i) {
    EXPECT_EQ(stage(i)->kept_is_copy(), i >= orbweaver::transport::blocks::kMaxForwards) << i;
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kSum) << i;
    stage(i)->drop_kept();
  }
  EXPECT_TRUE(pool_becomes_empty());
}

class ForwardingChainWithADeath : public ForwardingChain, public ::testing::WithParamInterface<std::size_t> {
 protected:
  static constexpr std::size_t kLength = 6;
};

TEST_P(ForwardingChainWithADeath, KeepsTheBlockOfTheOthersAndReclaimsItFromThem) {
  make_chain(kLength);
  stage(0)->keep(filled(5).view());
  kill(GetParam());
  overwrite_free_blocks();
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i == GetParam()) continue;
    EXPECT_FALSE(stage(i)->kept_is_copy()) << i;
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kSum) << i;
  }
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i == GetParam()) continue;
    EXPECT_NE(orbweaver::transport::blocks::pool_used(), 0u) << i;
    stage(i)->drop_kept();
  }
  EXPECT_TRUE(pool_becomes_empty()) << "although the others go on";
}
TEST_P(ForwardingChainWithADeath, ReclaimsTheBlockWhenAllHaveDied) {
  make_chain(kLength);
  stage(0)->keep(filled(5).view());
  for (std::size_t i = 0; i < kLength; ++i) kill((GetParam() + i) % kLength);
  EXPECT_TRUE(pool_becomes_empty());
}
INSTANTIATE_TEST_SUITE_P(Each, ForwardingChainWithADeath, ::testing::Range(std::size_t{0}, std::size_t{6}),
                         [](const auto& test) { return "Process" + std::to_string(test.param); });

}  // namespace
}  // namespace blocktest
