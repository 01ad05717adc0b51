#include "sca/launch/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kHang_ms = 120'000;  // exceeded only by a hang

struct Supervised {
  std::vector<std::string> lines;
  Supervisor supervisor{[this](const std::string& process, const std::string& line) {
    lines.push_back(process + "| " + line);
  }};

  std::size_t shell(const std::string& name, const std::string& script) {
    return *supervisor.start(name, {"/bin/sh", {"-c", script}, {}});
  }
  void until_ended(std::size_t index) {
    for (int i = 0; i < kHang_ms / 10 && !supervisor.end(index); ++i) supervisor.handle_events(10);
  }
  void until_lines(std::size_t count) {
    for (int i = 0; i < kHang_ms / 10 && lines.size() < count; ++i) supervisor.handle_events(10);
  }
};

TEST(Supervisor, ForwardsLinesWithTheProcessName) {
  Supervised s;
  const auto a = s.shell("a", "printf 'one\\ntw'; sleep 0.05; printf 'o\\nlast words'; kill -9 $$");
  s.until_ended(a);
  EXPECT_THAT(s.lines, ElementsAre("a| one", "a| two", "a| last words"));
  EXPECT_EQ(platform::describe(*s.supervisor.end(a)), "killed by SIGKILL");
}

TEST(Supervisor, SplitsOverlongLines) {
  Supervised s;
  const auto a = s.shell("a", "head -c 1000000 /dev/zero | tr '\\0' x");
  s.until_ended(a);
  EXPECT_GT(s.lines.size(), 10u);
}

TEST(Supervisor, ReadsFromAProcessThatPrintsWithoutEndInTurn) {
  std::size_t lines = 0;
  int pid = -1;
  Supervisor supervisor([&](const std::string&, const std::string&) {
    if (++lines == 5'000'000) ::kill(pid, SIGKILL);  // otherwise the test would not end
  });
  pid = supervisor.pid(*supervisor.start("a", {"/bin/sh", {"-c", "exec yes"}, {}}));
  while (lines == 0) supervisor.handle_events(10);
  EXPECT_LT(lines, 100'000u) << "of two octets each";
  EXPECT_FALSE(supervisor.end(0));
}

TEST(Supervisor, ReportsAProgramThatCannotBeStarted) {
  Supervised s;
  EXPECT_THAT(s.supervisor.start("a", {"/nowhere", {}, {}}).error().message,
              HasSubstr("cannot start /nowhere for a: No such file or directory"));
}

TEST(Supervisor, DetectsAProcessExit) {
  Supervised s;
  const auto a = s.shell("a", "sleep 100 & wait");
  const auto b = s.shell("b", "exit 7");
  s.until_ended(b);
  EXPECT_EQ(s.supervisor.end(b)->code, 7);
  EXPECT_FALSE(s.supervisor.end(a));
  s.supervisor.kill_all();
  s.until_ended(a);
  EXPECT_TRUE(s.supervisor.all_ended());
}

TEST(Supervisor, WaitsForProcessesThatExit) {
  Supervised s;
  const auto exiting = s.shell("exiting", "sleep 0.05; exit 3");
  s.supervisor.shut_down_all(kHang_ms, kHang_ms);
  EXPECT_EQ(platform::describe(*s.supervisor.end(exiting)), "exited with status 3");
}

TEST(Supervisor, TerminatesProcessesThatDoNotExit) {
  Supervised s;
  const auto running = s.shell("running", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.02; done");
  s.until_lines(1);
  s.supervisor.shut_down_all(10, kHang_ms);
  EXPECT_EQ(platform::describe(*s.supervisor.end(running)), "exited with status 4");
}

TEST(Supervisor, KillsProcessesThatIgnoreTermination) {
  Supervised s;
  const auto stubborn = s.shell("stubborn", "trap '' TERM; echo ready; while :; do sleep 0.02; done");
  s.until_lines(1);
  s.supervisor.shut_down_all(10, 10);
  EXPECT_EQ(platform::describe(*s.supervisor.end(stubborn)), "killed by SIGKILL");
}

TEST(Supervisor, QueuesAStopSignal) {
  Supervised s;
  ::raise(SIGINT);
  s.supervisor.handle_events(1000);
  EXPECT_EQ(s.supervisor.take_stop_signal(), SIGINT);
  EXPECT_EQ(s.supervisor.take_stop_signal(), 0);
}

TEST(Supervisor, KillsItsProcessesOnDestruction) {
  int pid = 0;
  {
    Supervised s;
    pid = s.supervisor.pid(s.shell("a", "sleep 100"));
    ASSERT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace orbweaver::sca
