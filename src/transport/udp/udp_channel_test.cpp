#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "platform/poll_set.h"
#include "platform/testing/becomes_true.h"
#include "transport/tcp/address.h"
#include "transport/testing/ends.h"
#include "transport/udp/ping_interval.h"
#include "transport/udp/udp_channel.h"

/// Tests of UDP channels against a peer that sends hand-made datagrams.
namespace orbweaver::transport::testing {
namespace {

using namespace udp;
using Octets = std::vector<std::uint8_t>;

class UdpChannelTest : public ::testing::Test {
 protected:
  void SetUp() override { listens(); }
  platform::SocketAddress server() const {
    const HostPort where = *parse_host_port(acceptor_->address());
    return platform::resolve_tcp(where.host, where.port, false).addresses.at(0);
  }
  void sends(const Octets& bytes) {
    EXPECT_EQ(platform::send(raw_.socket, bytes, platform::Blocking::yes).error, 0);
  }
  /// Part `part` of frame `number`, split into parts of 1,000 bytes.
  static Octets part(std::uint32_t number, std::size_t bytes, int part = 0) {
    Octets frame(bytes);
    write_frame(frame, number);
    const PartHeader header{number, static_cast<std::uint16_t>(part),
                            static_cast<std::uint16_t>((bytes + 999) / 1000),
                            static_cast<std::uint32_t>(bytes), 1000};
    Octets octets(kPartHeaderBytes);
    write_part_header(octets.data(), header);
    const std::size_t at = static_cast<std::size_t>(part) * 1000;
    octets.insert(octets.end(), frame.begin() + static_cast<std::ptrdiff_t>(at),
                  frame.begin() + static_cast<std::ptrdiff_t>(std::min(bytes, at + 1000)));
    return octets;
  }
  /// A datagram of the connection with these parts, each but the last padded to a multiple of 8.
  Octets datagram(std::initializer_list<Octets> parts, std::uint32_t timestamp = 0,
                  std::uint64_t other_by = 0) {
    Octets octets(kDatagramHeaderBytes);
    write_datagram_header(octets.data(), DatagramKind::parts, raw_.id + other_by, timestamp);
    for (const Octets& each : parts) {
      octets.resize((octets.size() + 7) / 8 * 8);
      octets.insert(octets.end(), each.begin(), each.end());
    }
    return octets;
  }
  void sends_part(std::uint32_t number, std::size_t bytes, int part_number = 0) {
    sends(datagram({part(number, bytes, part_number)}));
  }
  void says(DatagramKind kind, std::uint32_t last_frame = 0) {
    const auto bytes = control_datagram(kind, raw_.id, last_frame);
    sends({bytes.begin(), bytes.end()});
  }
  void listens(const Parameters& parameters = {}) {
    ChannelOptions options = options_for();
    options.parameters = std::make_shared<const Parameters>(parameters);
    acceptor_ = std::move(*udp_transport().listen("", options));
    std::thread accepting([&] { channel_ = std::move(*acceptor_->accept()); });
    raw_ = std::move(*connect_handshake(server(), hang_deadline()));
    accepting.join();
  }
  const Counters& counters() { return dynamic_cast<UdpChannel&>(*channel_).counters(); }

  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Channel> channel_;
  EstablishedConnection raw_;
};

TEST_F(UdpChannelTest, ReassemblesPartsInAnyOrder) {
  for (const int i : {2, 0, 3, 1}) sends_part(1, 3500, i);
  EXPECT_TRUE(receives(*channel_, 3500, 1));
}

TEST_F(UdpChannelTest, SplitsFramesOfOneDatagram) {
  sends(datagram({part(1, 41), part(2, 1000), part(3, 12), part(4, 1500, 0)}));
  sends(datagram({part(4, 1500, 1), part(5, 999)}));
  EXPECT_TRUE(receives(*channel_, 41, 1));
  EXPECT_TRUE(receives(*channel_, 1000, 2));
  EXPECT_TRUE(receives(*channel_, 12, 3));
  EXPECT_TRUE(receives(*channel_, 1500, 4));
  EXPECT_TRUE(receives(*channel_, 999, 5));
}

TEST_F(UdpChannelTest, LosesOnlyTheFrameOfALostPart) {
  sends_part(1, 3500, 0);
  sends_part(1, 3500, 2);
  sends_part(2, 100);
  EXPECT_TRUE(receives(*channel_, 100, 2));
  EXPECT_EQ(counters().frames_lost, 1u);
}

TEST_F(UdpChannelTest, DropsLateAndDuplicateFrames) {
  for (const std::uint32_t number : {1, 3, 2, 3, 4}) sends_part(number, 100);
  for (const std::uint32_t number : {1, 3, 4}) EXPECT_TRUE(receives(*channel_, 100, number));
  EXPECT_EQ(counters().frames_lost, 1u);
  EXPECT_EQ(counters().late, 1u);
  EXPECT_EQ(counters().duplicates, 1u);
}

TEST_F(UdpChannelTest, IgnoresDuplicateParts) {
  sends_part(1, 1500, 0);
  sends_part(1, 1500, 0);
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel_->receive(Deadline::in_ms(20))));
  sends_part(1, 1500, 1);
  EXPECT_TRUE(receives(*channel_, 1500, 1));
}

