// One-way calls that wait for others to leave with: in order, never longer than asked for, and never lost in silence.
#include <gtest/gtest.h>

#include <orbweaver/flush.h>

#include "platform/socket.h"
#include "testing/broker.h"

namespace orbtest {
namespace {

constexpr const char* kNever_us = "10000000";  // ten seconds: no test waits for so long

struct Batches : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  // A batch over mqueue is a message.
  Broker server{Options{"-ORBListen", GetParam(), "-ORBTransportOption", "mqueue.message-bytes=4096"}};
  std::string reference = server.serve(servant);

  Options batching(const char* delay_us, const char* bytes = "65536") const {
    return {"-ORBTransportPreference", GetParam(), "-ORBWait",       "block",
            "-ORBBatchDelay",          delay_us,   "-ORBBatchBytes", bytes};
  }
  /// Notes from..to, one-way; the system calls that this took here.
  static std::uint64_t note(const CallsRef& calls, std::int32_t from, std::int32_t to) {
    const std::uint64_t before = orbweaver::platform::calls_made();
    for (std::int32_t i = from; i < to; ++i) calls->note_slowly(i, 0);
    return orbweaver::platform::calls_made() - before;
  }
  std::vector<std::int32_t> noted() const { return servant->notes(); }
  static std::vector<std::int32_t> numbers(std::int32_t from, std::int32_t to) {
    std::vector<std::int32_t> all;
    for (std::int32_t i = from; i < to; ++i) all.push_back(i);
    return all;
  }
};

TEST_P(Batches, LeaveTogetherBeforeATwoWayCallAndInOrder) {
  Broker client{batching(kNever_us)};
  const CallsRef calls = client.at(reference);
  calls->twice(1);
  EXPECT_LE(note(calls, 0, 35), 2u) << "system calls, though nothing is to leave yet";
  EXPECT_TRUE(noted().empty());
  const std::uint64_t before = orbweaver::platform::calls_made();
  EXPECT_EQ(calls->twice(2), 4);
  EXPECT_LE(orbweaver::platform::calls_made() - before, 8u);
  note(calls, 35, 45);
  calls->twice(3);
  EXPECT_EQ(noted(), numbers(0, 45));
}

TEST_P(Batches, LeaveAtTheirLimit) {
  Broker client{batching(kNever_us, "4096")};
  const CallsRef calls = client.at(reference);
  EXPECT_LE(note(calls, 0, 200), 20u);
  EXPECT_TRUE(becomes_true([&] { return noted().size() >= 100; }));
  calls->twice(1);
  EXPECT_EQ(noted(), numbers(0, 200));
}

TEST_P(Batches, LeaveAfterTheirDelay) {
  Broker client{batching("1000")};
  const CallsRef calls = client.at(reference);
  for (std::int32_t i = 0; i < 3; ++i) {  // the first, and others after a pause
    note(calls, 5 * i, 5 * i + 5);
    EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5 * i + 5); }));
  }
}

TEST_P(Batches, LeaveOnRequest) {
  Broker client{batching(kNever_us)};
  const CallsRef calls = client.at(reference);
  orbweaver::flush(calls);  // nothing is queued
  note(calls, 0, 5);
  orbweaver::flush(calls);
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

TEST_P(Batches, OfManyThreadsKeepTheOrderOfEach) {
  Broker client{batching("200", "2048")};
  const CallsRef calls = client.at(reference);
  std::vector<std::thread> threads;
  for (std::int32_t t = 0; t < 3; ++t) threads.emplace_back([&, t] { note(calls, 1000 * t, 1000 * t + 200); });
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

TEST_P(Batches, LeaveBeforeTheOrbIsShutDown) {
  Broker client{batching(kNever_us)};
  note(client.at(reference), 0, 5);
  client.destroy();
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

TEST_P(Batches, AreNotMadeUnlessAskedFor) {
  Broker client{Options{"-ORBTransportPreference", GetParam()}};
  note(client.at(reference), 0, 5);
  EXPECT_TRUE(becomes_true([&] { return noted() == numbers(0, 5); }));
}

INSTANTIATE_TEST_SUITE_P(Roads, Batches, ::testing::Values("shm", "unix", "mqueue", "tcp", "udp"), [](const auto& i) { return i.param; });

TEST(Batch, ThatIsLostIsToldByTheNextFlush) {
  const auto servant = CORBA::make_reference<Servant>();
  auto server = std::make_unique<Broker>(Options{"-ORBListen", "unix"});
  Broker client{Options{"-ORBTransportPreference", "unix", "-ORBBatchDelay", kNever_us, "-ORBLog", "off"}};
  const CallsRef calls = client.at(server->serve(servant));
  calls->twice(1);
  calls->note(1);
  server = nullptr;
  EXPECT_THROW(orbweaver::flush(calls), CORBA::COMM_FAILURE);
}

TEST(Batch, IsNotBegunForAServerThatIsGone) {
  const auto servant = CORBA::make_reference<Servant>();
  auto server = std::make_unique<Broker>(Options{"-ORBListen", "unix"});
  Broker client{Options{"-ORBTransportPreference", "unix", "-ORBBatchDelay", kNever_us}};
  const CallsRef calls = client.at(server->serve(servant));
  calls->twice(1);
  server = nullptr;
  EXPECT_THROW(calls->note(1), CORBA::TRANSIENT);
}

TEST(Batch, OptionsAreChecked) {
  EXPECT_THROW(Broker(Options{"-ORBBatchDelay", "soon"}), CORBA::BAD_PARAM);
  EXPECT_THROW(Broker(Options{"-ORBBatchBytes", "0"}), CORBA::BAD_PARAM);
}

}  // namespace
}  // namespace orbtest
