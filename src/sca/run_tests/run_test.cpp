#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "sca/run_tests/launch.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kChain = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_chain.sad.xml";
const std::string kTogether = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_together.sad.xml";

void expect_whole(const nlohmann::json& result, int packets) {
  EXPECT_EQ(result["outcome"], "completed") << result["message"];
  EXPECT_EQ(result["hops"].size(), 3u);
  for (const auto& hop : result["hops"]) {
    EXPECT_EQ(hop["packets"], packets) << "the end is none; " << hop["from"];
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
  EXPECT_THAT(road.output, AllOf(HasSubstr("--transport pigeon: there is no transport 'pigeon'; there are inproc, shm"),
                                 Not(HasSubstr("-ORB"))));
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
    Launch run({assembly, "--set", std::string("filter_1.trouble=") + GetParam().kind});
    EXPECT_EQ(run.end(), "exited with status 1") << run.output;
    EXPECT_THAT(run.output, HasSubstr("failed: component"));
    const std::string message = run.result()["message"];
    EXPECT_THAT(message, AllOf(HasSubstr("filter_1"), HasSubstr(GetParam().said)));
    run.expect_nothing_left();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, RunInTrouble,
    ::testing::Values(Trouble{"initialize", "cannot be initialized: the coefficients are missing"},
                      Trouble{"construct", "component filter_1 cannot be made: the licence has run out"},
                      Trouble{"construct_int", "component filter_1 cannot be made: an exception of type int"},
                      Trouble{"initialize_int", "cannot be initialized: an exception of type int"},
                      Trouble{"throw_int", "component filter_1 failed: an exception of type int"},
                      Trouble{"abort", "killed by SIGABRT"},
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
  refused({kChain, "--root", "/nowhere"}, "--root /nowhere: there is no such folder");
  refused({kChain, "--root", kChain}, "there is no such folder");
  refused({kChain, "--faster"}, "orbweaver: The following argument was not expected: --faster");
  refused({}, "FILE is required");
}

}  // namespace
