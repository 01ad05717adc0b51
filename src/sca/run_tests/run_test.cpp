#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "platform/process.h"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using orbweaver::platform::ChildProcess;
using orbweaver::platform::describe;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  std::error_code none;
  for (const auto& file : fs::directory_iterator("/dev/shm", none)) {
    if (file.path().filename().string().find("orbweaver") != std::string::npos) names.insert(file.path());
  }
  return names;
}

/// One `orbweaver run`, with what belongs to it told by a mark in its environment and a folder for its
/// temporary files, so that nothing it leaves behind can hide.
class Launch {
 public:
  explicit Launch(std::vector<std::string> arguments) {
    static int count = 0;
    mark_ = "ORBWEAVER_RUN_TEST=" + std::to_string(::getpid()) + "." + std::to_string(++count);
    folder_ = fs::temp_directory_path() /
              ("orbweaver-run-test." + std::to_string(::getpid()) + "." + std::to_string(count));
    fs::create_directories(folder_ / "tmp");
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", (folder_ / "result.json").string()});
    EXPECT_EQ(child_.spawn({ORBWEAVER_COMMAND, arguments, {mark_, "TMPDIR=" + (folder_ / "tmp").string(),
                                                        "ORBWEAVER_RUN_TEST_RUNNING=" + running().string()}}),
              0);
  }
  ~Launch() {
    for (const int pid : processes()) {
      if (pid > 1) ::kill(pid, SIGKILL);
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Waits for the launcher's end, at most 60 s.
  std::string end() {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    for (bool at_end = false; !at_end && std::chrono::steady_clock::now() < deadline;) {
      orbweaver::platform::Poller poller;
      poller.add(child_.output());
      poller.wait(1000);
      output += orbweaver::platform::read_available(child_.output(), at_end);
    }
    if (std::chrono::steady_clock::now() >= deadline) child_.kill();
    return describe(child_.reap());
  }
  nlohmann::json result() const { return nlohmann::json::parse(read_file(folder_ / "result.json")); }

  /// The processes of this run that live, the launcher among them.
  std::vector<int> processes() const {
    std::vector<int> pids;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (read_file(entry.path() / "environ").find(mark_) != std::string::npos)
        pids.push_back(std::stoi(name));
    }
    return pids;
  }
  /// The pid of a component, as soon as it runs.
  int pid_of(const std::string& component) const {
    for (int i = 0; i < 8000; ++i) {
      for (const int pid : processes()) {
        if (read_file("/proc/" + std::to_string(pid) + "/cmdline")
                .find(std::string("COMPONENT_IDENTIFIER\0", 21) + component) != std::string::npos)
          return pid;
      }
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << component << " never ran";
    return -1;
  }
  /// Signals a component of this run, and nobody else: kill() takes -1 for everybody and 0 for our own group.
  int signal(const std::string& component, int number) const {
    const int pid = pid_of(component);
    if (pid > 1) ::kill(pid, number);
    return pid;
  }
  /// Until a sink has received a packet; it makes a file then.
  void until_running() const {
    for (int i = 0; i < 8000 && !fs::exists(running()); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(fs::exists(running())) << "no packet ever arrived";
  }
  /// Sends a signal to the launcher and waits until that has taken it, so that the next is one of its own.
  void interrupt() {
    child_.signal(SIGINT);
    const auto pending = [&] {
      const std::string status = read_file("/proc/" + std::to_string(child_.pid()) + "/status");
      const std::size_t at = status.find("ShdPnd:");
      return at != std::string::npos && (std::stoull(status.substr(at + 7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    };
    for (int i = 0; i < 40'000 && pending(); ++i) std::this_thread::sleep_for(1ms);
  }
  void expect_nothing_left() const {
    for (int i = 0; i < 8000 && !processes().empty(); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(processes().empty()) << processes().size() << " processes";
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    EXPECT_EQ(shared_memory(), shared_before_);
  }
  ChildProcess& launcher() { return child_; }

  std::string output;

 private:
  fs::path running() const { return folder_ / "running"; }

  std::set<std::string> shared_before_ = shared_memory();
  std::string mark_;
  fs::path folder_;
  ChildProcess child_;
};

const std::string kChain = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_chain.sad.xml";
const std::string kTogether = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_together.sad.xml";

nlohmann::json find(const nlohmann::json& list, const char* key, const std::string& value) {
  for (const auto& item : list) {
    if (item[key] == value) return item;
  }
  ADD_FAILURE() << "no " << key << " " << value;
  return {};
}

void expect_whole(const nlohmann::json& result, int packets) {
  EXPECT_EQ(result["outcome"], "completed") << result["message"];
  EXPECT_EQ(result["hops"].size(), 3u);
  for (const auto& hop : result["hops"]) {
    EXPECT_EQ(hop["packets"], packets + 1) << "and the end; " << hop["from"];
    EXPECT_EQ(hop["lost"], 0);
    EXPECT_EQ(hop["reordered"], 0);
    EXPECT_TRUE(hop["end_of_stream"]);
    EXPECT_LE(hop["p50_us"], hop["p99_us"]);
    EXPECT_LE(hop["p99_us"], hop["max_us"]);
  }
  for (const char* sink : {"sink_1", "sink_2"}) {
    const auto stats = find(result["components"], "id", sink)["stats"];
    EXPECT_EQ(stats["mismatches"], 0);
    EXPECT_EQ(stats["samples"], packets * 160);
  }
}

TEST(Run, APacketReachesEverySinkThroughProcessesOfTheirOwn) {
  Launch run({kChain, "--set", "source_1.packets=5000"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 5000);
  std::set<int> pids;
  for (const nlohmann::json result = run.result(); const auto& c : result["components"])
    pids.insert(c["pid"].get<int>());
  EXPECT_EQ(pids.size(), 4u);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_EQ(hop["transport"], "shm");
  EXPECT_THAT(run.output, AllOf(HasSubstr("source_1.out"), HasSubstr("> sink_2.in"), HasSubstr("p99")));
  run.expect_nothing_left();
}

TEST(Run, TheSameComponentsShareAProcessWhereTheAssemblySaysSo) {
  Launch run({kTogether, "--set", "source_1.packets=5000"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 5000);
  std::set<int> pids;
  for (const nlohmann::json result = run.result(); const auto& c : result["components"])
    pids.insert(c["pid"].get<int>());
  EXPECT_EQ(pids.size(), 1u);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_EQ(hop["transport"], "collocated");
  run.expect_nothing_left();
}

TEST(Run, ItsProcessesTakeTheRoadsThatAreAskedFor) {
  Launch run({kChain, "--set", "source_1.packets=500", "--transport", "tcp"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 500);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"]) EXPECT_EQ(hop["transport"], "tcp");
}

#ifdef ORBWEAVER_TEST_PLUGIN
TEST(Run, APlugInsRoadIsOne) {
  Launch run({kChain, "--set", "source_1.packets=500", "--transport-plugin", ORBWEAVER_TEST_PLUGIN, "--transport", "seqpacket"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 500);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_EQ(hop["transport"], "seqpacket");
}
#endif

TEST(Run, WhatIsNoTransportIsSaidBeforeAnythingStarts) {
  Launch plugin({kChain, "--transport-plugin", "./libnowhere.so"});
  EXPECT_EQ(plugin.end(), "exited with status 2");
  Launch road({kChain, "--transport", "pigeon"});
  EXPECT_EQ(road.end(), "exited with status 2");
}

TEST(Run, RealtimeKeepsTheSourceToItsClock) {
  Launch run({kChain, "--realtime", "--set", "source_1.packets=300"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  EXPECT_GE(run.result()["seconds"].get<double>(), 0.299);
  EXPECT_EQ(run.result()["realtime"], true);
}

TEST(Run, CtrlCStopsItInOrder) {
  Launch run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(
      SIGTERM);  // a child ignores SIGINT unless it asks for it; the launcher treats both alike
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  EXPECT_EQ(run.result()["outcome"], "interrupted");
  for (const nlohmann::json result = run.result(); const auto& c : result["components"])
    EXPECT_EQ(c["exit"], "exited with status 0");
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"]) {
    EXPECT_GT(hop["packets"], 0);
    EXPECT_EQ(hop["lost"], 0);
  }
  EXPECT_THAT(run.output, HasSubstr("stopped by SIGTERM"));
  run.expect_nothing_left();
}

TEST(Run, AnInterruptFromTheTerminalIsTakenToo) {
  Launch run({kTogether, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(SIGINT);
  EXPECT_EQ(run.end(), "exited with status 130") << run.output;
  run.expect_nothing_left();
}

TEST(Run, TheSameSignalTwiceAtOnceIsOneButASecondLaterIsImpatience) {
  // Where the machine has no time for this test, the second is a later one: once more, then.
  bool in_time = false;
  for (int attempt = 0; attempt < 5 && !in_time; ++attempt) {
    Launch run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
    run.until_running();
    run.signal("sink_1", SIGSTOP);  // or it would be over before
    const auto first = std::chrono::steady_clock::now();
    run.interrupt();
    run.interrupt();
    in_time = std::chrono::steady_clock::now() - first < 400ms;
    run.signal("sink_1", SIGCONT);
    EXPECT_EQ(run.end(), "exited with status 130") << run.output;
    const nlohmann::json result = run.result();
    const bool at_once = std::all_of(result["components"].begin(), result["components"].end(),
                                     [](const auto& c) { return c["exit"] == "exited with status 0"; });
    if (in_time) {
      EXPECT_TRUE(at_once) << result.dump(2);
    }
  }
  Launch run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.signal("sink_1", SIGSTOP);  // or it would be over before
  run.interrupt();
  std::this_thread::sleep_for(600ms);  // longer than two signals at once are apart: the launcher allows 500 ms
  run.interrupt();
  EXPECT_EQ(run.end(), "exited with status 130") << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("does not stop"))) << "killed at once, not when its time was up";
  run.expect_nothing_left();
}

TEST(Run, AComponentThatIsKilledIsNamedAndTheRestTakenDown) {
  Launch run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  const int pid = run.signal("filter_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("component filter_1 (process " + std::to_string(pid) + ") killed by SIGKILL"));
  EXPECT_EQ(run.result()["outcome"], "failed");
  EXPECT_EQ(find(run.result()["components"], "id", "filter_1")["exit"], "killed by SIGKILL");
  run.expect_nothing_left();
}

TEST(Run, ASinkThatIsKilledAtFullSpeedDoesNotHoldTheRest) {
  Launch run({kChain, "--set", "source_1.packets=100000000"});
  run.until_running();
  run.signal("sink_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  run.expect_nothing_left();
}

TEST(Run, NothingOutlivesALauncherThatIsKilled) {
  for (const std::string& assembly : {kChain, kTogether}) {
    Launch run({assembly, "--realtime", "--set", "source_1.packets=1000000"});
    run.until_running();
    run.launcher().kill();
    EXPECT_EQ(run.end(), "killed by SIGKILL");
    run.expect_nothing_left();
  }
}

TEST(Run, AComponentThatHangsIsKilledAfterItsGrace) {
  Launch run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.signal("filter_1", SIGSTOP);
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

TEST(Run, AComponentThatDoesNotStopIsKilledThoughTheRunWasOver) {
  Launch run({kChain, "--set", "filter_1.trouble=linger"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output, HasSubstr("component filter_1 did not stop within 5 s and was killed"));
  const nlohmann::json result = run.result();
  EXPECT_EQ(find(result["components"], "id", "filter_1")["exit"], "killed by SIGKILL");
  EXPECT_EQ(find(result["components"], "id", "sink_1")["exit"], "exited with status 0")
      << "the others stop in order";
  EXPECT_EQ(find(result["hops"], "to", "sink_2.in")["lost"], 0);
  run.expect_nothing_left();
}

struct Trouble {
  const char* kind;
  const char* said;
};
// For the test's name, which must not hold addresses.
void PrintTo(const Trouble& trouble, std::ostream* os) { *os << trouble.kind; }
class RunInTrouble : public ::testing::TestWithParam<Trouble> {};

TEST_P(RunInTrouble, IsToldWithTheComponentsNameAndEnds) {
  for (const std::string& assembly : {kChain, kTogether}) {
    const auto start = std::chrono::steady_clock::now();
    Launch run({assembly, "--set", std::string("filter_1.trouble=") + GetParam().kind});
    EXPECT_EQ(run.end(), "exited with status 1") << run.output;
    EXPECT_THAT(run.output, AllOf(HasSubstr("filter_1"), HasSubstr(GetParam().said)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, 4s) << "nobody is waited for in vain";
    run.expect_nothing_left();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, RunInTrouble,
    ::testing::Values(Trouble{"initialize", "cannot be initialized: the coefficients are missing"},
                      Trouble{"construct", "the licence has run out"}, Trouble{"abort", "killed by SIGABRT"},
                      Trouble{"exit", "exited with status 7"},
                      Trouble{"throw", "component filter_1 failed: the paper is torn"}),
    [](const auto& trouble) { return trouble.param.kind; });

TEST(Run, BadInputIsOneMessageAndStartsNothing) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& said) {
    Launch run(std::move(arguments));
    EXPECT_EQ(run.end(), "exited with status 2") << run.output;
    EXPECT_THAT(run.output, HasSubstr(said));
    run.expect_nothing_left();
  };
  refused({"/nowhere.sad.xml"}, "/nowhere.sad.xml: there is no such file");
  refused({kChain, "--set", "nonsense"}, "not of the form component.property=value");
  refused({kChain, "--set", "source_1.packets=many"}, "'many' cannot be the value of 'packets'");
  refused({kChain, "--faster"}, "orbweaver: The following argument was not expected: --faster");
  refused({}, "FILE is required");
}

}  // namespace
