#include "sca/cf222/redeployment_pause.h"

#include <gtest/gtest.h>

#include <vector>

namespace orbweaver::sca {
namespace {

TEST(RedeploymentPause, GrowsWithTheLossesSoonAfterACreation) {
  Redeployment redeployment;
  std::vector<std::int64_t> pauses;
  std::int64_t now = 1'000'000;
  for (int loss = 0; loss < 7; ++loss) {
    count_loss(redeployment, now);
    pauses.push_back(left_pause_s(redeployment, now));
    now = redeployment.again_s = now + pauses.back();
    EXPECT_EQ(left_pause_s(redeployment, now), 0) << "at its end";
    now += kSoonS - 1;
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{0, 0, 10, 60, 600, 3600, 3600}));
}

TEST(RedeploymentPause, IsNoneAfterALossThatIsNotSoon) {
  Redeployment redeployment;
  redeployment.again_s = 1000;
  redeployment.losses = 5;
  count_loss(redeployment, 1000 + kSoonS);
  EXPECT_EQ(redeployment.losses, 0);
  EXPECT_EQ(left_pause_s(redeployment, 1000 + kSoonS), 0);
}

TEST(RedeploymentPause, IsNotExtendedByAClockThatIsSetBack) {
  Redeployment redeployment;
  redeployment.again_s = 1'000'000;
  redeployment.losses = 5;
  count_loss(redeployment, 1'000'000);
  EXPECT_EQ(left_pause_s(redeployment, 1'000'000), 3600);
  EXPECT_EQ(left_pause_s(redeployment, 10), 0);
}

}  // namespace
}  // namespace orbweaver::sca
