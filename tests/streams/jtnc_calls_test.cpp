// The JTNC Packet API between two ORBs: a receiver with a queue, and a transmitter that sends to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <orbweaver/loan.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/streams/jtnc.h>

#include "modem.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;

using Octets = std::vector<std::uint8_t>;
using Input = OctetInput;
constexpr Deadline kPast{0};
constexpr std::size_t kPayload = 100;

/// A transmitter's servant.
class Transmitter final : public virtual CORBA::servant_traits<StreamTest::Transmitter>::base_type,
                          public PayloadControlServant,
                          public FlowSignalsServant,
                          public EmptySignalsServant {
 public:
  Transmitter(PayloadLimits& payload, FlowGate& gate, std::function<void(std::uint16_t)> on_empty)
      : PayloadControlServant(payload), FlowSignalsServant(gate), EmptySignalsServant(std::move(on_empty)) {}
};

struct PacketApi : testing::TestWithParam<std::string> {
  static PacketInputOptions options() {
    return {{8, 8 * kPayload, WhenFull::reject}, {kPayload, 0, kPayload, 20}};
  }
  /// Takes packets until there is none, and returns their number.
  int take_all() {
    StreamPacket<std::uint8_t> packet;
    int taken = 0;
    while (input.take(packet, kPast) == TakeResult::taken) ++taken;
    return taken;
  }
  void fill() {
    while (receiver->pushPacket(control(), payload)) continue;
  }
  static Packet::StreamControlType control(std::uint8_t number = 0, std::uint16_t stream_id = 1) {
    return {false, stream_id, number, false};
  }

  Input input{options()};
  PayloadLimits sizes{{kPayload, 0, kPayload}, 1000};
  FlowGate gate;
  std::atomic<int> empties{0}, last_empty{-1};
  // The ORBs are destroyed before what their servants use.
  Orb server{GetParam()}, client{GetParam()};
  CORBA::servant_reference<Receiver> receiver_servant = CORBA::make_reference<Receiver>(input);
  CORBA::servant_reference<Transmitter> transmitter_servant =
      CORBA::make_reference<Transmitter>(sizes, gate, [this](std::uint16_t id) {
        last_empty = id;
        ++empties;
      });
  IDL::traits<StreamTest::Receiver>::ref_type receiver =
      client.to<StreamTest::Receiver>(server, receiver_servant);
  IDL::traits<StreamTest::Transmitter>::ref_type transmitter =
      server.to<StreamTest::Transmitter>(client, transmitter_servant);
  const Octets payload = Octets(kPayload);
};

INSTANTIATE_TEST_SUITE_P(Transports, PacketApi, testing::Values("inproc", "shm", "unix", "tcp"),
                         [](const auto& transport) { return transport.param; });

TEST_P(PacketApi, PacesAProducerThatIsFasterThanItsConsumer) {
  connect_resume_signals(input, "transmitter", transmitter);
  receiver->enableFlowResumeSignals(true);
  constexpr int kPackets = 400;
  int out_of_order = 0;
  std::atomic<bool> ended{false};
  std::thread consumer([&] {
    StreamPacket<std::uint8_t> packet;
    std::uint8_t next = 0;
    for (bool end = false; !end;) {
      // Slower than the producer: takes packets when the queue is full.
      EXPECT_TRUE(becomes_true([&] { return ended || input.counts().packets == 8; }));
      end = ended;
      for (; input.take(packet, kPast) == TakeResult::taken; ++next) {
        out_of_order += packet.control.sequence_number != next || packet.payload.view()[0] != next;
      }
    }
  });
  Octets numbered(kPayload);
  for (int i = 0; i < kPackets; ++i) {
    numbered[0] = static_cast<std::uint8_t>(i);
    ASSERT_EQ(push_packet(gate, receiver, control(numbered[0]), numbered), SendResult::sent);
  }
  ended = true;
  consumer.join();
  EXPECT_EQ(out_of_order, 0);
  EXPECT_GT(gate.counts().waited, 0u);
  EXPECT_EQ(gate.counts().sent, std::uint64_t{kPackets});
  const QueueCounts counts = input.counts();
  EXPECT_EQ(counts.delivered, std::uint64_t{kPackets});
  EXPECT_LE(counts.peak_packets, 8u);
  EXPECT_LE(counts.peak_bytes, 8 * kPayload);
}

