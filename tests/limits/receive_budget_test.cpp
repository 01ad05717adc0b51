// The budget for incomplete messages, without connections.
#include <gmock/gmock.h>

#include <list>
#include <vector>

#include "connected_pair.h"

namespace orbtest {
namespace {

TEST(ReceiveBudget, ClosesNoConnectionForARequestThatCannotFit) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  bool other_ended = false;
  ReceiveBudget::Share other(budget, [&](const std::string&) { other_ended = true; });
  ReceiveBudget::Share requesting(budget, [](const std::string&) {});
  EXPECT_TRUE(other.hold(90, 90));
  EXPECT_FALSE(requesting.hold(110, 110));
  EXPECT_FALSE(other_ended);
  requesting.done(0);
  EXPECT_TRUE(requesting.hold(15, 15)) << "replaces the bytes of the other share";
  EXPECT_TRUE(other_ended);
}

TEST(ReceiveBudget, ClosesTheOldestUntilTheBytesFit) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  std::vector<int> ended;
  std::list<ReceiveBudget::Share> shares;
  for (int i = 0; i < 4; ++i)
    shares.emplace_back(budget, [&ended, i](const std::string&) { ended.push_back(i); });
  std::int64_t since = 4;
  for (ReceiveBudget::Share& share : shares) EXPECT_TRUE(share.hold(25, 25, since--));
  ReceiveBudget::Share requesting(budget, [](const std::string&) {});
  EXPECT_TRUE(requesting.hold(45, 45));
  EXPECT_THAT(ended, ::testing::UnorderedElementsAre(3, 2));
  EXPECT_EQ(budget->bytes(), 95u);
}

TEST(ReceiveBudget, DoesNotCountCompleteMessages) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share one(budget, [](const std::string&) {}), other(budget, [](const std::string&) {});
  EXPECT_TRUE(one.hold(80, 90));
  one.complete(10);
  EXPECT_FALSE(one.receiving());
  EXPECT_EQ(budget->bytes(), 0u);
  EXPECT_EQ(budget->cached_bytes(), 10u);
  EXPECT_TRUE(other.hold(100, 100)) << "the whole budget";
}

TEST(ReceiveBudget, ReclaimsBuffersBeyondHalf) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share one(budget, [](const std::string&) {}), other(budget, [](const std::string&) {});
  EXPECT_TRUE(one.done(40));
  EXPECT_FALSE(other.done(11));
  EXPECT_TRUE(other.done(0));
  EXPECT_TRUE(other.hold(100, 100)) << "cached buffers do not reduce the receive budget";
}

TEST(ReceiveBudget, DoesNotWaitForClosedShares) {
  ReceiveBudget::End ended = [](const std::string&) {};
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share share(budget, ended);
  EXPECT_TRUE(share.hold(1, 1));
  EXPECT_TRUE(budget->receiving());
  budget->end_timed_out(kExpired_ms);
  EXPECT_FALSE(budget->receiving());
}

TEST(ReceiveBudget, ClosesLateMessagesOnlyWithoutUnreadInput) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  bool has_input = true, ended = false;
  ReceiveBudget::Share share(
      budget, [&](const std::string&) { ended = true; }, ReceiveBudget::Timed::yes,
      [&] { return has_input; });
  EXPECT_TRUE(share.hold(10, 10));
  budget->end_timed_out(kExpired_ms);
  EXPECT_FALSE(ended);
  has_input = false;
  budget->end_timed_out(3'600'000);
  EXPECT_FALSE(ended) << "not late yet";
  budget->end_timed_out(kExpired_ms);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace orbtest
