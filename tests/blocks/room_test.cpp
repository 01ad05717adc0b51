// What room a call takes for a loan: its description's, not its elements'.
#include "testing.h"
#include "transport/blocks/links.h"

namespace blocktest {
namespace {

const std::vector<std::string> kSmallRing = {"-ORBRingBytes", "65536"};

TEST_F(BlockCalls, ALoanOfAMebibyteGoesThroughARingOf64KiB) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  for (int i = 1; i <= 20; ++i) {
    const auto block = filled(i);
    stage->push(block.view());
    ASSERT_EQ(stage->pushed_sum(), i * 131072.0);
    ASSERT_TRUE(stage->pushed_in_block());
  }
}

TEST_F(BlockCalls, ACallWithALoanClaimsNoMoreThanAKibibyte) {
  start("shm", {"-ORBMaxMessageBytes", "1024"});  // of a frame, as it is claimed
  StageProcess process;
  const StageRef stage = at(process);
  stage->push(filled(2).view());
  EXPECT_EQ(stage->pushed_sum(), 262144.0);
  EXPECT_TRUE(stage->pushed_in_block());
  const std::vector<double> usual(kSamples, 1.0);
  EXPECT_THROW(stage->push(usual), CORBA::SystemException);
}

TEST_F(BlockCalls, LoansWaitInARingThatTheirElementsWouldNotFitInto) {
  StageProcess process({"-ORBRingBytes", "32768"});
  const StageRef stage = at(process);
  EXPECT_EQ(stage->noted(), 0u);
  const auto block = filled(1, 2000);
  process.stop();
  for (int i = 0; i < 200; ++i) stage->note(block.view());  // 128 bytes each; beside 16 KiB, 130 find room
  process.go_on();
  EXPECT_EQ(stage->noted(), 200u);
}

TEST_F(BlockCalls, WhatIsInNoBlockStillGoesThroughASmallRingInParts) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  std::vector<double> usual(kSamples, 1.0);
  for (int i = 0; i < 20; ++i) {
    stage->push(usual);
    ASSERT_EQ(stage->pushed_sum(), 131072.0);
    ASSERT_FALSE(stage->pushed_in_block());
  }
}

TEST_F(BlockCalls, ALoanThatCannotBeGivenIsCopiedAfterAll) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  for (std::size_t i = 0; i < orbweaver::transport::blocks::kGifts; ++i) {
    ASSERT_FALSE(stage->keep_too(filled(1, 512).view())) << i;
  }
  EXPECT_TRUE(stage->keep_too(filled(7).view()));
  stage->push(filled(3).view());
  EXPECT_EQ(stage->pushed_sum(), 3 * 131072.0);
  EXPECT_FALSE(stage->pushed_in_block());
  stage->drop_kept();
  EXPECT_TRUE(pool_empties());
  stage->push(filled(3).view());
  EXPECT_TRUE(stage->pushed_in_block()) << "and given again once there is room";
}

TEST_F(BlockCalls, MemoryThatIsLentNoMoreIsCopiedByAConnectionsFirstCall) {
  StageProcess process;
  const StageRef stage = at(process);
  const auto gone = filled(1).view();
  stage->push(gone);
  EXPECT_FALSE(stage->pushed_in_block());
  EXPECT_TRUE(pool_empties());
}

}  // namespace
}  // namespace blocktest
