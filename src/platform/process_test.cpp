#include "platform/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

namespace orbweaver::platform {
namespace {

std::string all_output(const ChildProcess& child) {
  std::string all;
  for (bool at_end = false; !at_end;) {
    Poller poller;
    poller.add(child.output());
    poller.wait(120'000);
    all += read_available(child.output(), at_end);
  }
  return all;
}

ChildProcess shell(const std::string& script) {
  ChildProcess child;
  EXPECT_EQ(child.spawn({"/bin/sh", {"-c", script}, {}}), 0);
  return child;
}

TEST(ChildProcess, DescribesItsExit) {
  EXPECT_EQ(describe(shell("exit 3").reap()), "exited with status 3");
  EXPECT_EQ(describe(shell("kill -SEGV $$").reap()), "killed by SIGSEGV");
  EXPECT_TRUE(shell("true").reap().clean());
}

TEST(ChildProcess, ReportsSpawnErrors) {
  ChildProcess child;
  EXPECT_EQ(child.spawn({"/nowhere/at/all", {}, {}}), ENOENT);
  EXPECT_EQ(child.spawn({"/etc/passwd", {}, {}}), EACCES);
  EXPECT_FALSE(child.running());
}

TEST(ChildProcess, CapturesBothOutputs) {
  auto child = shell("echo out; echo err >&2; echo $EXTRA");
  EXPECT_EQ(all_output(child), "out\nerr\n\n");
  ChildProcess other;
  ASSERT_EQ(other.spawn({"/bin/sh", {"-c", "echo $EXTRA"}, {"EXTRA=value"}}), 0);
  EXPECT_EQ(all_output(other), "value\n");
}

TEST(ChildProcess, HasAVariableOnceThatIsAdded) {
  ASSERT_EQ(::setenv("ORBWEAVER_TEST_TWICE", "old", 1), 0);
  ASSERT_EQ(::setenv("ORBWEAVER_TEST_TWICE_MORE", "kept", 1), 0);
  ChildProcess child;
  ASSERT_EQ(child.spawn({"/usr/bin/env", {}, {"ORBWEAVER_TEST_TWICE=new"}}), 0);
  const std::string environment = all_output(child);
  const auto has = [&](const char* setting) { return environment.find(setting) != std::string::npos; };
  EXPECT_TRUE(has("ORBWEAVER_TEST_TWICE=new\n"));
  EXPECT_FALSE(has("ORBWEAVER_TEST_TWICE=old\n"));
  EXPECT_TRUE(has("ORBWEAVER_TEST_TWICE_MORE=kept\n"));
  ::unsetenv("ORBWEAVER_TEST_TWICE");
  ::unsetenv("ORBWEAVER_TEST_TWICE_MORE");
}

TEST(ChildProcess, SignalsItsExitByADescriptor) {
  auto child = shell("exec sleep 1000");
  Poller poller;
  poller.add(child.ended());
  EXPECT_FALSE(poller.wait(0));
  child.terminate();
  EXPECT_TRUE(poller.wait(120'000));
  EXPECT_EQ(describe(child.reap()), "killed by SIGTERM");
}

TEST(ChildProcess, IgnoresSigintButNotSigterm) {
  auto child = shell("echo up; exec sleep 1000");
  Poller poller;
  poller.add(child.output());
  EXPECT_TRUE(poller.wait(120'000));
  child.signal(SIGINT);
  child.terminate();  // after SIGINT, which would have ended it
  EXPECT_EQ(describe(child.reap()), "killed by SIGTERM");
}

TEST(ChildProcess, DiesWithTheThreadThatStartedIt) {
  ChildProcess child;
  std::thread([&] { ASSERT_EQ(child.spawn({"/bin/sleep", {"100"}, {}}), 0); }).join();
  EXPECT_EQ(describe(child.reap()), "killed by SIGKILL");
}

TEST(ChildProcess, InheritsNoOtherDescriptors) {
  const int stray = ::dup(1);  // without close-on-exec
  // The command has no pipe: the shell would hold an end of it while it starts the second program.
  auto child = shell("ls /proc/$$/fd; true");
  EXPECT_EQ(all_output(child), "0\n1\n2\n");
  child.reap();
  ::close(stray);
}

TEST(ChildProcess, IsKilledByTheDestructor) {
  int pid = 0;
  {
    const auto child = shell("sleep 100");
    pid = child.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(ChildProcess, ReportsCpuTime) {
  auto child = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  const auto end = child.reap();
  EXPECT_GT(end.usage.user_ns + end.usage.system_ns, 0);
}

TEST(TerminationSignals, AreReadFromADescriptor) {
  TerminationSignals signals;
  EXPECT_EQ(signals.take(), 0);
  ::raise(SIGTERM);
  Poller poller;
  poller.add(signals.arrived());
  EXPECT_TRUE(poller.wait(1000));
  EXPECT_EQ(signals.take(), SIGTERM);
}

}  // namespace
}  // namespace orbweaver::platform
