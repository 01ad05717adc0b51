// Ring space of a call with a loan: the size of the description, not of the elements.
#include "testing.h"
#include "transport/blocks/block_transfer.h"

namespace blocktest {
namespace {

const std::vector<std::string> kSmallRing = {"-ORBTune", "ring-bytes=65536"};

TEST_F(BlockCalls, SendsALoanLargerThanTheRing) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  for (int i = 1; i <= 20; ++i) {
    const auto block = filled(i);
    stage->push(block.view());
    ASSERT_EQ(stage->pushed_sum(), i * 131072.0);
    ASSERT_TRUE(stage->pushed_in_block());
  }
}

TEST_F(BlockCalls, ClaimsOnlyTheDescription) {
  start("shm", {"-ORBMaxMessageBytes", "1024"});  // limits the claim of a frame
  StageProcess process;
  const StageRef stage = at(process);
  stage->push(filled(2).view());
  EXPECT_EQ(stage->pushed_sum(), 262144.0);
  EXPECT_TRUE(stage->pushed_in_block());
  const std::vector<double> ordinary(kSamples, 1.0);
  EXPECT_THROW(stage->push(ordinary), CORBA::SystemException);
}

TEST_F(BlockCalls, QueuesLoansInASmallRing) {
  StageProcess process({"-ORBTune", "ring-bytes=32768"});
  const StageRef stage = at(process);
  EXPECT_EQ(stage->noted(), 0u);
  const auto block = filled(1, 2000);
  process.stop();
  for (int i = 0; i < 200; ++i) stage->note(block.view());  // 128 bytes each; 130 fit beside 16 KiB
  process.go_on();
  EXPECT_EQ(stage->noted(), 200u);
}

TEST_F(BlockCalls, SendsCopiedPayloadsInParts) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  std::vector<double> ordinary(kSamples, 1.0);
  for (int i = 0; i < 20; ++i) {
    stage->push(ordinary);
    ASSERT_EQ(stage->pushed_sum(), 131072.0);
    ASSERT_FALSE(stage->pushed_in_block());
  }
}

TEST_F(BlockCalls, CopiesALoanThatCannotBeGranted) {
  StageProcess process(kSmallRing);
  const StageRef stage = at(process);
  for (std::size_t i = 0; i < orbweaver::transport::blocks::kMaxGrants; ++i) {
    ASSERT_FALSE(stage->keep_another(filled(1, 512).view())) << i;
  }
  EXPECT_TRUE(stage->keep_another(filled(7).view()));
  stage->push(filled(3).view());
  EXPECT_EQ(stage->pushed_sum(), 3 * 131072.0);
  EXPECT_FALSE(stage->pushed_in_block());
  stage->drop_kept();
  EXPECT_TRUE(pool_becomes_empty());
  stage->push(filled(3).view());
  EXPECT_TRUE(stage->pushed_in_block()) << "grants are available again";
}

TEST_F(BlockCalls, CopiesMemoryOfAnEndedLoan) {
  StageProcess process;
  const StageRef stage = at(process);
  const auto ended_view = filled(1).view();
  stage->push(ended_view);
  EXPECT_FALSE(stage->pushed_in_block());
  EXPECT_TRUE(pool_becomes_empty());
}

}  // namespace
}  // namespace blocktest
