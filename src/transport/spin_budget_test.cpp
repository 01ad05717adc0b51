#include "transport/spin_budget.h"

#include <gtest/gtest.h>

namespace orbweaver::transport {
namespace {

int spins_among(SpinBudget& budget, int waits) {
  int spins = 0;
  for (int i = 0; i < waits; ++i) {
    if (budget.next_ns() == 0) continue;
    ++spins;
    budget.wasted();
  }
  return spins;
}

TEST(SpinBudget, GivesUpWhereSpinningNeverPays) {
  SpinBudget budget;
  spins_among(budget, 100);
  EXPECT_LE(spins_among(budget, 1000), 20);
}

TEST(SpinBudget, TriesAtEqualDistancesHoweverLongItHasNotPaid) {
  SpinBudget budget;
  spins_among(budget, 100);
  EXPECT_EQ(spins_among(budget, 64 * 1000), 1000);
}

TEST(SpinBudget, FindsOutWhenSpinningPaysAgain) {
  SpinBudget budget;
  spins_among(budget, 100);
  int waits = 0;
  while (budget.next_ns() == 0) ASSERT_LT(++waits, 100);
  budget.paid();
  EXPECT_GT(budget.next_ns(), 10'000);
}

}  // namespace
}  // namespace orbweaver::transport
