#include "orb/server/service_budget.h"

#include <gtest/gtest.h>

#include <array>

namespace orbweaver::orb {
namespace {

constexpr std::size_t kLarge = ServiceBudget::kMinCountedBytes;
const Peer kHere{"pid 1", 1, 1000}, kHost{"192.0.2.1:4711"};

TEST(ServiceBudget, RejectsRequestsBeyondTheLimit) {
  ServiceBudget budget(3 * kLarge, 3 * kLarge);
  ServiceBudget::Share one(budget, {}), other(budget, {});
  one.count_for(kHere);
  other.count_for(kHere);
  EXPECT_TRUE(one.begin_request(2 * kLarge));
  EXPECT_FALSE(other.begin_request(2 * kLarge));
  EXPECT_EQ(budget.request_bytes(), 2 * kLarge);
  EXPECT_TRUE(other.begin_request(kLarge));
  one.end_request();
  EXPECT_TRUE(other.begin_request(3 * kLarge)) << "replaces its previous request";
}

TEST(ServiceBudget, HasOneLimitForRequestsAndOneForReplies) {
  ServiceBudget budget(2 * kLarge, 4 * kLarge);
  bool ended = false;
  ServiceBudget::Share one(budget, {}), other(budget, [&](const std::string&) { ended = true; });
  EXPECT_FALSE(one.begin_request(3 * kLarge));
  other.begin_reply(3 * kLarge);
  one.begin_reply(kLarge);
  EXPECT_FALSE(ended);
  one.begin_reply(2 * kLarge);
  EXPECT_TRUE(ended);
}

TEST(ServiceBudget, CountsNothingForAClosedConnection) {
  ServiceBudget budget(4 * kLarge, 4 * kLarge);
  {
    ServiceBudget::Share one(budget, {});
    EXPECT_TRUE(one.begin_request(2 * kLarge));
    one.begin_reply(kLarge);
    EXPECT_EQ(budget.reply_bytes(), kLarge);
  }
  EXPECT_EQ(budget.request_bytes(), 0u);
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

TEST(ServiceBudget, ClosesTheConnectionsWhoseRepliesWaitedLongest) {
  ServiceBudget budget(3 * kLarge, 3 * kLarge);
  std::array<bool, 4> ended{};
  const auto end = [&](std::size_t i) { return [&ended, i](const std::string&) { ended[i] = true; }; };
  ServiceBudget::Share zero(budget, end(0)), one(budget, end(1)), two(budget, end(2)), three(budget, end(3));
  one.begin_reply(kLarge);
  zero.begin_reply(kLarge);
  two.begin_reply(kLarge);
  one.end_reply();
  one.begin_reply(kLarge);  // now the latest
  EXPECT_EQ(ended, (std::array{false, false, false, false}));
  three.begin_reply(2 * kLarge);
  EXPECT_EQ(ended, (std::array{true, false, true, false}));
  EXPECT_EQ(budget.reply_bytes(), 3 * kLarge);
  zero.end_reply();
  two.end_reply();
  EXPECT_EQ(budget.reply_bytes(), 3 * kLarge) << "closed connections are not counted";
}

TEST(ServiceBudget, KeepsAQuarterOfRequestsForUsersOfThisHost) {
  ServiceBudget budget(8 * kLarge, 8 * kLarge);
  ServiceBudget::Share one(budget, {}), other(budget, {}), local(budget, {});
  one.count_for(kHost);
  other.count_for(kHost);
  local.count_for(kHere);
  EXPECT_TRUE(one.begin_request(5 * kLarge));
  EXPECT_FALSE(other.begin_request(2 * kLarge));
  EXPECT_TRUE(local.begin_request(3 * kLarge));
  EXPECT_EQ(budget.request_bytes(), 8 * kLarge);
  one.end_request();
  local.end_request();
  EXPECT_TRUE(other.begin_request(8 * kLarge)) << "a single request may be as large as the limit";
  other.end_request();
  EXPECT_EQ(budget.request_bytes(), 0u);
}

TEST(ServiceBudget, ClosesConnectionsOfThePeerWithTheMostUnreadBytes) {
  ServiceBudget budget(8 * kLarge, 8 * kLarge);
  std::array<bool, 4> ended{};
  const auto end = [&](std::size_t i) { return [&ended, i](const std::string&) { ended[i] = true; }; };
  ServiceBudget::Share local(budget, end(0)), one(budget, end(1)), two(budget, end(2)), three(budget, end(3));
  local.count_for(kHere);
  for (ServiceBudget::Share* const each : {&one, &two, &three}) each->count_for(kHost);
  local.begin_reply(2 * kLarge);
  one.begin_reply(3 * kLarge);
  two.begin_reply(3 * kLarge);
  three.begin_reply(3 * kLarge);
  EXPECT_EQ(ended, (std::array{false, true, false, false})) << "not the one that has waited longest";
  EXPECT_EQ(budget.reply_bytes(), 8 * kLarge);
}

TEST(ServiceBudget, ClosesTheConnectionOfTheExcessReply) {
  ServiceBudget budget(4 * kLarge, 4 * kLarge);
  bool ended = false, other_ended = false;
  ServiceBudget::Share local(budget, [&](const std::string&) { other_ended = true; });
  ServiceBudget::Share one(budget, [&](const std::string&) { ended = true; });
  local.count_for(kHere);
  one.count_for(kHost);
  local.begin_reply(kLarge);
  one.begin_reply(4 * kLarge);
  EXPECT_TRUE(ended);
  EXPECT_FALSE(other_ended);
  EXPECT_EQ(budget.reply_bytes(), kLarge);
  one.end_reply();
  EXPECT_EQ(budget.reply_bytes(), kLarge);
}

TEST(ServiceBudget, AdmitsASingleReplyBeyondTheLimit) {
  ServiceBudget budget(2 * kLarge, 2 * kLarge);
  bool ended = false;
  ServiceBudget::Share one(budget, [&](const std::string&) { ended = true; });
  one.begin_reply(3 * kLarge);
  EXPECT_FALSE(ended);
}

TEST(ServiceBudget, DoesNotCountSmallReplies) {
  ServiceBudget budget(kLarge, kLarge);
  ServiceBudget::Share one(budget, {});
  one.begin_reply(kLarge - 1);
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

}  // namespace
}  // namespace orbweaver::orb
