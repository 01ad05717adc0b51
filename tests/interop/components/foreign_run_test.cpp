// Assemblies with components of other ORBs, deployed by `orbweaver run`.
#include "chain.h"
#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using interop::Chain;
using interop::kJacOrb;
using interop::kOmniOrb;
using interop::kOmniOrbPy;
using interop::Orb;

/// Expects that all packets have arrived at both ends of a hop.
void expect_complete(const nlohmann::json& hop, int packets) {
  EXPECT_EQ(hop["packets"], packets) << hop["to"];
  EXPECT_EQ(hop["lost"], 0) << hop["to"];
  EXPECT_EQ(hop["reordered"], 0) << hop["to"];
  EXPECT_EQ(hop["end_of_stream"], true) << hop["to"];
}

/// A released component of another framework that takes longer than half a second to end is terminated.
void expect_clean_processes(const nlohmann::json& result) {
  for (const auto& component : result["components"]) {
    const std::string id = component["id"], exit = component["exit"];
    const bool is_ours = id == "source_1" || id == "sink_1" || id == "filter_1";
    if (is_ours)
      EXPECT_EQ(exit, "exited with status 0") << id;
    else
      EXPECT_THAT(exit,
                  ::testing::AnyOf("exited with status 0", "exited with status 143", "killed by SIGTERM"))
          << id;
  }
}

struct Stages {
  const char* name;
  std::vector<Orb> orbs;
};
void PrintTo(const Stages& stages, std::ostream* os) { *os << stages.name; }
class ForeignRun : public ::testing::TestWithParam<Stages> {};

TEST_P(ForeignRun, PassesDataUnchanged) {
  Chain chain;
  chain.add("source_1", "run_test_source");
  for (const Orb& orb : GetParam().orbs) {
    if (*orb.missing != '\0') GTEST_SKIP() << orb.name << ": " << orb.missing;
    chain.add(orb.name, orb.name + std::string("-stage"));
  }
  chain.add("sink_1", "run_test_sink");
  RunProcess run({chain.sad(), "--set", "source_1.packets=500", "--set", "source_1.size=1000", "--set",
                  "source_1.metadata=true"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  EXPECT_THAT(run.output, Not(HasSubstr("warning")));
  const nlohmann::json result = run.result();
  for (const auto& hop : result["hops"]) expect_complete(hop, 500);
  expect_clean_processes(result);
  const auto sink = find(result["components"], "id", "sink_1")["stats"];
  EXPECT_EQ(sink["samples"], 500'000);
  EXPECT_EQ(sink["mismatches"], 0);
  EXPECT_EQ(sink["with_metadata"], 250);
  for (const Orb& orb : GetParam().orbs) {
    EXPECT_THAT(run.output, HasSubstr(std::string("[") + orb.name +
                                      "] level 0.5, offset -7, enabled 1, label 'a stage'"));
  }
}

INSTANTIATE_TEST_SUITE_P(With, ForeignRun,
                         ::testing::Values(Stages{"omniorb", {kOmniOrb}}, Stages{"jacorb", {kJacOrb}},
                                           Stages{"omniorbpy", {kOmniOrbPy}},
                                           Stages{"all", {kOmniOrb, kJacOrb, kOmniOrbPy}}),
                         [](const auto& stages) { return stages.param.name; });

TEST(ForeignRun, PassesLargePackets) {
  Chain chain;
  chain.add("source_1", "run_test_source").add("omniorb", "omniorb-stage").add("sink_1", "run_test_sink");
  RunProcess run({chain.sad(), "--set", "source_1.packets=20", "--set", "source_1.size=1000000"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  const nlohmann::json result = run.result();
  for (const auto& hop : result["hops"]) expect_complete(hop, 20);
  EXPECT_EQ(find(result["components"], "id", "sink_1")["stats"]["mismatches"], 0);
}

// OSSIE has no end of a stream: the sink ends after the packets that it expects.
TEST(ForeignRun, PassesComplexSamplesThroughPortsOfOssie) {
  Chain chain;
  chain.add("source_1", "iq_source").add("ossie", "ossie-stage").add("sink_1", "iq_sink");
  RunProcess run({chain.sad(), "--set", "source_1.packets=500", "--set", "source_1.size=512", "--set",
                  "sink_1.packets=500"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  EXPECT_THAT(run.output, Not(HasSubstr("warning")));
  const nlohmann::json result = run.result();
  expect_clean_processes(result);
  const auto sink = find(result["components"], "id", "sink_1")["stats"];
  EXPECT_EQ(sink["samples"], 256'000);
  EXPECT_EQ(sink["mismatches"], 0);
  const auto hop = find(result["hops"], "to", "sink_1.in");
  EXPECT_EQ(hop["packets"], 500);
  EXPECT_EQ(hop["lost"], 0);
  EXPECT_EQ(hop["reordered"], 0);
}

// Both ends are Orbweaver's: the stream has its numbers and its end.
TEST(ForeignRun, EndsAStreamBetweenPortsOfOssie) {
  Chain chain;
  chain.add("source_1", "iq_source").add("sink_1", "iq_sink");
  RunProcess run({chain.sad(), "--set", "source_1.packets=500", "--set", "source_1.size=32768"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  const nlohmann::json result = run.result();
  for (const auto& hop : result["hops"]) expect_complete(hop, 500);
  EXPECT_EQ(find(result["components"], "id", "sink_1")["stats"]["mismatches"], 0);
  for (const auto& component : result["components"]) EXPECT_EQ(component["copied_bytes"], 0);
}

// Neither end of the chain reports whether it has finished.
TEST(ForeignRun, EndsWhenTheStreamsOfAForeignSinkHaveEnded) {
  Chain chain;
  chain.add("first", "omniorb-stage", "generate", "300");
  chain.add("filter_1", "run_test_filter").add("last", "omniorb-stage");
  RunProcess run({chain.sad()});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  const nlohmann::json result = run.result();
  for (const auto& hop : result["hops"]) expect_complete(hop, 300);
  expect_clean_processes(result);
}

TEST(ForeignRun, TerminatesAReleasedComponentThatStays) {
  Chain chain;
  chain.add("source_1", "run_test_source").add("last", "omniorb-stage", "stays", "true");
  RunProcess run({chain.sad(), "--set", "source_1.packets=10"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  const nlohmann::json result = run.result();
  EXPECT_EQ(find(result["components"], "id", "last")["exit"], "killed by SIGTERM");
  EXPECT_EQ(find(result["components"], "id", "source_1")["exit"], "exited with status 0");
}

TEST(ForeignRun, NamesAForeignComponentThatDies) {
  Chain chain;
  chain.add("source_1", "run_test_source").add("omniorb", "omniorb-stage").add("sink_1", "run_test_sink");
  RunProcess run({chain.sad(), "--realtime", "--set", "source_1.packets=1000000"});
  run.until("[omniorb] level");
  const int pid = run.signal("omniorb", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_EQ(run.result()["message"],
            "component omniorb (process " + std::to_string(pid) + ") killed by SIGKILL");
  run.expect_nothing_left();
}

TEST(ForeignRun, WarnsOfTransportsThatTheComponentLacks) {
  Chain chain;
  chain.add("source_1", "run_test_source").add("omniorb", "omniorb-stage");
  RunProcess run({chain.sad(), "--transport", "shm,unix"});
  run.until(
      "warning: component omniorb is not a program of Orbweaver and may need tcp, which "
      "--transport shm,unix leaves out");
  run.interrupt_until_end();
  run.expect_nothing_left();
}

}  // namespace
