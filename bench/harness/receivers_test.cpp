// `hops` and `fanout` in short form, with real processes. Counts, no durations.
#include "receivers.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "clock.h"
#include "plan.h"
#include "runner.h"
#include "testing/print_experiment.h"

namespace orbweaver::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Case packets(Experiment experiment, PayloadType type, std::size_t bytes, const char* transport = "shm") {
  Case c;
  c.experiment = experiment;
  c.transport = transport;
  c.type = type;
  c.bytes = bytes;
  c.calls = 100;
  c.receivers = 3;
  c.wait = Wait::block;
  c.pin = Pin::one;
  return c;
}

Report measured(const std::vector<Case>& cases, const std::vector<std::string>& subjects) {
  RunnerOptions options;
  options.programs = own_folder();
  options.rounds = 1;
  options.limit = std::chrono::minutes(5);
  return run(cases, subjects, options);
}

struct Packets : testing::TestWithParam<Experiment> {};

TEST_P(Packets, ArriveAtEveryReceiver) {
  const Report report =
      measured({packets(GetParam(), PayloadType::empty, 0), packets(GetParam(), PayloadType::doubles, 8192)},
               {"floor", "orbweaver"});
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_THAT(report.skipped, IsEmpty());
  ASSERT_EQ(report.outcomes.size(), 4u);
  for (const Outcome& o : report.outcomes) {
    EXPECT_EQ(o.figures.calls, 100u) << o.subject;
    EXPECT_GT(o.figures.p50_us, 0) << o.subject;
    EXPECT_EQ(o.figures.copied_bytes, static_cast<double>(3 * o.what.bytes))
        << o.subject << ": once for each receiver";
  }
}

TEST_P(Packets, AreNotCopiedInABlockForEightReceivers) {
  Case c = packets(GetParam(), PayloadType::block, 1 << 20);
  c.receivers = 8;
  const Report report = measured({c}, {"floor", "orbweaver"});
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_EQ(report.outcomes.size(), 2u);
  for (const Outcome& o : report.outcomes) EXPECT_EQ(o.figures.copied_bytes, 0) << o.subject;
}

TEST_P(Packets, ArriveOverSockets) {
  const Report report =
      measured({packets(GetParam(), PayloadType::doubles, 4096, "unix")}, {"floor", "orbweaver"});
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_THAT(report.skipped,
              ElementsAre("floor over unix: there is no floor for packets over this transport"));
  ASSERT_EQ(report.outcomes.size(), 1u);
  EXPECT_EQ(report.outcomes[0].figures.copied_bytes, 3 * 4096);
}

INSTANTIATE_TEST_SUITE_P(Both, Packets, testing::Values(Experiment::hops, Experiment::fanout),
                         [](const auto& test) { return std::string(name(test.param)); });

std::string complaint_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return "none";
}

/// Without a processor of its own: the test's process is one of its processes.
Case here(Experiment experiment) {
  Case c = packets(experiment, PayloadType::empty, 0);
  c.pin = Pin::none;
  return c;
}

Loop few_packets() {
  Loop loop;
  loop.calls = 10;
  return loop;
}

TEST(Receivers, FailWhenAReceiverDoesNotBecomeReady) {
  EXPECT_EQ(complaint_of([] {
              Receivers(here(Experiment::hops), [](const Receiver& self) {
                if (self.number == 2) _exit(0);
                self.ready("address");
                pause();
              });
            }),
            "receiver 2 has ended");
}

TEST(Receivers, FailWhenAReceiverEndsMeanwhile) {
  EXPECT_EQ(complaint_of([] {
              Receivers receivers(here(Experiment::fanout), [](const Receiver& self) {
                self.ready("address");
                if (self.number == 3) _exit(0);
                pause();
              });
              receivers.measure(few_packets(), [](std::uint32_t) { return steady_ns(); });
            }),
            "receiver 3 has ended");
}

TEST(Receivers, FailForAPacketWithWrongContent) {
  Case c = here(Experiment::hops);
  c.receivers = 1;
  EXPECT_THAT(complaint_of([&] {
                Receivers receivers(c, [](const Receiver& self) {
                  self.ready("address");
                  for (;;) self.board.note_arrival(steady_ns(), false);
                });
                receivers.measure(few_packets(), [](std::uint32_t) { return steady_ns(); });
              }),
              HasSubstr("packets arrived with wrong content"));
}

TEST(Receivers, FormAChainOrAreAllDestinations) {
  const auto serve = [](const Receiver& self) {
    self.ready(std::to_string(self.number) + " before " + self.next);
    pause();
  };
  EXPECT_THAT(Receivers(here(Experiment::hops), serve).destinations(),
              ElementsAre("1 before 2 before 3 before "));
  EXPECT_THAT(Receivers(here(Experiment::fanout), serve).destinations(),
              ElementsAre("3 before ", "2 before ", "1 before "));
}

TEST(Packet, HasItsNumberAtBothEnds) {
  std::vector<double> data(4);
  fill_packet(data.data(), 4, 7);
  EXPECT_TRUE(packet_is(7, data.data(), 4, 4));
  EXPECT_FALSE(packet_is(8, data.data(), 4, 4));
  EXPECT_FALSE(packet_is(7, data.data(), 4, 5));
  data[3] = 0;
  EXPECT_FALSE(packet_is(7, data.data(), 4, 4));
  mark_packet(data.data(), 4, 9);
  EXPECT_TRUE(packet_is(9, data.data(), 4, 4));
  EXPECT_TRUE(packet_is(1, nullptr, 0, 0));
}

TEST(PacketsPlan, HasReceiversThatBlock) {
  Plan plan;
  plan.experiment = Experiment::hops;
  plan.transports = {"shm"};
  plan.types = {"empty"};
  const Case c = cases(plan).at(0);
  EXPECT_EQ(c.receivers, 8u);
  EXPECT_EQ(c.wait, Wait::block);
  EXPECT_EQ(c.pin, Pin::one);
  EXPECT_EQ(from_args(to_args(c)), c);
}

TEST(PacketsPlan, RejectsWhatCannotBeMeasured) {
  Plan plan;
  plan.experiment = Experiment::fanout;
  plan.transports = {"shm"};
  plan.types = {"string"};
  EXPECT_EQ(complaint_of([&] { (void)cases(plan); }), "--type string: packets are empty, double or block");
  plan.types = {"block"};
  plan.transports = {"tcp"};
  EXPECT_EQ(complaint_of([&] { (void)cases(plan); }),
            "--type block: blocks are measured over --transport shm");
  plan.transports = {"udp"};
  EXPECT_THAT(complaint_of([&] { (void)cases(plan); }), HasSubstr("shm, unix, mqueue or tcp"));
  plan.receivers = 65;
  EXPECT_EQ(complaint_of([&] { (void)cases(plan); }), "--receivers: from 1 to 64");
}

}  // namespace
}  // namespace orbweaver::bench
