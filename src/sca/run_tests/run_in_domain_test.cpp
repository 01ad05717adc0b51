// `orbweaver run --domain`: a domain manager, nodes and an application in one command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kFolder = ORBWEAVER_RUN_TEST_FOLDER;
const std::string kChainInDomain = kFolder + "/run_test_chain.sad.xml";
const std::string kNode = ORBWEAVER_NODE_DCD;

void expect_whole_in_domain(const nlohmann::json& result, int packets) {
  EXPECT_EQ(result["outcome"], "completed") << result["message"];
  EXPECT_EQ(result["hops"].size(), 3u);
  for (const auto& hop : result["hops"]) {
    EXPECT_EQ(hop["packets"], packets) << hop["from"];
    EXPECT_EQ(hop["lost"], 0);
    EXPECT_TRUE(hop["end_of_stream"]);
  }
  EXPECT_EQ(find(result["components"], "id", "sink_1")["stats"]["samples"], packets * 160);
}

std::set<std::string> values(const nlohmann::json& list, const char* key) {
  std::set<std::string> found;
  for (const auto& each : list) found.insert(each[key].dump());
  return found;
}

/// The pid of the first process of the run whose command line has these words, each with its end; waits until
/// it runs.
int pid_of_command(const RunProcess& run, const std::string& words) {
  for (int i = 0; i < 24'000; ++i) {
    for (const int pid : run.processes()) {
      if (read_file("/proc/" + std::to_string(pid) + "/cmdline").find(words) != std::string::npos) return pid;
    }
    std::this_thread::sleep_for(5ms);
  }
  ADD_FAILURE() << words << " never ran";
  return -1;
}
/// The same, by the name of the program.
int pid_of_program(const RunProcess& run, const std::string& name) {
  return pid_of_command(run, "/" + name + std::string(1, '\0'));
}

