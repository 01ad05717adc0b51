// Out of memory in a thread of the ORB: a connection closes; the process continues.
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>
#include <tuple>

#include "failing_allocation.h"
#include "orb/server/reactor.h"
#include "serving.h"

namespace orbtest {
namespace {

struct Case {
  const char* name;
  const char* mode;
  const char* thread;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class NoMemory : public ::testing::TestWithParam<Case> {};

TEST_P(NoMemory, ClosesAtMostAConnection) {
  TestServer server(GetParam().mode, {"-ORBLog", "off"});
  failing_thread_name = GetParam().thread;
  for (int nth = 1; nth <= 40; ++nth) {
    {
      RawPeer peer = server.raw();
      fails_in = nth;
      peer.sends(request(1, server.address().key, "greet").text("you").bytes());
      static_cast<void>(peer.receives());  // a reply or the close
      RawPeer another = server.raw();
      another.sends(request(1, server.address().key, "greet").text("you").bytes());
      static_cast<void>(another.receives());
      fails_in = 0;
    }
    RawPeer after = server.raw();
    after.sends(request(1, server.address().key, "_get_value").bytes());
    EXPECT_TRUE(after.receives()) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, NoMemory,
                         ::testing::Values(Case{"AcceptingThread", "connection", "ow-accept"},
                                           Case{"ServingThread", "connection", "ow-serve"},
                                           Case{"ThreadOfThePool", "pool:2", "ow-pool"},
                                           Case{"ThreadOfTheUnorderedPool", "unordered:2", "ow-pool"},
                                           Case{"RunningThread", "single", TestServer::kRunningThread}),
                         [](const auto& tested) { return tested.param.name; });

/// An event handler that always has further work.
class Busy final : public orbweaver::orb::EventHandler {
 public:
  int descriptor() noexcept override { return wake_.fd().get(); }
  TurnResult handle_event() noexcept override { return TurnResult::ready; }
  void close_orderly(orbweaver::platform::Deadline) noexcept override {}
  void close_by(orbweaver::platform::Deadline) noexcept override {}

 private:
  orbweaver::platform::WakeupFd wake_;
};

TEST(ReactorTurns, AllocateNothing) {
  orbweaver::orb::Reactor reactor;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reactor.add(std::make_shared<Busy>()));
  failing_thread_name = "";  // all threads
  fails_in = 1;
  int turns = 0;
  while (turns < 1000 && reactor.step(orbweaver::platform::Deadline{0})) ++turns;
  const bool no_allocation = fails_in.exchange(0) == 1;
  EXPECT_EQ(turns, 1000);
  EXPECT_TRUE(no_allocation);
}

/// Parameters: transport and thread mode.
class NoMemoryToReceive : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(NoMemoryToReceive, ClosesAtMostAConnection) {
  const auto& [transport, mode] = GetParam();
  if (transport == "mqueue" && !std::ifstream("/proc/sys/fs/mqueue/msg_max")) {
    GTEST_SKIP() << "this machine has no POSIX message queues";
  }
  TestServer server(mode,
                    {"-ORBListen", "tcp," + transport, "-ORBLog", "off", "-ORBTune", "ring-bytes=65536"});
  failing_thread_name = TestServer::serving_thread(mode);
  const Options calling{"-ORBTransportPreference", transport, "-ORBCallTimeout", "30000"};
  for (int nth = 1; nth <= 40; ++nth) {
    {
      TestOrb client(calling);
      fails_in = nth;
      try {
        client.unchecked(server.reference())->echo(OrbTest::Octets(200'000));
        client.unchecked(server.reference())->greet("you");
      } catch (const CORBA::SystemException&) {  // the connection has ended
      }
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; }))
        << nth;  // the close is detected without the memory, too
    fails_in = 0;
    TestOrb after(calling);
    EXPECT_EQ(after.unchecked(server.reference())->twice(4), 8) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, NoMemoryToReceive,
                         ::testing::Combine(::testing::Values("shm", "mqueue", "udp", "unix"),
                                            ::testing::Values("connection", "pool:2", "unordered:2",
                                                              "single")),
                         [](const auto& tested) {
                           const std::string mode = std::get<1>(tested.param);
                           return std::get<0>(tested.param) + (mode == "connection"    ? ""
                                                               : mode == "single"      ? "Single"
                                                               : mode == "unordered:2" ? "Unordered"
                                                                                       : "InAPool");
                         });

/// Parameter: thread mode of a server that receives a request and sends a reply in fragments.
class NoMemoryForFragments : public ::testing::TestWithParam<std::string> {};

TEST_P(NoMemoryForFragments, ClosesAtMostAConnection) {
  TestServer server(GetParam(),
                    {"-ORBListen", "tcp,unix", "-ORBLog", "off", "-ORBTune", "fragment-bytes=1024"});
  failing_thread_name = TestServer::serving_thread(GetParam());
  const Options calling{"-ORBTransportPreference", "unix", "-ORBCallTimeout", "30000", "-ORBTune",
                        "fragment-bytes=1024"};
  for (int nth = 1; nth <= 60; ++nth) {
    {
      TestOrb client(calling);
      fails_in = nth;
      try {
        client.unchecked(server.reference())->echo(OrbTest::Octets(20'000));
        client.unchecked(server.reference())->echo(OrbTest::Octets(200'000));
      } catch (const CORBA::SystemException&) {  // the connection has ended
      }
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; })) << nth;
    fails_in = 0;
    // A request of the connection may still be in service.
    EXPECT_TRUE(becomes_true([&] { return server.bytes_held() == 0 && server.reply_bytes() == 0; })) << nth;
    TestOrb after(calling);
    EXPECT_EQ(after.unchecked(server.reference())->twice(4), 8) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, NoMemoryForFragments,
                         ::testing::Values("connection", "pool:2", "unordered:2", "single"),
                         [](const auto& tested) { return tested.param.substr(0, tested.param.find(':')); });

}  // namespace
}  // namespace orbtest
