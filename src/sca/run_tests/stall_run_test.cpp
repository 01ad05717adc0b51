// Stalled runs, loops, and unconnected outputs.
#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Places all components of an assembly in one process.
RunProfiles& together(RunProfiles& profiles, const std::string& file) {
  return profiles.replace(
      file, "<componentinstantiation id=", "<componentinstantiation processcollocation=\"one\" id=");
}

TEST(Stall, EndsADeadlockedLoop) {
  RunProfiles profiles;
  together(profiles, "run_test_loop.sad.xml");
  RunProcess run(
      {profiles.path("run_test_loop.sad.xml"), "--set", "echo_1.rounds=-1", "--set", "source_1.packets=200"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("failed: deadlock: "), HasSubstr("echo_1.again → filter_1.in queue 64/64"),
                    HasSubstr("filter_1.out → echo_1.back queue 64/64")));
  run.expect_nothing_left();
}

TEST(Stall, EndsADeadlockedLoopOfProcesses) {
  RunProcess run({std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_loop.sad.xml", "--set",
                  "echo_1.rounds=-1", "--set", "source_1.packets=1000000", "--set", "source_1.size=2000"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("failed: deadlock: "), HasSubstr("echo_1.again → filter_1.in queue 64/64")));
  run.expect_nothing_left();
}

TEST(Loop, EndsWhenEmpty) {
  RunProcess run(
      {std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_loop.sad.xml", "--set", "source_1.packets=20"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("no packet is left in the loop echo_1 → filter_1 → echo_1: ending it at echo_1"));
  const nlohmann::json result = run.result();
  EXPECT_EQ(find(result["hops"], "to", "sink_1.in")["packets"], 20);
  EXPECT_TRUE(find(result["hops"], "to", "sink_1.in")["end_of_stream"]);
  // Three rounds: the assembly sets the property `rounds`, which is of kind configure, to 3.
  const auto stats = find(result["components"], "id", "echo_1")["stats"];
  EXPECT_EQ(stats["returned"], 60);
  EXPECT_EQ(stats["configured"], 1);
  run.expect_nothing_left();
}

TEST(Loop, IsNamedAtDeploymentIfNoPacketCanEnterIt) {
  RunProfiles profiles;
  const std::string all = profiles.read("run_test_loop.sad.xml");
  const auto begin = all.find("    <connectinterface id=\"source_to_echo\">"),
             end = all.find("    <connectinterface id=\"echo_to_filter\">");
  profiles.write("run_test_loop.sad.xml", all.substr(0, begin) + all.substr(end));
  RunProcess run({profiles.path("run_test_loop.sad.xml")});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  const std::string loop =
      "run_test_loop.sad.xml:32:5: no packet can enter the loop filter_1 → echo_1 → filter_1";
  EXPECT_THAT(run.output, AllOf(HasSubstr(loop), HasSubstr("ending it at"))) << "named, and ended";
  run.expect_nothing_left();
}

TEST(Stall, NamesAStoppedStageAndReportsItsResumption) {
  RunProcess run({std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_chain.sad.xml", "--set",
                  "source_1.packets=100000000"});
  run.until_running();
  const int pid = run.signal("filter_1", SIGSTOP);
  run.until("filter_1 is stopped, by SIGSTOP or a debugger: kill -CONT " + std::to_string(pid));
  EXPECT_THAT(run.output, HasSubstr("sink_1.in waits for packets of filter_1.out"));
  run.signal("filter_1", SIGCONT);
  run.until("packets are moving again");
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

TEST(Stall, NamesAStoppedSink) {
  RunProcess run({std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_chain.sad.xml", "--set",
                  "source_1.packets=100000000"});
  run.until_running();
  run.signal("sink_1", SIGSTOP);
  run.until("sink_1 is stopped, by SIGSTOP or a debugger");
  run.until("filter_1.out → sink_1.in");
  run.signal("sink_1", SIGCONT);
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
}

TEST(Run, EndsWithAnUnconnectedSource) {
  RunProfiles profiles;
  const std::string all = profiles.read("run_test_chain.sad.xml");
  const auto begin = all.find("  <connections>"), end = all.find("</softwareassembly>");
  profiles.write("run_test_chain.sad.xml", all.substr(0, begin) + all.substr(end));
  RunProcess run({profiles.path("run_test_chain.sad.xml"), "--set", "source_1.packets=50"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("port 'out' of component 'source_1' is not connected"),
                                HasSubstr("source_1.out is not connected: 50 packets dropped")));
  EXPECT_EQ(find(run.result()["unconnected"], "port", "source_1.out")["dropped_packets"], 50);
  run.expect_nothing_left();
}

}  // namespace