TEST(RunInDomain, GivesTheResultOfARunWithoutADomain) {
  RunProcess run({kChainInDomain, "--domain", "--set", "source_1.packets=5000"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  const auto result = run.result();
  expect_whole_in_domain(result, 5000);
  EXPECT_EQ(values(result["components"], "pid").size(), 4u);
  EXPECT_EQ(values(result["hops"], "transport"), std::set<std::string>{"\"shm\""});
  EXPECT_THAT(run.output, AllOf(HasSubstr("source_1.out"), HasSubstr("process 1 on ")));
  run.expect_nothing_left();
}

TEST(RunInDomain, PlacesComponentsOfOneProcessTogether) {
  RunProcess run({kFolder + "/run_test_together.sad.xml", "--domain", "--set", "source_1.packets=500"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole_in_domain(run.result(), 500);
  EXPECT_EQ(values(run.result()["components"], "placement").size(), 1u);
  run.expect_nothing_left();
}

TEST(RunInDomain, FindsTheLibrariesOfDependencies) {
  RunProcess run({kFolder + "/run_test_library.sad.xml", "--domain", "--set", "source_1.packets=500"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  const auto result = run.result();
  expect_whole_in_domain(result, 500);
  for (const char* const id : {"scaler_1", "scaler_2"})
    EXPECT_EQ(find(result["components"], "id", id)["stats"]["value"], 5);
  EXPECT_EQ(find(result["components"], "id", "scaler_2")["pid"],
            find(result["components"], "id", "sink_1")["pid"]);
  run.expect_nothing_left();
}

TEST(RunInDomain, StopsInOrderOnASignal) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running(":chain");
  run.launcher().signal(SIGTERM);  // a child process may ignore SIGINT; the launcher handles both alike
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  EXPECT_EQ(run.result()["outcome"], "interrupted");
  for (const nlohmann::json result = run.result(); const auto& hop : result["hops"])
    EXPECT_GT(hop["packets"], 0);
  run.expect_nothing_left();
}

TEST(RunInDomain, LeavesTheEndOfNodesToTheLauncher) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running(":chain");
  // A terminal sends SIGINT to all processes of the launcher's group.
  EXPECT_NE(::getpgid(pid_of_command(run, std::string("/orbweaver\0node\0", 16))),
            ::getpgid(run.launcher().pid()));
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
}

TEST(RunInDomain, StopsWhileItIsDeployed) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  pid_of_program(run, "orbweaver-device");
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

TEST(RunInDomain, StopsWhileAComponentHangsThatIsCreated) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.signal("filter_1", SIGSTOP);
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  EXPECT_EQ(run.result()["outcome"], "interrupted");
  run.expect_nothing_left();
}

TEST(RunInDomain, ReportsAComponentThatDies) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running(":chain");
  run.signal("filter_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.result()["message"].get<std::string>(), AllOf(HasSubstr("filter_1"), HasSubstr("SIGKILL")));
  run.expect_nothing_left();
}

TEST(RunInDomain, ReportsANodeThatDies) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running(":chain");
  const int node = pid_of_program(run, "orbweaver-device");
  const std::string status = read_file("/proc/" + std::to_string(node) + "/status");
  const int parent = std::stoi(status.substr(status.find("PPid:") + 5));
  ASSERT_NE(parent, run.launcher().pid());
  ::kill(parent, SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.result()["message"].get<std::string>(), AllOf(HasSubstr("node "), HasSubstr("SIGKILL")));
  run.expect_nothing_left();
}

TEST(RunInDomain, LeavesNoProcessWhenItIsKilled) {
  RunProcess run({kChainInDomain, "--domain", "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running(":chain");
  run.launcher().signal(SIGKILL);
  EXPECT_EQ(run.end(), "killed by SIGKILL");
  for (int i = 0; i < 24'000 && !run.processes().empty(); ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(run.processes().empty());
}

TEST(RunInDomain, ExecutesComponentsOnTheDevicesThatAreAssigned) {
  RunProcess run({kChainInDomain, "--node", kNode, "--node", kNode, "--set", "source_1.packets=500",
                  "--assign", "filter_1=executable_device:node-2"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_whole_in_domain(run.result(), 500);
  const std::string on_first = find(run.result()["components"], "id", "sink_1")["placement"];
  const std::string on_second = find(run.result()["components"], "id", "filter_1")["placement"];
  EXPECT_TRUE(on_first.ends_with(" on node")) << on_first;
  EXPECT_TRUE(on_second.ends_with(" on node-2")) << on_second;
  run.expect_nothing_left();
}

TEST(RunInDomain, SaysWhyAComponentCannotBePlaced) {
  RunProcess run({kChainInDomain, "--assign", "filter_1=nowhere"});
  EXPECT_EQ(run.end(), "exited with status 1");
  EXPECT_THAT(run.output, HasSubstr("filter_1=nowhere"));
  run.expect_nothing_left();
}

TEST(RunInDomain, RejectsBadInputBeforeItStartsAnything) {
  RunProcess node({kChainInDomain, "--node", "/no/such.dcd.xml"});
  EXPECT_EQ(node.end(), "exited with status 2");
  EXPECT_THAT(node.output, HasSubstr("/no/such.dcd.xml"));
  RunProcess property({kChainInDomain, "--domain", "--set", "source_1.pakets=1"});
  EXPECT_EQ(property.end(), "exited with status 2");
  EXPECT_THAT(property.output, HasSubstr("pakets"));
  RunProcess transport({kChainInDomain, "--domain", "--transport", "tcp"});
  EXPECT_EQ(transport.end(), "exited with status 2");
  EXPECT_THAT(transport.output, HasSubstr("--transport cannot be given with --domain"));
  RunProcess assignment({kChainInDomain, "--assign", "filter_1"});
  EXPECT_EQ(assignment.end(), "exited with status 2");
  EXPECT_THAT(assignment.output, HasSubstr("COMPONENT=DEVICE"));
  RunProcess root({kChainInDomain, "--domain", "--root", "/usr/lib"});
  EXPECT_EQ(root.end(), "exited with status 2");
}

}  // namespace
