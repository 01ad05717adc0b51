#include "sca/launch/console.h"

#include <gtest/gtest.h>

namespace orbweaver::sca {
namespace {

std::string printed(const std::string& line) {
  ::testing::internal::CaptureStderr();
  Console(true, false).line(line);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Console, EscapesIdsOfOtherPrograms) {
  EXPECT_EQ(printed("component a\x1b[2J\u202eb failed"), "component a\\x1b[2J\\u{202e}b failed\n");
  EXPECT_EQ(printed("ends\r\nfailed: b"), "ends\\x0d\n  failed: b\n") << "no line looks like another message";
  EXPECT_EQ(printed("15 °C, ready"), "15 °C, ready\n");
}

TEST(Console, KeepsTheColumnsOfComponents) {
  EXPECT_EQ(without_control_characters("a\tb\x1b[1m"), "a b?[1m");
}

}  // namespace
}  // namespace orbweaver::sca
