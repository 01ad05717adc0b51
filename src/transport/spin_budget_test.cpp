#include "transport/spin_budget.h"

#include <gtest/gtest.h>

namespace orbweaver::transport {
namespace {

int spins_among(SpinBudget& budget, int waits) {
  int spins = 0;
  for (int i = 0; i < waits; ++i) {
    if (budget.next_ns() == 0) continue;
    ++spins;
    budget.record_failure();
  }
  return spins;
}

TEST(SpinBudget, StopsSpinningWhenItNeverSucceeds) {
  SpinBudget budget;
  spins_among(budget, 100);
  EXPECT_LE(spins_among(budget, 1000), 20);
}

TEST(SpinBudget, ProbesAtAFixedInterval) {
  SpinBudget budget;
  spins_among(budget, 100);
  EXPECT_EQ(spins_among(budget, 64 * 1000), 1000);
}

TEST(SpinBudget, RecoversWhenSpinningSucceeds) {
  SpinBudget budget;
  spins_among(budget, 100);
  int waits = 0;
  while (budget.next_ns() == 0) ASSERT_LT(++waits, 100);
  budget.record_success();
  EXPECT_GT(budget.next_ns(), 10'000);
}

}  // namespace
}  // namespace orbweaver::transport
