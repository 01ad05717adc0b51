#include "base/catch_and_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/log.h"

namespace orbweaver {
namespace {

TEST(CatchAndLog, ReportsAnException) {
  log::set_level("warn");
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(catch_and_log("connection closed", [] { throw std::runtime_error("no memory"); }));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("connection closed: no memory"), std::string::npos);
  EXPECT_TRUE(catch_and_log("connection closed", [] {}));
}

/// A peer can cause exceptions without limit.
TEST(CatchAndLog, LogsExceptionsAtALimitedRate) {
  log::set_level("warn");
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 1'000; ++i) catch_and_log("connection closed", [] { throw 42; });
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 500);
}

}  // namespace
}  // namespace orbweaver
