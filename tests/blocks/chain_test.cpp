// A block that is passed through a chain of processes: read in place by each, and reclaimed whichever of them
// dies.
#include <unistd.h>

#include <fstream>
#include <memory>

#include "testing.h"
#include "transport/blocks/block_transfer.h"

namespace blocktest {
namespace {

constexpr double kChainSum = 131072.0;

/// How often the thread "ow-hangup" of a process, which receives all notifications, has gone to sleep.
std::uint64_t sleeps_of_watch(int pid) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::string name, word;
    std::ifstream(task.path() / "comm") >> name;
    if (name != "ow-hangup") continue;
    std::ifstream status(task.path() / "status");
    std::uint64_t sleeps = 0;
    while (status >> word) {
      if (word == "voluntary_ctxt_switches:" && status >> sleeps) return sleeps;
    }
  }
  ADD_FAILURE() << "process " << pid << " has no such thread";
  return 0;
}

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
  int pid(std::size_t i) const { return processes_[i]->pid(); }
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
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kChainSum) << i;
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
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kChainSum) << i;
    stage(i)->drop_kept();
  }
  EXPECT_TRUE(pool_becomes_empty());
}

TEST_F(ForwardingChain, WakesNoProcessForAReturnWhileThePoolHasSpace) {
  make_chain(8);
  const auto pass = [&](int packets) {
    for (int i = 0; i < packets; ++i) stage(0)->keep(filled(i, 8192).view());
  };
  const auto sleeps = [&] {
    std::vector<std::uint64_t> all = {sleeps_of_watch(getpid())};
    for (std::size_t i = 0; i < length(); ++i) all.push_back(sleeps_of_watch(pid(i)));
    return all;
  };
  pass(50);
  const std::vector<std::uint64_t> before = sleeps();
  pass(200);
  EXPECT_EQ(sleeps(), before);
  EXPECT_FALSE(stage(length() - 1)->kept_is_copy());
}

/// All blocks of the pool are in use at the end of the chain, and the processes before it make no further
/// call.
TEST_F(ForwardingChain, ReturnsABlockToAWaitingThread) {
  make_chain(8);
  for (int round = 0; round < 20; ++round) {
    stage(0)->keep(filled(5).view());
    for (std::size_t i = 0; i + 1 < length(); ++i) stage(i)->drop_kept();
    std::vector<orbweaver::Loan<double>> rest;
    for (int i = 0; i < 7; ++i) rest.push_back(filled(2));
    CallWhenThisThreadWaits later([&] { stage(length() - 1)->drop_kept(); });
    EXPECT_EQ(filled(3)[0], 3);
    later.join();
  }
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
    EXPECT_EQ(stage(i)->kept_sum(), 5 * kChainSum) << i;
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