TEST_P(PacketApi, ReportsAndChangesPayloadSizes) {
  EXPECT_EQ(receiver->getMaxPayloadSize(), kPayload);
  EXPECT_EQ(receiver->getMinPayloadSize(), 0u);
  EXPECT_EQ(receiver->getDesiredPayloadSize(), kPayload);
  EXPECT_EQ(receiver->getMinOverrideTimeout(), 20u);
  transmitter->setMaxPayloadSize(1000);
  transmitter->setDesiredPayloadSize(500);
  transmitter->setMinPayloadSize(10);
  transmitter->setMinOverrideTimeout(0);
  for (const std::uint32_t size : {0u, 9u, 1001u, ~0u}) {
    EXPECT_THROW(transmitter->setMaxPayloadSize(size), JTRS::InvalidParameter) << size;
    EXPECT_THROW(transmitter->setDesiredPayloadSize(size), JTRS::InvalidParameter) << size;
  }
  EXPECT_THROW(transmitter->setMinPayloadSize(501), JTRS::InvalidParameter);
  EXPECT_EQ(sizes.sizes().max, 1000u);
  EXPECT_EQ(sizes.sizes().desired, 500u);
  EXPECT_EQ(sizes.sizes().min, 10u);
}

/// The errorCode of the exception that pushPacket raises; 0 if it raises none.
template <class Receiver>
int error_of_push(const Receiver& receiver, const Octets& payload) {
  try {
    receiver->pushPacket({}, payload);
  } catch (const Packet::UnableToComplete& e) {
    EXPECT_EQ(e.payloadSent(), 0);
    return e.errorCode();
  }
  return 0;
}

TEST_P(PacketApi, RaisesUnableToComplete) {
  EXPECT_EQ(error_of_push(receiver, Octets(kPayload + 1)), Packet::PPKT_ERROR_BAD_SIZE);
  EXPECT_EQ(error_of_push(receiver, Octets(1'000'000)), Packet::PPKT_ERROR_BAD_SIZE);
  fill();
  EXPECT_EQ(error_of_push(receiver, payload), Packet::PPKT_ERROR_STREAM_BLOCKED);
  EXPECT_FALSE(receiver->spaceAvailable());
  take_all();
  EXPECT_TRUE(receiver->spaceAvailable());
  input.close();
  EXPECT_EQ(error_of_push(receiver, payload), Packet::PPKT_UNKNOWN);
  EXPECT_EQ(input.counts().too_large, 2u);
}

TEST_P(PacketApi, ReportsAConsumerThatNeverTakes) {
  PacketInputOptions blocking{{2, 2 * kPayload, WhenFull::block}, {kPayload, 0, kPayload}};
  blocking.push_timeout = std::chrono::milliseconds(1);
  Input never_taken(blocking);
  const auto servant = CORBA::make_reference<Receiver>(never_taken);
  const auto full = client.to<StreamTest::Receiver>(server, servant);
  EXPECT_TRUE(full->pushPacket(control(), payload));
  EXPECT_FALSE(full->pushPacket(control(), payload));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error_of_push(full, payload), Packet::PPKT_ERROR_STREAM_BLOCKED);
    EXPECT_TRUE(receiver->pushPacket(control(), payload)) << "another object over the same connection";
    EXPECT_EQ(take_all(), 1);
  }
  EXPECT_EQ(never_taken.counts().timed_out, 3u);
  EXPECT_EQ(never_taken.counts().packets, 2u);
  EXPECT_EQ(never_taken.counts().accepted, 2u);
  server.root->deactivate_object(server.root->servant_to_id(servant));
}

TEST_P(PacketApi, SignalsEmptyStreams) {
  connect_empty_signals(input, "transmitter", transmitter);
  receiver->enableEmptySignals(true);
  receiver->pushPacket(control(0, 7), payload);
  receiver->pushPacket(control(0, 65535), payload);
  EXPECT_EQ(take_all(), 2);
  EXPECT_TRUE(becomes_true([&] { return empties == 2 && input.signal_counts().empty_sent == 2; }));
  receiver->enableEmptySignals(false);
  receiver->pushPacket(control(0, 7), payload);  // two-way: follows the one-way call
  EXPECT_EQ(take_all(), 1);
  EXPECT_EQ(input.signal_counts().empty_sent, 2u);
}

TEST_P(PacketApi, SurvivesSignalsThatNobodyWaitsFor) {
  for (int i = 0; i < 1000; ++i) {
    transmitter->signalResume();
    transmitter->signalEmpty(static_cast<std::uint16_t>(i));
  }
  transmitter->setMinOverrideTimeout(1);  // two-way: follows the one-way calls
  EXPECT_EQ(gate.counts().resumes, 1000u);
  EXPECT_EQ(gate.counts().unexpected, 1000u);
  EXPECT_EQ(empties, 1000);
  EXPECT_EQ(push_packet(gate, receiver, control(), payload, kPast), SendResult::sent);
}