TEST_F(UdpChannelTest, CountsInvalidDatagrams) {
  sends(datagram({part(1, 100)}, 0, 1));  // another connection's
  sends({'G', 'E', 'T'});
  sends({});
  sends(Octets(40'000, 0xEE));
  Octets cut = datagram({part(1, 3500, 1)});
  cut.pop_back();
  sends(cut);
  Octets none = part(1, 100), beyond = none;
  none[7] = 0;    // without parts
  beyond[5] = 1;  // part 1 of 1
  sends(datagram({none}));
  sends(datagram({beyond}));
  sends(datagram({}));
  sends(datagram({part(1, 100), Octets(9, 0xEE)}));
  sends_part(2, 100);
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_TRUE(receives(*channel_, 100, 2));
  EXPECT_EQ(counters().foreign, 4u);
  EXPECT_EQ(counters().malformed, 5u);
}

TEST_F(UdpChannelTest, DropsContradictoryParts) {
  // Parts of other frames with this frame's number: the first one is far behind its end.
  const auto pretends = [](Octets other) {
    other[3] = 1;
    return other;
  };
  sends_part(1, 2500, 0);
  sends(datagram({pretends(part(7, 400'000, 390))}));
  sends(datagram({pretends(part(8, 2400, 2))}));
  sends_part(1, 2500, 2);
  sends_part(1, 2500, 1);
  EXPECT_TRUE(receives(*channel_, 2500, 1));
  EXPECT_EQ(counters().malformed, 2u);
}

TEST_F(UdpChannelTest, DisconnectsAtTheFirstPartOfAnOversizedFrame) {
  sends_part(1, kMaxFrameBytes + 1);
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel_->receive(hang_deadline())));
}

TEST_F(UdpChannelTest, DisconnectsOnAContradictoryFrameLength) {
  Octets lying = part(1, 100);
  lying[kPartHeaderBytes + 4] = 99;  // the length in the frame's own header
  sends(datagram({lying}));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel_->receive(hang_deadline())));
}

TEST_F(UdpChannelTest, CountsLossesAtABye) {
  sends_part(1, 100);
  says(DatagramKind::bye, 5);
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel_->receive(hang_deadline())));
  EXPECT_EQ(counters().frames_lost, 4u);
}

TEST_F(UdpChannelTest, AddsLossesToTheProcessStatistics) {
  const DatagramStatistics before = datagram_statistics();
  sends_part(1, 100);
  says(DatagramKind::bye, 5);
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_FALSE(channel_->receive(hang_deadline()));
  channel_.reset();
  EXPECT_EQ(datagram_statistics().frames - before.frames, 1u);
  EXPECT_EQ(datagram_statistics().frames_lost - before.frames_lost, 4u);
}

TEST_F(UdpChannelTest, DropsDatagramsBeyondMaxAge) {
  listens({{"max-age-ms", "30000"}});  // the test takes less between the first and the last datagram
  const std::int64_t now = platform::now_ns() + 3'600'000'000'000;  // another host's clock
  const auto sent_before_ms = [&](std::int64_t ms) { return timestamp_of(now - ms * 1'000'000); };
  sends(datagram({part(1, 100)}, sent_before_ms(0)));
  sends(datagram({part(2, 100)}, sent_before_ms(60'000)));
  sends(datagram({part(3, 100)}, sent_before_ms(1)));
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_TRUE(receives(*channel_, 100, 3));
  EXPECT_EQ(counters().too_old, 1u);
  EXPECT_EQ(counters().frames_lost, 1u);
}

TEST_F(UdpChannelTest, DisconnectsASilentPeerWithoutADeadline) {
  listens({{"silence-ms", "100"}});
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel_->receive(Deadline::in_ms(400))));
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel_->receive(Deadline::never())));
}

