// Bidirectional connections between ORBs with each of the thread policies of -ORBThreads.
#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <ostream>

#include "node.h"
#include "raw_client.h"

namespace bidirtest {
namespace {

using orbtest::RawPeer;
using orbweaver::giop::MessageType;

/// The modes of the server and of the client.
struct Modes {
  std::string server, client;
};
void PrintTo(const Modes& modes, std::ostream* out) { *out << modes.server << ", " << modes.client; }
std::string name_of(const Modes& modes) {
  const auto word = [](const std::string& mode) { return mode.substr(0, mode.find(':')); };
  return word(modes.server) + "_" + word(modes.client);
}

class ThreadModes : public ::testing::TestWithParam<Modes> {
 protected:
  ThreadModes() {
    for (NodeOrb* each : {&server, &client}) {
      const std::string& mode = each == &server ? GetParam().server : GetParam().client;
      if (mode == "single") each->run();
    }
    to_server = client.offering(server.stringified());
    to_server->attach(client.reference());
  }
  void TearDown() override {
    client.end();
    server.end();
  }
  NodeOrb server{accepting("received", {"-ORBThreads", GetParam().server}), BiDirPolicy::NORMAL};
  NodeOrb client{listening_nowhere({"-ORBThreads", GetParam().client}), BiDirPolicy::BOTH};
  NodeRef to_server;
};

TEST_P(ThreadModes, CallAClientThatListensNowhere) {
  for (std::int32_t n = 0; n < 100; ++n) {
    ASSERT_EQ(to_server->twice_there(n), 2 * n);
    ASSERT_EQ(server.node->twice_there(n), 2 * n) << "outside of an upcall";
  }
}

TEST_P(ThreadModes, ServeNestedCallbacks) {
  EXPECT_EQ(to_server->descend(client.reference(), 1), 1);
  // The two threads of this mode bound the nesting.
  if (GetParam().server.starts_with("unordered")) return;
  EXPECT_EQ(to_server->descend(client.reference(), 15), 15);
}

TEST_P(ThreadModes, ServeBothDirectionsAtTheSameTime) {
  constexpr int kCalls = 200;
  const auto there = [&] {
    int sum = 0;
    for (int n = 0; n < kCalls; ++n) sum += to_server->twice(1);
    return sum;
  };
  const auto back = [&] {
    int sum = 0;
    for (int n = 0; n < kCalls; ++n) sum += server.node->twice_there(1);
    return sum;
  };
  std::vector<std::future<int>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(std::async(std::launch::async, there));
    all.push_back(std::async(std::launch::async, back));
  }
  for (auto& each : all) EXPECT_EQ(each.get(), 2 * kCalls);
}

TEST_P(ThreadModes, CarryLargeMessages) {
  BidirTest::Octets data(2'500'000);  // in two fragments
  std::iota(data.begin(), data.end(), std::uint8_t{0});
  EXPECT_EQ(to_server->echo(data), data);
  EXPECT_EQ(server.node->echo_there(data), data);
  EXPECT_EQ(to_server->echo_there(data), data) << "nested";
}

TEST_P(ThreadModes, ExecuteOneWayCalls) {
  constexpr std::int32_t kCalls = 1000;
  for (std::int32_t n = 0; n < kCalls; ++n) server.node->note_there(n);
  EXPECT_TRUE(orbtest::becomes_true([&] { return client.node->notes().size() == std::size_t{kCalls}; }));
  if (GetParam().client.starts_with("unordered")) return;
  BidirTest::Numbers sent(kCalls);
  std::iota(sent.begin(), sent.end(), 0);
  EXPECT_EQ(client.node->notes(), sent) << "in order";
}

TEST_P(ThreadModes, EndCallbacksWithTheClient) {
  ASSERT_EQ(server.node->twice_there(1), 2);
  const std::size_t descriptors = orbtest::descriptors();
  client.end();
  EXPECT_THROW(server.node->twice_there(1), CORBA::TRANSIENT);
  EXPECT_TRUE(orbtest::becomes_true([&] { return orbtest::descriptors() < descriptors; }));
}

TEST_P(ThreadModes, CompleteCallsInProgressAtTheShutdown) {
  if (GetParam().client == "single") GTEST_SKIP() << "its thread would wait at the gate";
  auto pending = std::async(std::launch::async, [&] { return server.node->wait_there(7); });
  ASSERT_TRUE(client.node->gate.reached_by(1));
  auto ended = std::async(std::launch::async, [&] { client.broker.orb->shutdown(true); });
  client.node->gate.open();
  ended.get();
  EXPECT_EQ(pending.get(), 7);
}

TEST_P(ThreadModes, LeaveNothingOfAPeerThatCloses) {
  const orbtest::Where at = orbtest::where(server.stringified());
  const auto run_once = [&] {
    RawPeer peer = RawPeer::to(at.port);
    attach(peer, 0, at.key, {"client.invalid", 9});
    const NodeRef there = server.node->attached();
    auto call = std::async(std::launch::async, [&] { return there->twice(1); });
    EXPECT_EQ(type_of(peer.receives()), MessageType::request);
    peer.closes();
    EXPECT_THROW(call.get(), CORBA::COMM_FAILURE);
  };
  run_once();
  const std::size_t descriptors = orbtest::descriptors();
  for (int i = 0; i < 5; ++i) run_once();
  EXPECT_TRUE(orbtest::becomes_true([&] { return orbtest::descriptors() <= descriptors; }));
}

const Modes kModes[] = {{"connection", "connection"},   {"pool:2", "pool:2"},
                        {"unordered:2", "unordered:2"}, {"single", "single"},
                        {"pool:2", "connection"},       {"connection", "pool:2"},
                        {"single", "connection"},       {"connection", "single"}};
INSTANTIATE_TEST_SUITE_P(OfServerAndClient, ThreadModes, ::testing::ValuesIn(kModes),
                         [](const auto& tested) { return name_of(tested.param); });

// No thread is in ORB::run: the thread that calls the server serves the callbacks meanwhile.
TEST(SingleThreadedClient, ServesCallbacksWhileItCalls) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  NodeOrb client(listening_nowhere({"-ORBThreads", "single"}), BiDirPolicy::BOTH);
  const NodeRef to_server = client.offering(server.stringified());
  to_server->attach(client.reference());
  EXPECT_EQ(to_server->twice_there(4), 8);
  EXPECT_EQ(to_server->descend(client.reference(), 15), 15);
}

}  // namespace
}  // namespace bidirtest
