#include "sca/device_state/capacity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace orbweaver::sca {
namespace {

CapacityAccount account() {
  CapacityAccount account;
  account.add("cores", 4);
  account.add("memory_mb", 512);
  return account;
}

TEST(CapacityAccount, AllocatesAllAmountsOrNone) {
  CapacityAccount device = account();
  ASSERT_TRUE(device.allocate({{"cores", 1}, {"memory_mb", 256}}));
  const auto refused = device.allocate({{"cores", 1}, {"memory_mb", 257}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(refused.error().message, "257 of memory_mb, of which 256 are left");
  EXPECT_EQ(device.left("cores"), 3);
  EXPECT_EQ(device.left("memory_mb"), 256);
}

TEST(CapacityAccount, AddsUpAmountsOfOneCapacity) {
  CapacityAccount device = account();
  EXPECT_FALSE(device.allocate({{"cores", 3}, {"cores", 2}}));
  EXPECT_TRUE(device.allocate({{"cores", 3}, {"cores", 1}}));
  EXPECT_EQ(device.left("cores"), 0);
}

TEST(CapacityAccount, RejectsWhatIsNoAmountOfACapacity) {
  CapacityAccount device = account();
  for (const double amount : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(device.allocate({{"cores", amount}}).error().kind, ErrorKind::invalid) << amount;
    EXPECT_EQ(device.deallocate({{"cores", amount}}).error().kind, ErrorKind::invalid) << amount;
  }
  EXPECT_EQ(device.allocate({{"gpus", 1}}).error().message, "the device has no capacity 'gpus'");
}

TEST(CapacityAccount, TakesBackOnlyWhatIsAllocated) {
  CapacityAccount device = account();
  ASSERT_TRUE(device.allocate({{"cores", 1}}));
  EXPECT_EQ(device.deallocate({{"cores", 2}}).error().message, "2 of cores is returned, and 1 are allocated");
  EXPECT_EQ(device.left("cores"), 3);
  EXPECT_TRUE(device.deallocate({{"cores", 1}}));
  EXPECT_EQ(device.left("cores"), 4);
}

TEST(CapacityAccount, ReportsItsUsage) {
  CapacityAccount device = account();
  EXPECT_EQ(device.usage(), UsageState::idle);
  ASSERT_TRUE(device.allocate({{"cores", 4}}));
  EXPECT_EQ(device.usage(), UsageState::active);
  ASSERT_TRUE(device.allocate({{"memory_mb", 512}}));
  EXPECT_EQ(device.usage(), UsageState::busy);
  ASSERT_TRUE(device.deallocate({{"cores", 4}, {"memory_mb", 512}}));
  EXPECT_EQ(device.usage(), UsageState::idle);
}

TEST(CapacityAccount, IsExactAfterManyFractions) {
  CapacityAccount device;
  device.add("load", 1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(device.allocate({{"load", 0.1}})) << i;
  EXPECT_EQ(device.usage(), UsageState::busy);
  EXPECT_FALSE(device.allocate({{"load", 0.001}}));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(device.deallocate({{"load", 0.1}})) << i;
  EXPECT_EQ(device.usage(), UsageState::idle);
  EXPECT_EQ(device.left("load"), 1);
}

}  // namespace
}  // namespace orbweaver::sca
