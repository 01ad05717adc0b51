#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include <orbweaver/streams/payload_limits.h>

namespace orbweaver::streams {
namespace {

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

TEST(PayloadLimits, RejectsInvalidSizes) {
  const auto make = [](PayloadSizes sizes, std::uint32_t largest) { PayloadLimits limits(sizes, largest); };
  EXPECT_NO_THROW(make({100, 0, 1}, 100));
  EXPECT_NO_THROW(make({kMost, kMost, kMost}, kMost));
  EXPECT_THROW(make({0, 0, 0}, 100), std::invalid_argument);
  EXPECT_THROW(make({100, 0, 0}, 100), std::invalid_argument);
  EXPECT_THROW(make({100, 51, 50}, 100), std::invalid_argument);
  EXPECT_THROW(make({100, 0, 101}, 100), std::invalid_argument);
  EXPECT_THROW(make({101, 0, 1}, 100), std::invalid_argument);
}

TEST(PayloadLimits, ChangesNothingForInvalidSizes) {
  PayloadLimits limits({100, 10, 50, 7}, 1000);
  EXPECT_FALSE(limits.set_max(0));
  EXPECT_FALSE(limits.set_max(49)) << "less than desired";
  EXPECT_FALSE(limits.set_max(1001)) << "more than the capacity";
  EXPECT_FALSE(limits.set_max(kMost));
  EXPECT_FALSE(limits.set_min(51)) << "more than desired";
  EXPECT_FALSE(limits.set_desired(0));
  EXPECT_FALSE(limits.set_desired(9));
  EXPECT_FALSE(limits.set_desired(101));
  const PayloadSizes sizes = limits.sizes();
  EXPECT_EQ(sizes.max, 100u);
  EXPECT_EQ(sizes.min, 10u);
  EXPECT_EQ(sizes.desired, 50u);
  EXPECT_EQ(sizes.min_override_timeout_ms, 7u);
}

TEST(PayloadLimits, ChangesOneSizeAtATime) {
  PayloadLimits limits({100, 10, 50}, 1000);
  EXPECT_TRUE(limits.set_max(1000));
  EXPECT_TRUE(limits.set_desired(1000));
  EXPECT_TRUE(limits.set_min(1000));
  EXPECT_TRUE(limits.set_min(0));
  EXPECT_TRUE(limits.set_desired(1));
  EXPECT_TRUE(limits.set_max(1));
  limits.set_min_override_timeout_ms(kMost);
  EXPECT_EQ(limits.sizes().max, 1u);
  EXPECT_EQ(limits.sizes().min_override_timeout_ms, kMost);
}

}  // namespace
}  // namespace orbweaver::streams
