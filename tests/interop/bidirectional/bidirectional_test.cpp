// Bidirectional GIOP between Orbweaver and other ORBs: each is the process that opens the connection.
#include <gmock/gmock.h>

#include <filesystem>
#include <ostream>

#include "node.h"
#include "platform/process.h"
#include "server.h"

namespace bidirtest {
namespace {

namespace platform = orbweaver::platform;
using ::testing::StartsWith;

/// A process of another ORB with a node. The destructor kills it.
class OtherNode {
 public:
  OtherNode(const std::string& orb, std::vector<std::string> arguments) {
    const platform::SpawnRequest request{program(orb), std::move(arguments), {}};
    if (process_.spawn(request) != 0) throw std::runtime_error("cannot start " + request.program);
  }
  static std::string program(const std::string& orb) {
    return interop::sibling_program("interop-" + orb + "-node");
  }
  /// The next line of its output, without those of the logger of JacORB; what there is if it ends, or prints
  /// nothing for two minutes.
  std::string line() {
    platform::Poller poller;
    poller.add(process_.output());
    for (bool at_end = false; output_.find('\n') == std::string::npos;) {
      if (at_end || !poller.wait(120'000)) return "no line: " + output_;
      output_ += platform::read_available(process_.output(), at_end);
    }
    const std::string line = output_.substr(0, output_.find('\n'));
    output_.erase(0, line.size() + 1);
    return line.rfind("SLF4J:", 0) == 0 ? this->line() : line;
  }

 private:
  platform::ChildProcess process_;
  std::string output_;
};

struct OtherOrb {
  const char* name;
};
void PrintTo(const OtherOrb& orb, std::ostream* out) { *out << orb.name; }

class Bidirectional : public ::testing::TestWithParam<OtherOrb> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(OtherNode::program(GetParam().name)))
      GTEST_SKIP() << GetParam().name << " is not there";
  }
};

TEST_P(Bidirectional, ServerCallsAnObjectOfAClientThatListensNowhere) {
  OtherNode process(GetParam().name, {});
  const std::string reference = process.line();
  ASSERT_THAT(reference, StartsWith("IOR:"));
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  // All connections: omniORB calls an object over the connection that its reference has come over, and the
  // calls within callbacks have connections of their own.
  IDL::traits<CORBA::PolicyManager>::narrow(client.broker.orb->resolve_initial_references("ORBPolicyManager"))
      ->set_policy_overrides({bidirectional(client.broker)}, CORBA::SetOverrideType::ADD_OVERRIDE);
  const NodeRef server = client.at(reference);
  server->attach(client.reference());
  EXPECT_EQ(server->twice_there(21), 42);
  BidirTest::Octets data(3'000'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7);
  EXPECT_EQ(server->echo_there(data), data);
  EXPECT_EQ(server->descend(client.reference(), 6), 6);
  for (std::int32_t n = 0; n < 100; ++n) server->note_there(n);
  EXPECT_EQ(server->twice_there(1), 2);
  EXPECT_TRUE(orbtest::becomes_true([&] { return client.node->notes().size() == 100; }));
}

TEST_P(Bidirectional, ClientIsCalledOverItsConnection) {
  NodeOrb server(accepting(), BiDirPolicy::BOTH);
  OtherNode process(GetParam().name, {server.stringified()});
  EXPECT_EQ(process.line(), "twice_there 42");
  EXPECT_EQ(process.line(), "echo_there equal");
  EXPECT_EQ(process.line(), "descend 6");
  EXPECT_EQ(process.line(), "done");
  const NodeRef client = server.node->attached();
  EXPECT_EQ(client->twice(5), 10) << "outside of an upcall";
  EXPECT_TRUE(is_called_back(client));
}

INSTANTIATE_TEST_SUITE_P(, Bidirectional, ::testing::Values(OtherOrb{"omniorb"}, OtherOrb{"jacorb"}),
                         [](const auto& orb) { return std::string(orb.param.name); });

}  // namespace
}  // namespace bidirtest