TEST(UdpPingInterval, IsFixedAtFirstAndDoublesAfterwards) {
  for (std::uint32_t unanswered = 0; unanswered <= 16; ++unanswered) {
    EXPECT_EQ(ping_interval_ms(unanswered, 100'000), 50);
  }
  EXPECT_EQ(ping_interval_ms(17, 100'000), 100);
  EXPECT_EQ(ping_interval_ms(20, 100'000), 800);
  EXPECT_EQ(ping_interval_ms(23, 100'000), 5'000);
  EXPECT_EQ(ping_interval_ms(1'000, 100'000), 5'000);
}

TEST(UdpPingInterval, IsAtMostAQuarterOfTheSilence) {
  EXPECT_EQ(ping_interval_ms(0, 100), 25);
  EXPECT_EQ(ping_interval_ms(1'000, 4'000), 1'000);
}

TEST_F(UdpChannelTest, PingsWhileItWaitsForAFrame) {
  std::size_t pings = 0;
  std::thread answering([&] {
    Octets ping(kControlBytes);
    while (pings < 12 && platform::poll(raw_.socket, platform::kReadable, hang_deadline()) != 0) {
      if (platform::recv(raw_.socket, ping, platform::Blocking::no).bytes == kControlBytes) ++pings;
    }
    sends_part(1, 100);
  });
  EXPECT_TRUE(receives(*channel_, 100, 1));
  answering.join();
  EXPECT_EQ(pings, 12u);
}

TEST_F(UdpChannelTest, KeepsAPeerThatWasServedBeyondSilence) {
  listens({{"silence-ms", "100"}});
  sends_part(1, 100);
  EXPECT_TRUE(receives(*channel_, 100, 1));
  pause_ms(250);  // the servant is busy
  EXPECT_TRUE(ok(send_frame(*channel_, 100, 1)));
  sends_part(2, 100);
  EXPECT_TRUE(receives(*channel_, 100, 2, Deadline::never()));
}

TEST_F(UdpChannelTest, AnswersUnknownConnectionsWithABye) {
  channel_.reset();
  Octets answer(100);
  while (platform::poll(raw_.socket, platform::kReadable, Deadline::in_ms(20)) != 0) {
    platform::recv(raw_.socket, answer, platform::Blocking::no);
  }
  std::thread accepting([&] { EXPECT_FALSE(acceptor_->accept()); });
  sends_part(7, 100);
  auto header = read_datagram_header({});
  do {  // a welcome is repeated after a slow handshake
    ASSERT_NE(platform::poll(raw_.socket, platform::kReadable, hang_deadline()), 0u);
    answer.resize(100);
    answer.resize(platform::recv(raw_.socket, answer, platform::Blocking::no).bytes);
    header = read_datagram_header(answer);
    ASSERT_TRUE(header.has_value());
  } while (header->kind == DatagramKind::welcome);
  EXPECT_EQ(header->kind, DatagramKind::bye);
  EXPECT_EQ(header->id, raw_.id);
  acceptor_->close();
  accepting.join();
}

TEST_F(UdpChannelTest, ReportsItsCloseToAPollSet) {
  Readiness& readiness = *channel_->capabilities().readiness;
  platform::PollSet set;
  ASSERT_EQ(set.add(readiness.descriptor(), 7, platform::PollSet::Trigger::oneshot), 0);
  while (!readiness.arm()) ASSERT_FALSE(channel_->receive(Deadline{0}));  // the rest of the handshake
  ASSERT_EQ(set.rearm(readiness.descriptor(), 7), 0);
  channel_->close();  // another thread's, before the polling one runs
  std::array<std::uint64_t, 1> ready{};
  ASSERT_EQ(set.wait(ready, hang_deadline()), 1u);
  EXPECT_EQ(ready[0], 7u);
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, channel_->receive(Deadline{0})));
  const auto receives_a_bye = [&] {
    return platform::testing::becomes_true([&] {
      Octets datagram(100);
      datagram.resize(platform::recv(raw_.socket, datagram, platform::Blocking::no).bytes);
      const auto header = read_datagram_header(datagram);
      return header.has_value() && header->kind == DatagramKind::bye;
    });
  };
  EXPECT_TRUE(receives_a_bye());
  // The port is released: datagrams of the peer are answered by the listener, although the channel exists.
  std::thread accepting([&] { EXPECT_FALSE(acceptor_->accept()); });
  sends_part(7, 100);
  EXPECT_TRUE(receives_a_bye());
  acceptor_->close();
  accepting.join();
}

TEST_F(UdpChannelTest, RequiresACookieFromClients) {
  std::thread accepting([&] { EXPECT_FALSE(acceptor_->accept()); });
  auto stranger = std::move(platform::connect_udp(server()).fd);
  Octets open(kOpenBytes, 0);
  write_datagram_header(open.data(), DatagramKind::open, 7);  // with a guessed cookie
  platform::send(stranger, open, platform::Blocking::yes);
  EXPECT_EQ(platform::poll(stranger, platform::kReadable, Deadline::in_ms(30)), 0u);
  Octets hello(kHelloBytes, 0);
  write_datagram_header(hello.data(), DatagramKind::hello, 7);
  platform::send(stranger, hello, platform::Blocking::yes);
  ASSERT_NE(platform::poll(stranger, platform::kReadable, hang_deadline()), 0u);
  Octets answer(100);
  EXPECT_EQ(platform::recv(stranger, answer, platform::Blocking::no).bytes, kCookieBytes);
  acceptor_->close();
  accepting.join();
}

TEST(Cookie, MatchesTheSipHashTestVector) {
  // The test vector of the SipHash paper, appendix A.
  const std::uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  Octets text(15);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(siphash(key, text), 0xa129ca6149be45e5u);
}

}  // namespace
}  // namespace orbweaver::transport::testing
