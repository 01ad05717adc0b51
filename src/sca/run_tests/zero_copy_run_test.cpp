// Packets that are written once, into a block of shared memory, and read in place by components in other
// processes.
#include <string>
#include <vector>

#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

constexpr std::uint64_t kPackets = 300;
constexpr std::uint64_t kSamples = 32768;  // 128 KiB
constexpr std::uint64_t kBytes = kPackets * kSamples * sizeof(float);

/// Writes an assembly of components, each in its own process: "source_1" is a source, "filter_N" a filter and
/// "sink_N" a sink; `connections` are pairs of them, from sender to receiver.
class AssemblyOfProcesses {
 public:
  using Connections = std::vector<std::pair<std::string, std::string>>;

  explicit AssemblyOfProcesses(const Connections& connections) {
    std::set<std::string> ids;
    std::string links;
    for (const auto& [from, to] : connections) {
      ids.insert({from, to});
      links += "<connectinterface id=\"" + from + " to " + to +
               "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref refid=\"" + from +
               "\"/></usesport><providesport><providesidentifier>in</providesidentifier>"
               "<componentinstantiationref refid=\"" +
               to + "\"/></providesport></connectinterface>\n";
    }
    std::string placements;
    for (const std::string& id : ids) {
      placements += "<componentplacement><componentfileref refid=\"" + id.substr(0, id.find('_')) +
                    "_spd\"/><componentinstantiation id=\"" + id + "\"/></componentplacement>\n";
    }
    const std::string chain = profiles_.read("run_test_chain.sad.xml");
    profiles_.write("run_test_chain.sad.xml",
                    chain.substr(0, chain.find("<partitioning>")) + "<partitioning>\n" + placements +
                        "</partitioning>\n<assemblycontroller><componentinstantiationref "
                        "refid=\"source_1\"/></assemblycontroller>\n<connections>\n" +
                        links + "</connections>\n</softwareassembly>\n");
  }
  /// The arguments of a run of the assembly.
  std::vector<std::string> run(const std::string& in_place, std::uint64_t packets = kPackets,
                               std::uint64_t samples = kSamples) const {
    return {profiles_.path("run_test_chain.sad.xml"),
            "--set",
            "source_1.packets=" + std::to_string(packets),
            "--set",
            "source_1.size=" + std::to_string(samples),
            "--set",
            "source_1.in_place=" + in_place};
  }

 private:
  RunProfiles profiles_;
};

AssemblyOfProcesses chain_of_eight() {
  AssemblyOfProcesses::Connections connections;
  std::string last = "source_1";
  for (int i = 1; i <= 7; ++i) {
    connections.emplace_back(last, "filter_" + std::to_string(i));
    last = connections.back().second;
  }
  connections.emplace_back(last, "sink_1");
  return AssemblyOfProcesses(connections);
}

AssemblyOfProcesses fan_out_to_eight() {
  AssemblyOfProcesses::Connections connections;
  for (int i = 1; i <= 8; ++i) connections.emplace_back("source_1", "sink_" + std::to_string(i));
  return AssemblyOfProcesses(connections);
}

/// Every sink has received every sample.
void expect_complete(const nlohmann::json& result) {
  EXPECT_EQ(result["outcome"], "completed") << result["message"];
  for (const auto& hop : result["hops"]) EXPECT_EQ(hop["bytes"], kBytes) << hop["to"];
  for (const auto& component : result["components"]) {
    if (!component["id"].get<std::string>().starts_with("sink_")) continue;
    EXPECT_EQ(component["stats"]["mismatches"], 0);
    EXPECT_EQ(component["stats"]["samples"], kPackets * kSamples);
  }
}

/// Bytes that the component has copied.
std::uint64_t copied(const nlohmann::json& result, const std::string& id) {
  return find(result["components"], "id", id)["copied_bytes"].get<std::uint64_t>();
}

void expect_copies(const nlohmann::json& result, std::uint64_t by_the_source) {
  expect_complete(result);
  EXPECT_EQ(copied(result, "source_1"), by_the_source);
  for (const auto& component : result["components"]) {
    if (component["id"] != "source_1") {
      EXPECT_EQ(component["copied_bytes"], 0) << component["id"];
    }
  }
}

TEST(ZeroCopy, ForwardsPacketsThroughEightProcesses) {
  const AssemblyOfProcesses assembly = chain_of_eight();
  RunProcess run(assembly.run("true"));
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_copies(run.result(), 0);
  run.expect_nothing_left();
}

TEST(ZeroCopy, FansOutToEightProcesses) {
  const AssemblyOfProcesses assembly = fan_out_to_eight();
  RunProcess run(assembly.run("true"));
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_copies(run.result(), 0);
  run.expect_nothing_left();
}

TEST(ZeroCopy, CopiesPacketsInOrdinaryMemoryOnce) {
  const AssemblyOfProcesses assembly = fan_out_to_eight();
  RunProcess run(assembly.run("false"));
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_copies(run.result(), kBytes);
}

TEST(ZeroCopy, CountsTheCopiesOfATransportWithoutBlocks) {
  const AssemblyOfProcesses assembly({{"source_1", "filter_1"}, {"filter_1", "sink_1"}});
  std::vector<std::string> arguments = assembly.run("true");
  arguments.insert(arguments.end(), {"--transport", "unix"});
  RunProcess run(arguments);
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  expect_complete(run.result());
  EXPECT_EQ(copied(run.result(), "source_1"), kBytes) << "sent by value";
  EXPECT_EQ(copied(run.result(), "filter_1"), 2 * kBytes) << "into the queue, and sent by value";
  EXPECT_EQ(copied(run.result(), "sink_1"), kBytes);
}

TEST(ZeroCopy, NamesTheStoppedHolderOfAllBlocks) {
  const AssemblyOfProcesses assembly({{"source_1", "sink_1"}, {"source_1", "sink_2"}});
  // The pool holds 16 packets, and a queue 64.
  RunProcess run(assembly.run("true", 100'000'000, std::uint64_t{1} << 20));
  run.until_running();
  run.signal("sink_1", SIGSTOP);
  run.until("sink_1 is stopped, by SIGSTOP or a debugger");
  run.until("source_1.out → sink_1.in, all blocks of source_1.out in use");
  run.signal("sink_1", SIGCONT);
  run.until("packets are moving again");
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

}  // namespace
