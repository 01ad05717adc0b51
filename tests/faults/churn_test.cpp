// Ten thousand connects and disconnects leave nothing behind.
#include <gtest/gtest.h>

#include <thread>

#include <orbweaver/object.h>

#include "peer.h"
#include "transport/plugins.h"
#include "transport/testing/ends.h"

namespace faulttest {
namespace {

using namespace orbweaver::transport;

std::vector<std::string> every_road() {
  std::vector<std::string> all = roads_with_datagrams();
  all.push_back("inproc");
  return all;
}

class Churn : public ::testing::TestWithParam<std::string> {
 protected:
  /// `count` times; fewer, and that is recorded, on a machine that takes much longer than seconds for it.
  template <class Once>
  void repeat(int count, Once&& once) {
    const Deadline enough = Deadline::in_ms(120'000);
    int done = 0;
    for (; done < count && !HasFailure() && !enough.passed(); ++done) once(done);
    RecordProperty("done", done);
  }
};

TEST_P(Churn, TenThousandChannelsLeaveNothing) {
  Transport& road = *find(GetParam());
  ChannelOptions options = orbweaver::transport::testing::options_for();
  options.ring_bytes = 4096;
  auto acceptor = road.listen("", options);
  ASSERT_TRUE(acceptor);
  constexpr int kAtOnce = 10, kRounds = 1'000;
  std::vector<std::unique_ptr<Channel>> near(kAtOnce), far(kAtOnce);
  const auto round = [&](int number) {
    std::thread accepting([&] {
      for (auto& each : far) {
        auto accepted = (*acceptor)->accept();
        ASSERT_TRUE(accepted);
        each = std::move(*accepted);
      }
    });
    for (auto& each : near) {
      auto connected = road.connect((*acceptor)->address(), options, Deadline::in_ms(120'000));
      EXPECT_TRUE(connected) << connected.error().message;
      if (connected) each = std::move(*connected);
    }
    accepting.join();
    // Whoever goes first, with and without a word.
    auto& first = number % 2 == 0 ? near : far;
    for (auto& each : first) {
      if (number % 3 == 0 && each) each->close();
      each = nullptr;
    }
    for (auto* end : {&near, &far}) {
      for (auto& each : *end) each = nullptr;
    }
  };
  for (int i = 0; i < 10; ++i) round(i);
  const Belongings before = Belongings::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  repeat(kRounds, round);
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_LE(mapped_shared_bytes(), mapped_before);
  EXPECT_LE(heap_bytes(), heap_before + 64 * 1024);
}

/// The ORB's share of it: a connection for each reference, a thread of the server for each connection.
TEST_P(Churn, TwoThousandConnectionsOfAnOrbLeaveNothing) {
  LedgerPage ledger;
  // Small queues: all of this user's have a limit together, whichever program has them.
  Broker server({"-ORBListen", GetParam(), "-ORBRingBytes", "4096", "-ORBTransportOption", "mqueue.message-bytes=512"});
  const auto servant = CORBA::make_reference<TargetServant>(*ledger);
  server.root->activate_object(servant);
  const std::string here = server.orb->object_to_string(server.root->servant_to_reference(servant));
  const auto call = [&](Broker& client) { EXPECT_EQ(reference_to_target(client, here)->twice(4), 8); };
  Broker client({"-ORBTransportPreference", GetParam()});
  call(client);
  const auto once = [&] {
    // What has ended here has its thread and queues in the server until that thread gets its turn.
    EXPECT_TRUE(becomes_true([] { return orbtest::threads() <= 20; }));
    const auto own = orbweaver::with_private_connection(client.orb->string_to_object(here));
    EXPECT_EQ(TargetRef::adopt(Faults::Target::_make(own->_reference()))->twice(4), 8);
  };
  for (int i = 0; i < 50; ++i) once();
  EXPECT_TRUE(becomes_true([&] { return orbtest::threads() <= 7; }));
  const Belongings before = Belongings::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  repeat(2'000, [&](int) { once(); });
  EXPECT_TRUE(before.are_again()) << before.and_now();
  EXPECT_TRUE(becomes_true([&] { return mapped_shared_bytes() <= mapped_before; }));
  EXPECT_LE(heap_bytes(), heap_before + 64 * 1024);
}

INSTANTIATE_TEST_SUITE_P(Roads, Churn, ::testing::ValuesIn(every_road()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace faulttest
