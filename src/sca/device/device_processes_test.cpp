#include "sca/device/device_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;

struct DeviceProcessesInput : ::testing::Test {
  /// Starts a process of the shell, whose standard input is a pipe.
  DeviceProcesses::Process start(const std::string& script) {
    platform::SpawnRequest request{"/bin/sh", {"-c", script}, {}};
    request.has_input = true;
    return processes.start("sh", std::move(request)).process;
  }
  bool prints(std::size_t count) {
    return becomes_true([&] {
      const std::lock_guard lock(mutex);
      return lines.size() >= count;
    });
  }

  std::mutex mutex;
  std::vector<std::string> lines;
  DeviceProcesses processes{[this](const std::string&, int, const std::string& line) {
                              const std::lock_guard lock(mutex);
                              lines.push_back(line);
                            },
                            [](const DeviceProcesses::End&) {}};
};

TEST_F(DeviceProcessesInput, WaitsForAProcessThatDoesNotReadWhileOthersGoOn) {
  const auto silent = start("exec sleep 1000");
  EXPECT_EQ(processes.write_input(silent, std::string(500'000, 'x')), 0);
  const auto other = start("read line; echo $line; exec sleep 1000");
  EXPECT_EQ(processes.write_input(other, "it runs\n"), 0);
  ASSERT_TRUE(prints(1));
  EXPECT_EQ(lines[0], "it runs");
  EXPECT_EQ(processes.write_input(silent, std::string(DeviceProcesses::kMaxInputBytes, 'x')), EAGAIN);
  EXPECT_TRUE(processes.terminate(silent.pid, 100'000));
  EXPECT_EQ(processes.write_input(silent, "x"), ESRCH);
}

TEST_F(DeviceProcessesInput, BelongsToOneProcessNotToALaterOneWithItsId) {
  const auto process = start("exec sleep 1000");
  const DeviceProcesses::Process ended{process.pid, process.serial - 1};
  EXPECT_EQ(processes.write_input(ended, "x"), ESRCH);
  EXPECT_FALSE(processes.runs(ended));
  EXPECT_TRUE(processes.runs(process));
}

TEST_F(DeviceProcessesInput, IsReadLaterInItsOrder) {
  constexpr int kLines = 5000;
  const auto late = start("exec head -n " + std::to_string(kLines));
  ASSERT_EQ(kill(late.pid, SIGSTOP), 0);
  std::vector<std::string> expected;
  for (int i = 0; i < kLines; ++i) expected.push_back(std::to_string(i) + std::string(90, 'x'));
  for (const std::string& line : expected) ASSERT_EQ(processes.write_input(late, line + "\n"), 0);
  ASSERT_EQ(kill(late.pid, SIGCONT), 0);
  ASSERT_TRUE(prints(kLines));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(lines, expected);
}

TEST_F(DeviceProcessesInput, ReportsAProcessThatHasClosedIt) {
  const auto closed = start("exec 0<&-; echo closed; exec sleep 1000");
  ASSERT_TRUE(prints(1));
  EXPECT_EQ(processes.write_input(closed, "x"), EPIPE);
}

}  // namespace
}  // namespace orbweaver::sca
