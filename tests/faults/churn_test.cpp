// Resources after thousands of connects and disconnects.
#include <gtest/gtest.h>

#include <thread>

#include <orbweaver/object.h>

#include "peer.h"
#include "transport/plugins.h"
#include "transport/testing/ends.h"

namespace faulttest {
namespace {

using namespace orbweaver::transport;

std::vector<std::string> all_transports() {
  std::vector<std::string> all = transports_with_udp();
  all.push_back("inproc");
  return all;
}

class Churn : public ::testing::TestWithParam<std::string> {
 protected:
  /// Calls `once` `count` times, or fewer on a slow machine, within 120 s. Records the number as property
  /// `done`.
  template <class Once>
  void repeat(int count, Once&& once) {
    const Deadline limit = Deadline::in_ms(120'000);
    int done = 0;
    for (; done < count && !HasFailure() && !limit.passed(); ++done) once(done);
    RecordProperty("done", done);
  }
};

TEST_P(Churn, LeaksNothingOverTenThousandChannels) {
  Transport& transport = *find(GetParam());
  ChannelOptions options = orbweaver::transport::testing::options_for();
  options.ring_bytes = 4096;
  auto acceptor = transport.listen("", options);
  ASSERT_TRUE(acceptor);
  constexpr int kAtOnce = 10, kRounds = 1'000;
  std::vector<std::unique_ptr<Channel>> near(kAtOnce), far(kAtOnce);
  const auto round = [&](int number) {
    std::thread accepting([&] {
      for (auto& channel : far) {
        auto accepted = (*acceptor)->accept();
        ASSERT_TRUE(accepted);
        channel = std::move(*accepted);
      }
    });
    for (auto& channel : near) {
      auto connected = transport.connect((*acceptor)->address(), options, Deadline::in_ms(120'000));
      EXPECT_TRUE(connected) << connected.error().message;
      if (connected) channel = std::move(*connected);
    }
    accepting.join();
    // Either end is destroyed first, with and without a close.
    auto& first = number % 2 == 0 ? near : far;
    for (auto& channel : first) {
      if (number % 3 == 0 && channel) channel->close();
      channel = nullptr;
    }
    for (auto* end : {&near, &far}) {
      for (auto& channel : *end) channel = nullptr;
    }
  };
  for (int i = 0; i < 10; ++i) round(i);
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  repeat(kRounds, round);
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  EXPECT_TRUE(heap_restored(heap_before));
}

/// The same through the ORB: a connection per reference, and a server thread per connection.
TEST_P(Churn, LeaksNothingOverTwoThousandConnections) {
  CallLogPage call_log;
  // Small queues: the limit of a user applies to the queues of all programs together.
  TestOrb server({"-ORBListen", GetParam(), "-ORBTune", "ring-bytes=4096", "-ORBTransportOption",
                  "mqueue.message-bytes=512"});
  const auto servant = CORBA::make_reference<TargetServant>(*call_log);
  server.root->activate_object(servant);
  const std::string reference = server.orb->object_to_string(server.root->servant_to_reference(servant));
  const auto call = [&](TestOrb& client) { EXPECT_EQ(reference_to_target(client, reference)->twice(4), 8); };
  TestOrb client({"-ORBTransportPreference", GetParam()});
  call(client);
  const auto once = [&] {
    // A connection closed reference keeps its thread and queues in the server until that thread runs.
    EXPECT_TRUE(becomes_true([] { return orbtest::threads() <= 20; }));
    const auto own = orbweaver::with_private_connection(client.orb->string_to_object(reference));
    EXPECT_EQ(TargetRef::adopt(Faults::Target::_make(own->_reference()))->twice(4), 8);
  };
  for (int i = 0; i < 50; ++i) once();
  EXPECT_TRUE(becomes_true([&] { return orbtest::threads() <= 7; }));
  const ResourceSnapshot before = ResourceSnapshot::now();
  const std::size_t heap_before = heap_bytes(), mapped_before = mapped_shared_bytes();
  repeat(2'000, [&](int) { once(); });
  EXPECT_TRUE(before.are_restored()) << before.difference();
  EXPECT_TRUE(shared_mappings_restored(mapped_before));
  EXPECT_TRUE(heap_restored(heap_before));
}

INSTANTIATE_TEST_SUITE_P(Transports, Churn, ::testing::ValuesIn(all_transports()),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace faulttest
