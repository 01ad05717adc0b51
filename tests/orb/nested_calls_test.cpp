// Nested calls between processes that call each other back do not deadlock, over any transport.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "orb/minor_codes.h"
#include "orb/options.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"
#include "testing/thread_mode.h"
#include "testing/time_limit.h"

namespace orbtest {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

Options options_of(const ThreadMode& mode) {
  // Longer than the calls take on any machine: a deadlock ends with TIMEOUT and fails the test.
  return {"-ORBThreads",  mode.threads,      "-ORBListen", mode.transport, "-ORBTransportPreference",
          mode.transport, "-ORBCallTimeout", "120000"};
}

/// The number of sockets of a process: each connection has one, over every transport.
std::size_t sockets_of(int pid) {
  std::size_t sockets = 0;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code error;
    sockets += std::filesystem::read_symlink(fd, error).string().rfind("socket:", 0) == 0;
  }
  return sockets;
}

class NestedCallModes : public ::testing::TestWithParam<ThreadMode> {
 protected:
  /// References to players in `n` processes, of which this is the first. This thread uses the ORB of this
  /// process.
  OrbTest::Circle circle_of(std::size_t n) {
    broker_.emplace(options_of(GetParam()));
    OrbTest::Circle circle{broker_->at(broker_->serve(here_))};
    while (circle.size() < n) {
      processes_.push_back(std::make_unique<ServerProcess>(options_of(GetParam())));
      circle.push_back(broker_->unchecked(processes_.back()->transient()));
    }
    return circle;
  }
  /// Depth of the recursion: lower over mqueue, because message queues per user are limited and other tests
  /// use some.
  const std::int32_t deep_ = GetParam().transport == "mqueue" ? 5 : 11;
  std::vector<std::unique_ptr<ServerProcess>> processes_;
  ServantRef here_ = CORBA::make_reference<Servant>();
  std::optional<TestOrb> broker_;
};

/// The notes that the player at `place` receives, in order: one before each call to it, and one after.
OrbTest::Numbers notes_for(std::int32_t place, std::int32_t players, std::int32_t n) {
  OrbTest::Numbers before, after;
  for (; n > 0; --n) {
    if ((n - 1) % players != place) continue;
    before.push_back(n);
    after.insert(after.begin(), -n);
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

/// Starts the recursion from a thread outside of upcalls. The first call is to the player at n mod players.
std::int32_t play(const OrbTest::Circle& circle, std::int32_t n) {
  return circle[static_cast<std::size_t>(n) % circle.size()]->pass(circle, n);
}

TEST_P(NestedCallModes, CompleteDeepRecursionBetweenTwoProcesses) {
  const OrbTest::Circle circle = circle_of(2);
  EXPECT_EQ(play(circle, deep_), deep_);
}

TEST_P(NestedCallModes, CompleteDeepRecursionAroundThreeProcesses) {
  const OrbTest::Circle circle = circle_of(3);
  EXPECT_EQ(play(circle, deep_), deep_);
  EXPECT_EQ(play(circle, deep_ - 1), deep_ - 1);
}

class OrderedNestedCallModes : public NestedCallModes {};

TEST_P(OrderedNestedCallModes, KeepTheOrderOfOneWays) {
  const OrbTest::Circle circle = circle_of(2);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(play(circle, deep_), deep_);
  const OrbTest::Numbers once = notes_for(1, 2, deep_);
  OrbTest::Numbers all;
  for (int i = 0; i < 20; ++i) all.insert(all.end(), once.begin(), once.end());
  // This thread made the first call before all of them; notes() takes the same connection as the one-way
  // calls.
  EXPECT_THAT(circle[1]->notes(), ElementsAreArray(all));
}

TEST_P(NestedCallModes, ReuseAuxiliaryConnections) {
  const OrbTest::Circle circle = circle_of(2);
  ASSERT_EQ(play(circle, 5), 5);
  const std::size_t before = sockets_of(processes_[0]->pid());
  for (int i = 0; i < 200; ++i) ASSERT_EQ(play(circle, 5), 5);
  EXPECT_EQ(sockets_of(processes_[0]->pid()), before);
}

TEST_P(NestedCallModes, UseNoAuxiliaryConnectionWithoutACallback) {
  const OrbTest::Circle circle = circle_of(3);
  ASSERT_EQ(circle[1]->ask(circle[2], 1), 2);
  const std::size_t before = sockets_of(processes_[0]->pid());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(circle[1]->ask(circle[2], i), 2 * i);
  EXPECT_EQ(sockets_of(processes_[0]->pid()), before);
}

constexpr auto kNestedCallTransports = {"shm", "unix", "tcp", "mqueue"};
INSTANTIATE_TEST_SUITE_P(Modes, NestedCallModes,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:2", "unordered:2", "single"},
                                                          kNestedCallTransports)),
                         thread_mode_name);
INSTANTIATE_TEST_SUITE_P(Modes, OrderedNestedCallModes,
                         ::testing::ValuesIn(thread_modes({"connection", "pool:2", "single"},
                                                          kNestedCallTransports)),
                         thread_mode_name);

TEST(NestedCalls, RaiseNoResourcesAtTheConnectionLimit) {
  const Options few{"-ORBTune", "auxiliary-connections=2", "-ORBTune", "connect-timeout-ms=200"};
  TestOrb a(few), b(few);
  const auto at_a = CORBA::make_reference<Servant>(), at_b = CORBA::make_reference<Servant>();
  const std::string to_a = a.serve(at_a), to_b = b.serve(at_b);
  const OrbTest::Circle circle{a.at(to_a), a.at(to_b)};
  EXPECT_EQ(play(circle, 5), 5);
  EXPECT_THAT(raised_by<CORBA::NO_RESOURCES>([&] { play(circle, 11); }, minor::kNoAuxiliaryConnection),
              HasSubstr("-ORBTune auxiliary-connections"));
  EXPECT_EQ(play(circle, 5), 5);
}