TEST_P(PacketApi, SendsAtMostOnePacketTooEarlyForEachSignalTooMany) {
  connect_resume_signals(input, "transmitter", transmitter);
  receiver->enableFlowResumeSignals(true);
  fill();
  EXPECT_EQ(push_packet(gate, receiver, control(), payload, kPast), SendResult::timed_out);
  SendResult result = SendResult::closed;
  std::thread producer([&] { result = push_packet(gate, receiver, control(9), payload); });
  for (std::uint64_t signal = 1; signal <= 5; ++signal) {
    EXPECT_TRUE(becomes_true([&] { return gate.counts().waited == signal + 1; }));
    transmitter->signalResume();
    EXPECT_TRUE(becomes_true([&] { return gate.counts().rejected == signal + 1; }));
  }
  EXPECT_EQ(input.counts().rejected, gate.counts().rejected);
  EXPECT_EQ(input.counts().accepted, 8u);
  const int taken = take_all();
  producer.join();
  EXPECT_EQ(result, SendResult::sent);
  EXPECT_EQ(taken + take_all(), 9);
}

TEST_P(PacketApi, RepeatsAResumeSignalUntilItsTargetExists) {
  const PortableServer::ObjectId id = client.root->servant_to_id(transmitter_servant);
  connect_resume_signals(input, "transmitter", transmitter);
  receiver->enableFlowResumeSignals(true);
  client.root->the_POAManager()->discard_requests(true);
  StreamControl local;
  while (input.push(local, payload) == PushResult::accepted) continue;
  take_all();
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().failed > 0; })) << "TRANSIENT";
  client.root->the_POAManager()->activate();
  EXPECT_TRUE(becomes_true([&] { return gate.counts().resumes == 1; }));
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().resume_sent == 1; }));
  const SignalCounts before = input.signal_counts();
  EXPECT_EQ(before.repeated, before.failed);
  client.root->deactivate_object(id);
  while (input.push(local, payload) == PushResult::accepted) continue;
  take_all();
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().failed == before.failed + 1; }))
      << "OBJECT_NOT_EXIST, of which SYNC_WITH_TRANSPORT would know nothing";
}

TEST_P(PacketApi, KeepsCountsWhenAClientTogglesSignals) {
  connect_resume_signals(input, "transmitter", transmitter);
  for (int i = 0; i < 1000; ++i) receiver->enableFlowResumeSignals(i % 2 == 0);
  fill();
  take_all();
  EXPECT_EQ(input.signal_counts().resume_sent, 0u) << "the last call has disabled them";
  receiver->enableFlowResumeSignals(true);
  EXPECT_TRUE(becomes_true([&] { return gate.counts().resumes == 1; }));
  EXPECT_EQ(input.counts().delivered, input.counts().accepted);
}

TEST_P(PacketApi, RejectsNilTargets) {
  EXPECT_THROW(connect_resume_signals(input, "nil", nullptr), CORBA::BAD_PARAM);
  EXPECT_THROW(connect_empty_signals(input, "nil", nullptr), CORBA::BAD_PARAM);
}

TEST_P(PacketApi, ConnectsATargetWithoutCallingIt) {
  client.destroy();
  EXPECT_NO_THROW(connect_resume_signals(input, "transmitter", transmitter));
  EXPECT_NO_THROW(connect_empty_signals(input, "transmitter", transmitter));
}

TEST_P(PacketApi, ContinuesWithADeadTarget) {
  std::atomic<int> resumed{0};
  connect_resume_signals(input, "transmitter", transmitter);
  input.connect_resume_signals("other", [&] { ++resumed; });
  input.enable_resume_signals(true);
  transmitter = nullptr;
  client.destroy();
  StreamControl local;
  for (int round = 1; round <= 20; ++round) {
    while (input.push(local, payload) == PushResult::accepted) continue;
    EXPECT_EQ(take_all(), 8);
    EXPECT_TRUE(becomes_true([&] { return resumed == round; })) << "the other target gets each signal";
  }
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().failed > 1; })) << "it is repeated";
  // Counted when the call of the target has returned.
  EXPECT_TRUE(becomes_true([&] { return input.signal_counts().resume_sent == 20; }));
  EXPECT_EQ(input.counts().delivered, 160u);
}

