#include "orb/service_budget.h"

#include <gtest/gtest.h>

#include <array>

namespace orbweaver::orb {
namespace {

constexpr std::size_t kLarge = ServiceBudget::kLeastCounted;

TEST(ServiceBudget, RefusesRequestsBeyondIt) {
  ServiceBudget budget(3 * kLarge);
  ServiceBudget::Share one(budget, {}), other(budget, {});
  EXPECT_TRUE(one.begin_request(2 * kLarge));
  EXPECT_FALSE(other.begin_request(2 * kLarge));
  EXPECT_EQ(budget.request_bytes(), 2 * kLarge);
  EXPECT_TRUE(other.begin_request(kLarge));
  one.end_request();
  EXPECT_TRUE(other.begin_request(3 * kLarge)) << "in place of its own";
}

TEST(ServiceBudget, CountsNothingOfAConnectionThatIsGone) {
  ServiceBudget budget(4 * kLarge);
  {
    ServiceBudget::Share one(budget, {});
    EXPECT_TRUE(one.begin_request(2 * kLarge));
    one.begin_reply(kLarge);
    EXPECT_EQ(budget.reply_bytes(), kLarge);
  }
  EXPECT_EQ(budget.request_bytes(), 0u);
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

TEST(ServiceBudget, EndsTheRepliesThatWaitedLongest) {
  ServiceBudget budget(3 * kLarge);
  std::array<bool, 4> ended{};
  const auto end = [&](std::size_t i) { return [&ended, i](const std::string&) { ended[i] = true; }; };
  ServiceBudget::Share zero(budget, end(0)), one(budget, end(1)), two(budget, end(2)), three(budget, end(3));
  one.begin_reply(kLarge);
  zero.begin_reply(kLarge);
  two.begin_reply(kLarge);
  one.end_reply();
  one.begin_reply(kLarge);  // now the youngest
  EXPECT_EQ(ended, (std::array{false, false, false, false}));
  three.begin_reply(2 * kLarge);
  EXPECT_EQ(ended, (std::array{true, false, true, false}));
  EXPECT_EQ(budget.reply_bytes(), 3 * kLarge);
  zero.end_reply();
  two.end_reply();
  EXPECT_EQ(budget.reply_bytes(), 3 * kLarge) << "those that were ended are counted no longer";
}

TEST(ServiceBudget, DoesNotCountSmallReplies) {
  ServiceBudget budget(kLarge);
  ServiceBudget::Share one(budget, {});
  one.begin_reply(kLarge - 1);
  EXPECT_EQ(budget.reply_bytes(), 0u);
}

}  // namespace
}  // namespace orbweaver::orb
