#include "sca/device/component_processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace orbweaver::sca {
namespace {

using Process = DeviceProcesses::Process;

struct ComponentProcessesTest : ::testing::Test {
  std::vector<Process> running;
  ComponentProcesses components{[this](const Process& process) {
    return std::find(running.begin(), running.end(), process) != running.end();
  }};
};

TEST_F(ComponentProcessesTest, HasThoseThatRun) {
  running = {{100, 1}, {200, 3}};
  components.add("source", {100, 1}, 8);
  components.add("filter", {101, 2}, 8);
  components.add("sink", {200, 3}, 8);
  components.add("log", {200, 3}, 8);
  EXPECT_EQ(components.text(), "200 log\n200 sink\n100 source\n");
}

TEST_F(ComponentProcessesTest, TakesNoLaterProcessWithTheSameIdForOneThatHasEnded) {
  running = {{100, 1}};
  components.add("source", {100, 1}, 8);
  running = {{100, 2}};
  components.add("sink", {100, 2}, 8);
  EXPECT_EQ(components.text(), "100 sink\n");
}

}  // namespace
}  // namespace orbweaver::sca
