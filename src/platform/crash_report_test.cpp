#include "platform/crash_report.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string>

namespace orbweaver::platform {
namespace {

/// Ends the process by SIGABRT, which no sanitizer handles, with this text.
[[noreturn]] void crash(const std::string& text) {
  report_crashes();
  set_crash_text(text.c_str());
  std::abort();
}

TEST(CrashReportDeathTest, NamesTheSignalBehindTheText) {
  EXPECT_EXIT(crash("component a failed: "), ::testing::KilledBySignal(SIGABRT),
              "^component a failed: SIGABRT\n$");
}

TEST(CrashReportDeathTest, ShortensALongTextAndNotTheSignal) {
  EXPECT_EXIT(crash(std::string(1000, 'x')), ::testing::KilledBySignal(SIGABRT), "^x{100,300}SIGABRT\n$");
}

}  // namespace
}  // namespace orbweaver::platform