TEST(NestedCalls, CloseIdleAuxiliaryConnections) {
  ServerProcess server(
      {"-ORBListen", "unix", "-ORBTransportPreference", "unix", "-ORBTune", "auxiliary-idle-ms=100"});
  TestOrb broker(
      {"-ORBListen", "unix", "-ORBTransportPreference", "unix", "-ORBTune", "auxiliary-idle-ms=100"});
  const auto here = CORBA::make_reference<Servant>();
  const OrbTest::Circle circle{broker.at(broker.serve(here)), broker.at(server.transient())};
  EXPECT_EQ(play(circle, 1), 1);  // a call and a callback, over the shared connections
  const std::size_t shared = sockets_of(server.pid());
  EXPECT_EQ(play(circle, 9), 9);
  EXPECT_TRUE(becomes_true([&] { return sockets_of(server.pid()) <= shared; }));
  EXPECT_EQ(play(circle, 9), 9);
}

TEST(NestedCalls, WaitForAnAuxiliaryConnectionAtTheLimit) {
  TestOrb middle({"-ORBTune", "auxiliary-connections=1"}), far;
  const auto at_middle = CORBA::make_reference<Servant>(), at_far = CORBA::make_reference<Servant>();
  const std::string to_middle = middle.serve(at_middle), to_far = far.serve(at_far);
  std::vector<std::thread> clients;
  for (int c = 0; c < 6; ++c) {
    clients.emplace_back([&] {
      TestOrb client;
      const CallsRef calls = client.at(to_middle), other = client.at(to_far);
      for (std::int32_t i = 0; i < 100; ++i) ASSERT_EQ(calls->ask(other, i), 2 * i);
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(NestedCalls, UseTheSharedConnectionAfterALateReply) {
  ServerProcess server({"-ORBListen", "unix"});
  TestOrb middle({"-ORBTune", "auxiliary-idle-ms=100"}), client;
  const auto at_middle = CORBA::make_reference<Servant>();
  const CallsRef remote = middle.at(server.transient()), calls = client.at(middle.serve(at_middle));
  EXPECT_EQ(remote->twice(1), 2);
  const auto ask = [&] { EXPECT_EQ(calls->ask(client.unchecked(server.transient()), 4), 8); };
  ask();
  const std::size_t before = sockets_of(server.pid());
  const CallsRef with_timeout = limited<OrbTest::Calls>(middle, remote, 100);
  EXPECT_THROW(with_timeout->wait_at_gate(1), CORBA::TIMEOUT);
  EXPECT_EQ(client.at(server.transient())->twice(1), 2);
  client.at(server.transient())->open_gate(1);
  // Until the late reply arrives, each nested call takes an auxiliary connection, which is closed when idle.
  EXPECT_TRUE(becomes_true([&] {
    ask();
    return sockets_of(server.pid()) <= before + 1;  // the client's connection
  }));
}

TEST(NestedCalls, CompleteOverUdpAfterLostReplies) {
  TestOrb a({"-ORBListen", "udp", "-ORBTransportPreference", "udp"}),
      b({"-ORBListen", "udp", "-ORBTransportPreference", "udp"});
  const auto at_a = CORBA::make_reference<Servant>(), at_b = CORBA::make_reference<Servant>();
  const std::string to_a = a.serve(at_a), to_b = b.serve(at_b);
  const OrbTest::Circle circle{a.at(to_a), a.at(to_b)};
  EXPECT_EQ(play(circle, 11), 11);
}

TEST(NestedCalls, DeadlockWithoutAuxiliaryConnections) {
  const Options none{"-ORBTune", "auxiliary-connections=0", "-ORBCallTimeout", "300"};
  TestOrb a(none), b(none);
  const auto at_a = CORBA::make_reference<Servant>(), at_b = CORBA::make_reference<Servant>();
  const std::string to_a = a.serve(at_a), to_b = b.serve(at_b);
  const OrbTest::Circle circle{a.unchecked(to_a), a.unchecked(to_b)};
  EXPECT_THROW(play(circle, 3), CORBA::TIMEOUT);
}

struct ConnectionsPerPeer : ::testing::Test {
  TestOrb server;
  ServantRef servant = CORBA::make_reference<Servant>();

  void call_by_four_threads(const Options& options, const std::function<void(OrbTest::Calls&)>& call) {
    TestOrb client(options);
    const CallsRef calls = client.at(server.serve(servant));
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) callers.emplace_back([&] { call(*calls); });
    for (std::thread& caller : callers) caller.join();
  }
};

TEST_F(ConnectionsPerPeer, DefaultToOneForThreadsOutsideOfUpcalls) {
  call_by_four_threads({}, [](OrbTest::Calls& calls) { calls.slow(20, 1); });
  EXPECT_EQ(servant->most_at_once(), 1);
}

TEST_F(ConnectionsPerPeer, AllowTheConfiguredNumberOfConcurrentCalls) {
  const Options three{"-ORBTune", "connections-per-peer=3"};
  std::thread opening([&] {
    EXPECT_TRUE(servant->gate.reached_by(3));
    servant->gate.open();
  });
  call_by_four_threads(three, [](OrbTest::Calls& calls) { calls.wait_at_gate(1); });
  opening.join();
}

TEST_F(ConnectionsPerPeer, AreLimited) {
  call_by_four_threads({"-ORBTune", "connections-per-peer=2"},
                       [](OrbTest::Calls& calls) { calls.slow(20, 1); });
  EXPECT_LE(servant->most_at_once(), 2);
}

}  // namespace
}  // namespace orbtest
