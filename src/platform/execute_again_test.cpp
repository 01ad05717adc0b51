#include "platform/execute_again.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "platform/process.h"

namespace orbweaver::platform {
namespace {

/// What the child of the test does: it executes itself again from a second thread.
void run_child() {
  if (const char* const mark = std::getenv("ORBWEAVER_EXECUTED_AGAIN")) {
    std::fprintf(stderr, "again %s, %s, process %d\n", mark, std::getenv("ORBWEAVER_KEPT"), getpid());
    return;
  }
  std::fprintf(stderr, "first, process %d\n", getpid());
  std::thread([] { execute_again("ORBWEAVER_EXECUTED_AGAIN=a b"); }).join();
  FAIL() << "it was not executed again";
}

TEST(ExecuteAgain, KeepsProcessArgumentsAndEnvironment) {
  if (std::getenv("ORBWEAVER_KEPT") != nullptr) return run_child();
  ChildProcess child;
  ASSERT_EQ(child.spawn({executable_path(),
                         {"--gtest_filter=ExecuteAgain.KeepsProcessArgumentsAndEnvironment", ""},
                         {"ORBWEAVER_KEPT=kept"}}),
            0);
  std::string output;
  for (bool at_end = false; !at_end;) {
    Poller poller;
    poller.add(child.output());
    ASSERT_TRUE(poller.wait(120'000)) << output;
    output += read_available(child.output(), at_end);
  }
  const std::string process = std::to_string(child.pid());
  EXPECT_TRUE(child.reap().clean()) << output;
  EXPECT_NE(output.find("first, process " + process + "\n"), std::string::npos) << output;
  EXPECT_NE(output.find("again a b, kept, process " + process + "\n"), std::string::npos) << output;
}

}  // namespace
}  // namespace orbweaver::platform
