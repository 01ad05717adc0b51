// Batches of one-way calls: sent in order, at the latest after -ORBTune batch-delay-us, and reported when
// lost.
#include <gtest/gtest.h>

#include <orbweaver/flush.h>

#include "platform/socket.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

constexpr const char* kNever_us = "10000000";  // 10 s, longer than any test takes

struct OneWayBatches : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  // A batch over mqueue is a message.
  TestOrb server{Options{"-ORBListen", GetParam(), "-ORBTransportOption", "mqueue.message-bytes=4096"}};
  std::string reference = server.serve(servant);

  Options batching(const char* delay_us, const char* bytes = "65536") const {
    return {"-ORBTransportPreference",
            GetParam(),
            "-ORBWait",
            "block",
            "-ORBTune",
            std::string("batch-delay-us=") + delay_us,
            "-ORBTune",
            std::string("batch-bytes=") + bytes};
  }
  /// Sends the one-way notes `from` to `to` - 1. Returns the number of system calls that this took.
  static std::uint64_t note(const CallsRef& calls, std::int32_t from, std::int32_t to) {
    const std::uint64_t before = orbweaver::platform::system_calls_made();
    for (std::int32_t i = from; i < to; ++i) calls->note_slowly(i, 0);
    return orbweaver::platform::system_calls_made() - before;
  }
  std::vector<std::int32_t> noted() const { return servant->notes(); }
  static std::vector<std::int32_t> numbers(std::int32_t from, std::int32_t to) {
    std::vector<std::int32_t> all;
    for (std::int32_t i = from; i < to; ++i) all.push_back(i);
    return all;
  }
};

TEST_P(OneWayBatches, AreSentInOrderBeforeATwoWayCall) {
  TestOrb client{batching(kNever_us)};
  const CallsRef calls = client.at(reference);
  calls->twice(1);
  EXPECT_LE(note(calls, 0, 35), 2u) << "system calls, although nothing is due yet";
  EXPECT_TRUE(noted().empty());
  const std::uint64_t before = orbweaver::platform::system_calls_made();
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_LE(orbweaver::platform::system_calls_made() - before, 8u);
  note(calls, 35, 45);
  calls->twice(3);
  EXPECT_EQ(noted(), numbers(0, 45));
}

TEST_P(OneWayBatches, AreSentWhenFull) {
  TestOrb client{batching(kNever_us, "4096")};
  const CallsRef calls = client.at(reference);
  EXPECT_LE(note(calls, 0, 200), 20u);
  EXPECT_TRUE(becomes_true([&] { return noted().size() >= 100; }));
  calls->twice(1);
  EXPECT_EQ(noted(), numbers(0, 200));
}

TEST_P(OneWayBatches, AreSentAfterTheDelay) {
  TestOrb client{batching("1000")};
  const CallsRef calls = client.at(reference);
  for (std::int32_t i = 0; i < 3; ++i) {  // the first, and others after a pause
    note(calls, 5 * i, 5 * i + 5);
    EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5 * i + 5); }));
  }
}

TEST_P(OneWayBatches, AreSentOnFlush) {
  TestOrb client{batching(kNever_us)};
  const CallsRef calls = client.at(reference);
  orbweaver::flush(calls);  // nothing is queued
  note(calls, 0, 5);
  orbweaver::flush(calls);
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

TEST_P(OneWayBatches, KeepTheOrderOfEachThread) {
  TestOrb client{batching("200", "2048")};
  const CallsRef calls = client.at(reference);
  std::vector<std::thread> threads;
  for (std::int32_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] { note(calls, 1000 * t, 1000 * t + 200); });
  for (std::thread& thread : threads) thread.join();
  calls->twice(1);
  const std::vector<std::int32_t> all = noted();
  for (std::int32_t t = 0; t < 3; ++t) {
    std::vector<std::int32_t> of_thread;
    for (const std::int32_t n : all) {
      if (n / 1000 == t) of_thread.push_back(n);
    }
    EXPECT_EQ(of_thread, numbers(1000 * t, 1000 * t + 200));
  }
}

TEST_P(OneWayBatches, AreSentBeforeTheOrbShutsDown) {
  TestOrb client{batching(kNever_us)};
  const CallsRef calls = client.at(reference);
  calls->twice(1);  // over TCP, a caller that has gone before it is accepted is rejected (decision 54)
  note(calls, 0, 5);
  client.destroy();
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

TEST_P(OneWayBatches, AreDisabledByDefault) {
  TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
  note(client.at(reference), 0, 5);
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

INSTANTIATE_TEST_SUITE_P(Transports, OneWayBatches, ::testing::Values("shm", "unix", "mqueue", "tcp", "udp"),
                         [](const auto& i) { return i.param; });

TEST(OneWayBatch, ReportsLostCallsOnTheNextFlush) {
  const auto servant = CORBA::make_reference<Servant>();
  auto server = std::make_unique<TestOrb>(Options{"-ORBListen", "unix"});
  TestOrb client{Options{"-ORBTransportPreference", "unix", "-ORBTune",
                         std::string("batch-delay-us=") + kNever_us, "-ORBLog", "off"}};
  const CallsRef calls = client.at(server->serve(servant));
  calls->twice(1);
  calls->note(1);
  server = nullptr;
  EXPECT_THROW(orbweaver::flush(calls), CORBA::COMM_FAILURE);
}

TEST(OneWayBatch, IsNotStartedOnAClosedConnection) {
  const auto servant = CORBA::make_reference<Servant>();
  auto server = std::make_unique<TestOrb>(Options{"-ORBListen", "unix"});
  TestOrb client{
      Options{"-ORBTransportPreference", "unix", "-ORBTune", std::string("batch-delay-us=") + kNever_us}};
  const CallsRef calls = client.at(server->serve(servant));
  calls->twice(1);
  server = nullptr;
  EXPECT_THROW(calls->note(1), CORBA::TRANSIENT);
}

TEST(OneWayBatch, ValidatesItsOptions) {
  EXPECT_THROW(TestOrb(Options{"-ORBTune", "batch-delay-us=soon"}), CORBA::BAD_PARAM);
  EXPECT_THROW(TestOrb(Options{"-ORBTune", "batch-bytes=0"}), CORBA::BAD_PARAM);
}

}  // namespace
}  // namespace orbtest
