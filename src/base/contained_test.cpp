#include "base/contained.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/log.h"

namespace orbweaver {
namespace {

TEST(Contained, ReportsAnException) {
  log::set_level("warn");
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(contained("a connection is ended", [] { throw std::runtime_error("its own trouble"); }));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("a connection is ended: its own trouble"), std::string::npos);
  EXPECT_TRUE(contained("a connection is ended", [] {}));
}

/// A peer may cause them as often as it likes.
TEST(Contained, LogsExceptionsAtALimitedRate) {
  log::set_level("warn");
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 1'000; ++i) contained("a connection is ended", [] { throw 42; });
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 500);
}

}  // namespace
}  // namespace orbweaver
