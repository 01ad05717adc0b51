#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "sca/run_tests/run_process.h"

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
    EXPECT_EQ(hop["packets"], packets) << "the end of stream is not counted; " << hop["from"];
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

TEST(Run, DeliversPacketsAcrossProcesses) {
  RunProcess run({kChain, "--set", "source_1.packets=5000"});
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

TEST(Run, CollocatesComponentsOnRequest) {
  RunProcess run({kTogether, "--set", "source_1.packets=5000"});
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

TEST(Run, UsesTheRequestedTransports) {
  RunProcess run({kChain, "--set", "source_1.packets=500", "--transport", "tcp"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 500);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_EQ(hop["transport"], "tcp");
}

#ifdef ORBWEAVER_TEST_PLUGIN
TEST(Run, UsesAPluginTransport) {
  RunProcess run({kChain, "--set", "source_1.packets=500", "--transport-plugin", ORBWEAVER_TEST_PLUGIN,
                  "--transport", "seqpacket"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole(run.result(), 500);
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_EQ(hop["transport"], "seqpacket");
}
#endif

TEST(Run, RejectsAnUnknownTransport) {
  RunProcess plugin({kChain, "--transport-plugin", "./libnowhere.so"});
  EXPECT_EQ(plugin.end(), "exited with status 2");
  RunProcess unknown({kChain, "--transport", "pigeon"});
  EXPECT_EQ(unknown.end(), "exited with status 2");
  EXPECT_THAT(unknown.output,
              AllOf(HasSubstr("--transport pigeon: there is no transport 'pigeon'; there are inproc, shm"),
                    Not(HasSubstr("-ORB"))));
  RunProcess none({kChain, "--transport", ""});
  EXPECT_EQ(none.end(), "exited with status 2");
  EXPECT_THAT(none.output, HasSubstr("--transport: takes a list of transports, such as shm,unix"));
  RunProcess twice({kChain, "--transport", "shm,unix,shm"});
  EXPECT_EQ(twice.end(), "exited with status 2");
  EXPECT_THAT(twice.output, HasSubstr("--transport shm,unix,shm: 'shm' is in the list twice"));
}

TEST(Run, PacesTheSourceInRealTime) {
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=300"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  EXPECT_GE(run.result()["seconds"].get<double>(), 0.299);
  EXPECT_EQ(run.result()["realtime"], true);
}

TEST(Run, StopsInOrderOnCtrlC) {
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(SIGTERM);  // a child process may ignore SIGINT; the launcher handles both alike
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

TEST(Run, StopsOnATerminalInterrupt) {
  RunProcess run({kTogether, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(SIGINT);
  EXPECT_EQ(run.end(), "exited with status 130") << run.output;
  run.expect_nothing_left();
}

TEST(Run, KillsOnASecondSignalLater) {
  // On a loaded machine the second signal may arrive after the repeat window; repeat the attempt then.
  bool in_time = false;
  for (int attempt = 0; attempt < 5 && !in_time; ++attempt) {
    RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
    run.until_running();
    run.signal("sink_1", SIGSTOP);  // otherwise the run would end first
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
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.signal("sink_1", SIGSTOP);  // otherwise the run would end first
  // The launcher ignores the signals within its window for repeated ones, and acts on the first one after it.
  EXPECT_EQ(run.interrupt_until_end(), "exited with status 130") << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("does not stop"))) << "killed at once, not after the grace period";
  run.expect_nothing_left();
}

TEST(Run, NamesAKilledComponentAndStops) {
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  const int pid = run.signal("filter_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("component filter_1 (process " + std::to_string(pid) + ") killed by SIGKILL"));
  EXPECT_EQ(run.result()["outcome"], "failed");
  EXPECT_EQ(find(run.result()["components"], "id", "filter_1")["exit"], "killed by SIGKILL");
  run.expect_nothing_left();
}

TEST(Run, CountsPacketsOfADeadSenderAndHasDashesForADeadReceiver) {
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.signal("filter_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  const nlohmann::json result = run.result();
  const auto to_dead = find(result["hops"], "to", "filter_1.in");
  EXPECT_EQ(to_dead["has_counts"], false);
  EXPECT_NE(to_dead["transport"], "unknown");
  const auto from_dead = find(result["hops"], "to", "sink_1.in");
  EXPECT_EQ(from_dead["has_counts"], true);
  EXPECT_EQ(from_dead["transport"], "unknown");
}

TEST(Run, ReportsAStandardOutputThatCannotBeWritten) {
  const std::string output = ::testing::TempDir() + "run_test_full." + std::to_string(::getpid());
  const std::string command = std::string(ORBWEAVER_COMMAND) + " run " + kChain +
                              " --set source_1.packets=10 2> " + output + " > /dev/full";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(read_file(output), HasSubstr("orbweaver run: standard output cannot be written: "));
  fs::remove(output);
}

TEST(Run, ReportsAResultThatCannotBeWritten) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("run_test_json." + std::to_string(::getpid()));
  fs::create_directories(folder / "result.json");  // instead of a file
  const std::string command =
      std::string(ORBWEAVER_COMMAND) + " run " + kChain + " --set source_1.packets=10 --quiet --json ";
  const std::string output = (folder / "output").string();
  const auto status_of = [&](const std::string& json) {
    return WEXITSTATUS(std::system((command + (folder / json).string() + " 2> " + output).c_str()));
  };
  EXPECT_EQ(status_of("result.json"), 1) << "as docs/sca.md says";
  EXPECT_THAT(read_file(output), HasSubstr("orbweaver run: --json " + (folder / "result.json").string() +
                                           ": the result cannot be written there"));
  EXPECT_EQ(status_of("none/result.json"), 2) << "nothing is started";
  fs::remove_all(folder);
}

TEST(Run, LogsNoFailedPushesWhenItStops) {
  RunProcess run({kChain, "--set", "source_1.packets=100000000"});
  run.until_running();
  run.launcher().signal(SIGINT);
  EXPECT_EQ(run.end(), "exited with status 130") << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("pushPacket failed")));
}

TEST(Run, StopsWhenASinkIsKilled) {
  RunProcess run({kChain, "--set", "source_1.packets=100000000"});
  run.until_running();
  run.signal("sink_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  run.expect_nothing_left();
}

TEST(Run, LeavesNoProcessWhenTheLauncherIsKilled) {
  for (const std::string& assembly : {kChain, kTogether}) {
    RunProcess run({assembly, "--realtime", "--set", "source_1.packets=1000000"});
    run.until_running();
    run.launcher().kill();
    EXPECT_EQ(run.end(), "killed by SIGKILL");
    run.expect_nothing_left();
  }
}

TEST(Run, KillsAHangingComponentAfterTheGracePeriod) {
  RunProcess run({kChain, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.signal("filter_1", SIGSTOP);
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

TEST(Run, KillsAComponentThatDoesNotStop) {
  RunProcess run({kChain, "--set", "filter_1.trouble=linger"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output, HasSubstr("component filter_1 did not stop within 5 s and was killed"));
  const nlohmann::json result = run.result();
  EXPECT_EQ(find(result["components"], "id", "filter_1")["exit"], "killed by SIGKILL");
  EXPECT_EQ(find(result["components"], "id", "sink_1")["exit"], "exited with status 0")
      << "the other components stop in order";
  EXPECT_EQ(find(result["hops"], "to", "sink_2.in")["lost"], 0);
  run.expect_nothing_left();
}

struct FailureCase {
  const char* kind;
  const char* said;
};
// Prints the kind as the test's parameter name; the default would print addresses.
void PrintTo(const FailureCase& trouble, std::ostream* os) { *os << trouble.kind; }
class FailedRun : public ::testing::TestWithParam<FailureCase> {};

TEST_P(FailedRun, EndsNamingTheComponent) {
  for (const std::string& assembly : {kChain, kTogether}) {
    RunProcess run({assembly, "--set", std::string("filter_1.trouble=") + GetParam().kind});
    EXPECT_EQ(run.end(), "exited with status 1") << run.output;
    EXPECT_THAT(run.output, HasSubstr("failed: component"));
    const std::string message = run.result()["message"];
    EXPECT_THAT(message, AllOf(HasSubstr("filter_1"), HasSubstr(GetParam().said)));
    run.expect_nothing_left();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, FailedRun,
    ::testing::Values(
        FailureCase{"initialize", "cannot be initialized: the coefficients are missing"},
        FailureCase{"construct", "component filter_1 cannot be created: the licence has run out"},
        FailureCase{"construct_int", "component filter_1 cannot be created: an exception of type int"},
        FailureCase{"initialize_int", "cannot be initialized: an exception of type int"},
        FailureCase{"throw_int", "component filter_1 failed: an exception of type int"},
        FailureCase{"abort", "killed by SIGABRT"}, FailureCase{"exit", "exited with status 7"},
        FailureCase{"throw", "component filter_1 failed: the paper is torn"}),
    [](const auto& trouble) { return trouble.param.kind; });

/// The first line of `text` that contains `part`.
std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "no line with '" + part + "'";
}

TEST(Run, PrintsTheRootCauseFirstAndCountsItsConsequences) {
  for (const std::string& assembly : {kChain, kTogether}) {
    RunProcess run({assembly, "--set", "filter_1.trouble=consequences_first"});
    EXPECT_EQ(run.end(), "exited with status 1") << run.output;
    const std::string cause = "component filter_1 failed: the paper is torn";
    // The component writes fifty lines about broken connections before the cause.
    EXPECT_THAT(line_with(run.output, "failed"), HasSubstr("] " + cause));
    EXPECT_THAT(line_with(run.output, "failed: component"), HasSubstr("failed: " + cause + " (process "));
    const std::string broken = line_with(run.output, "is broken");
    EXPECT_THAT(broken, HasSubstr(" connections broke, first: ["));
    EXPECT_GE(std::stoi(broken.substr(std::min(broken.size(), broken.find_first_of("0123456789")))), 50);
    EXPECT_LT(run.output.find(cause), run.output.find(broken)) << run.output;
    EXPECT_EQ(run.output.find(" is broken"), run.output.rfind(" is broken")) << run.output;
    EXPECT_THAT(run.result()["message"].get<std::string>(), ::testing::StartsWith(cause));
    run.expect_nothing_left();
  }
}

TEST(Run, RejectsInvalidInputWithOneMessage) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& message) {
    RunProcess run(std::move(arguments));
    EXPECT_EQ(run.end(), "exited with status 2") << run.output;
    EXPECT_THAT(run.output, HasSubstr(message));
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
