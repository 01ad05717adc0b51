// Memory that runs out in a thread of the ORB's own costs a connection, not the process.
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>
#include <tuple>

#include "failing_allocation.h"
#include "orb/reactor.h"
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

TEST_P(NoMemory, CostsNoMoreThanAConnection) {
  Serving server(GetParam().mode, {"-ORBLog", "off"});
  failing_thread = GetParam().thread;
  for (int nth = 1; nth <= 40; ++nth) {
    {
      RawPeer peer = server.raw();
      fails_in = nth;
      peer.sends(request(1, server.there().key, "greet").text("you").bytes());
      static_cast<void>(peer.receives());  // an answer, or the end
      RawPeer another = server.raw();
      another.sends(request(1, server.there().key, "greet").text("you").bytes());
      static_cast<void>(another.receives());
      fails_in = 0;
    }
    RawPeer after = server.raw();
    after.sends(request(1, server.there().key, "_get_value").bytes());
    EXPECT_TRUE(after.receives()) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(In, NoMemory,
                         ::testing::Values(Case{"AcceptingThread", "connection", "ow-accept"},
                                           Case{"ServingThread", "connection", "ow-serve"},
                                           Case{"ThreadOfThePool", "pool:2", "ow-pool"},
                                           Case{"RunningThread", "single", Serving::kRunningThread}),
                         [](const auto& given) { return given.param.name; });

/// A connection that always has more to serve.
class Busy final : public orbweaver::orb::Source {
 public:
  int descriptor() noexcept override { return wake_.fd().get(); }
  After turn() noexcept override { return After::again; }
  void close_in_order(orbweaver::platform::Deadline) noexcept override {}
  void give_up(orbweaver::platform::Deadline) noexcept override {}

 private:
  orbweaver::platform::WakeUp wake_;
};

TEST(NoMemoryForTurns, IsNeeded) {
  orbweaver::orb::Reactor reactor;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reactor.add(std::make_shared<Busy>()));
  failing_thread = "";  // all threads
  fails_in = 1;
  int turns = 0;
  while (turns < 1000 && reactor.step(orbweaver::platform::Deadline{0})) ++turns;
  const bool none_was_taken = fails_in.exchange(0) == 1;
  EXPECT_EQ(turns, 1000);
  EXPECT_TRUE(none_was_taken);
}

/// The parameters are a transport and who serves.
class NoMemoryToReceive : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(NoMemoryToReceive, CostsNoMoreThanAConnection) {
  const auto& [transport, mode] = GetParam();
  if (transport == "mqueue" && !std::ifstream("/proc/sys/fs/mqueue/msg_max")) {
    GTEST_SKIP() << "this machine has no POSIX message queues";
  }
  Serving server(mode, {"-ORBListen", "tcp," + transport, "-ORBLog", "off", "-ORBRingBytes", "65536"});
  failing_thread = Serving::serving_thread(mode);
  const Options calling{"-ORBTransportPreference", transport, "-ORBCallTimeout", "30000"};
  for (int nth = 1; nth <= 40; ++nth) {
    {
      Broker client(calling);
      fails_in = nth;
      try {
        client.unchecked(server.reference())->echo(OrbTest::Octets(200'000));
        client.unchecked(server.reference())->greet("you");
      } catch (const CORBA::SystemException&) {  // the connection has ended
      }
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; }))
        << nth;  // its end is noticed with as little memory
    fails_in = 0;
    Broker after(calling);
    EXPECT_EQ(after.unchecked(server.reference())->twice(4), 8) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(Over, NoMemoryToReceive,
                         ::testing::Combine(::testing::Values("shm", "mqueue", "udp", "unix"),
                                            ::testing::Values("connection", "pool:2", "single")),
                         [](const auto& given) {
                           const std::string mode = std::get<1>(given.param);
                           return std::get<0>(given.param) + (mode == "connection" ? ""
                                                              : mode == "single"   ? "Single"
                                                                                   : "InAPool");
                         });

/// The parameter says who serves a request that comes in fragments, and whose reply leaves in some.
class NoMemoryForFragments : public ::testing::TestWithParam<std::string> {};

TEST_P(NoMemoryForFragments, CostsNoMoreThanAConnection) {
  Serving server(GetParam(), {"-ORBListen", "tcp,unix", "-ORBLog", "off", "-ORBMaxFragmentBytes", "1024"});
  failing_thread = Serving::serving_thread(GetParam());
  const Options calling{"-ORBTransportPreference", "unix", "-ORBCallTimeout", "30000", "-ORBMaxFragmentBytes",
                        "1024"};
  for (int nth = 1; nth <= 60; ++nth) {
    {
      Broker client(calling);
      fails_in = nth;
      try {
        client.unchecked(server.reference())->echo(OrbTest::Octets(20'000));
        client.unchecked(server.reference())->echo(OrbTest::Octets(200'000));
      } catch (const CORBA::SystemException&) {  // the connection has ended
      }
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; })) << nth;
    fails_in = 0;
    EXPECT_EQ(server.bytes_held(), 0u) << nth;
    EXPECT_EQ(server.reply_bytes(), 0u) << nth;
    Broker after(calling);
    EXPECT_EQ(after.unchecked(server.reference())->twice(4), 8) << nth;
  }
}

INSTANTIATE_TEST_SUITE_P(In, NoMemoryForFragments, ::testing::Values("connection", "pool:2", "single"),
                         [](const auto& given) { return given.param.substr(0, given.param.find(':')); });

}  // namespace
}  // namespace orbtest