/// A target that does not return from its signals until it is released.
class BlockedSignals final : public virtual CORBA::servant_traits<Packet::FlowSignals>::base_type {
 public:
  void signalResume() override { released.wait(false); }
  void release() {
    released = true;
    released.notify_all();
  }

 private:
  std::atomic<bool> released{false};
};

/// Over rings, which hold few signals; the kernel's buffers of a socket hold many.
struct PacketApiOverRings : PacketApi {};

INSTANTIATE_TEST_SUITE_P(Rings, PacketApiOverRings, testing::Values("inproc", "shm"),
                         [](const auto& transport) { return transport.param; });

TEST_P(PacketApiOverRings, ContinuesWithATargetThatDoesNotReceive) {
  const auto blocked = CORBA::make_reference<BlockedSignals>();
  connect_resume_signals(input, "blocked", server.to<Packet::FlowSignals>(client, blocked),
                         std::chrono::milliseconds(10));
  input.enable_resume_signals(true);
  StreamControl local;
  std::uint64_t rounds = 0;
  EXPECT_TRUE(becomes_true([&] {
    for (int i = 0; i < 1000; ++i, ++rounds) {
      while (input.push(local, payload) == PushResult::accepted) continue;
      take_all();
    }
    return input.signal_counts().failed > 0;
  })) << "a signal fails when the transport holds no more of them";
  EXPECT_EQ(input.counts().delivered, 8 * rounds);
  blocked->release();
}

/// A consumer that takes packets in blocks and keeps them: the blocks of its producer are used up, until the
/// consumer releases them.
TEST(PacketBlocks, StayInUseUntilTheConsumerReleasesThem) {
  constexpr std::size_t kBlock = 65536;
  const PacketInputOptions options{{64, 64 * kBlock, WhenFull::reject}, {kBlock, 0, kBlock}};
  Input input(options), other_input(options);
  Orb server("shm"), client("shm");
  const auto servant = CORBA::make_reference<Receiver>(input);
  const auto other_servant = CORBA::make_reference<Receiver>(other_input);
  const auto receiver = client.to<StreamTest::Receiver>(server, servant);
  const auto other = client.to<StreamTest::Receiver>(server, other_servant);
  std::vector<StreamPacket<std::uint8_t>> kept;
  const auto send = [&] {
    auto block = orbweaver::loan<std::uint8_t>(kBlock, PoolFull::raise);
    std::fill(block.begin(), block.end(), static_cast<std::uint8_t>(kept.size()));
    receiver->pushPacket({}, block.view());
    kept.emplace_back();
    ASSERT_EQ(input.take(kept.back(), kPast), TakeResult::taken);
    EXPECT_FALSE(kept.back().payload.is_copy());
  };
  const auto send_until_the_pool_is_full = [&] {
    try {
      while (kept.size() < 100) send();
      ADD_FAILURE() << "the consumer's packets do not use the pool of the producer";
    } catch (const CORBA::NO_RESOURCES&) {
      // expected
    }
  };
  send_until_the_pool_is_full();
  const std::size_t held = kept.size();
  EXPECT_GT(held, 0u);
  for (std::size_t i = 0; i < held; ++i) {
    EXPECT_EQ(kept[i].payload.view().size(), kBlock);
    EXPECT_EQ(kept[i].payload.view()[kBlock - 1], static_cast<std::uint8_t>(i)) << "not overwritten";
  }
  const Octets copied(kBlock, 7);
  EXPECT_TRUE(other->pushPacket({}, copied)) << "another consumer, without a block";
  EXPECT_EQ(other_input.counts().packets, 1u);
  kept.clear();
  EXPECT_TRUE(becomes_true([&] {
    try {
      (void)orbweaver::loan<std::uint8_t>(held * kBlock / 2, PoolFull::raise);
      return true;
    } catch (const CORBA::NO_RESOURCES&) {
      return false;
    }
  }));
  EXPECT_EQ(input.counts().delivered, held);
  EXPECT_EQ(input.counts().bytes, 0u);
}

TEST(JtncIdl, HasTheRepositoryIdsOfTheStandard) {
  EXPECT_STREQ(Packet::UnableToComplete()._rep_id(), "IDL:Packet/UnableToComplete:1.0");
  EXPECT_STREQ(JTRS::InvalidParameter()._rep_id(), "IDL:JTRS/InvalidParameter:1.0");
}

}  // namespace
}  // namespace orbweaver::streams
