#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "transport/tcp/address.h"
#include "transport/testing/decorators.h"
#include "transport/testing/ends.h"
#include "transport/udp/udp_channel.h"

/// What UDP does to frames, played by a peer that sends its datagrams by hand.
namespace orbweaver::transport::testing {
namespace {

using namespace datagram;
using Octets = std::vector<std::uint8_t>;

class UdpPeer : public ::testing::Test {
 protected:
  void SetUp() override {
    acceptor_ = std::move(*udp().listen("", options_for()));
    std::thread accepting([&] { channel_ = std::move(*acceptor_->accept()); });
    raw_ = std::move(*greet(server(), Deadline::in_ms(5'000)));
    accepting.join();
  }
  platform::SocketAddress server() const {
    const HostPort where = *parse_host_port(acceptor_->address());
    return platform::resolve_tcp(where.host, where.port, false).addresses.at(0);
  }
  void sends(const Octets& bytes) { EXPECT_EQ(platform::send(raw_.socket, bytes, platform::Block::yes).error, 0); }
  /// Part `part` of frame `number`, cut into pieces of 1,000 bytes.
  Octets part(std::uint32_t number, std::size_t bytes, int part = 0, std::optional<std::uint64_t> id = {}) {
    Octets frame(bytes);
    write_frame(frame, number);
    PartHeader header{number, static_cast<std::uint16_t>(part), static_cast<std::uint16_t>((bytes + 999) / 1000), static_cast<std::uint32_t>(bytes), 1000};
    Octets datagram(kPartHeaderBytes);
    write_part_header(datagram.data(), id.value_or(raw_.id), header);
    const std::size_t at = static_cast<std::size_t>(part) * 1000;
    datagram.insert(datagram.end(), frame.begin() + at, frame.begin() + std::min(bytes, at + 1000));
    return datagram;
  }
  const Counters& counters() { return dynamic_cast<UdpChannel&>(*channel_).counters(); }

  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Channel> channel_;
  Greeted raw_;
};

TEST_F(UdpPeer, PartsInAnyOrderMakeTheFrame) {
  for (const int i : {2, 0, 3, 1}) sends(part(1, 3500, i));
  EXPECT_TRUE(receives(*channel_, 3500, 1));
}

TEST_F(UdpPeer, ALostPartLosesItsFrameAndNoOther) {
  sends(part(1, 3500, 0));
  sends(part(1, 3500, 2));
  sends(part(2, 100));
  EXPECT_TRUE(receives(*channel_, 100, 2));
  EXPECT_EQ(counters().frames_lost, 1u);
}

TEST_F(UdpPeer, LateAndDuplicateFramesAreDroppedAndCounted) {
  for (const std::uint32_t number : {1, 3, 2, 3, 4}) sends(part(number, 100));
  for (const std::uint32_t number : {1, 3, 4}) EXPECT_TRUE(receives(*channel_, 100, number));
  EXPECT_EQ(counters().frames_lost, 1u);
  EXPECT_EQ(counters().late, 1u);
  EXPECT_EQ(counters().duplicates, 1u);
}

TEST_F(UdpPeer, ADuplicatePartIsNotTakenForAMissingOne) {
  sends(part(1, 1500, 0));
  sends(part(1, 1500, 0));
  EXPECT_TRUE(fails_with(Remedy::wait, channel_->receive(Deadline::in_ms(20))));
  sends(part(1, 1500, 1));
  EXPECT_TRUE(receives(*channel_, 1500, 1));
}

TEST_F(UdpPeer, HostileDatagramsAreCountedAndCostNothingElse) {
  sends(part(1, 100, 0, raw_.id + 1));
  sends({'G', 'E', 'T'});
  sends({});
  sends(Octets(40'000, 0xEE));
  Octets cut = part(1, 3500, 1);
  cut.pop_back();
  sends(cut);
  Octets none = part(1, 100);
  none[23] = 0;  // of no parts
  sends(none);
  Octets beyond = part(1, 100);
  beyond[21] = 1;  // part 1 of 1
  sends(beyond);
  sends(part(1, 100));
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_EQ(counters().foreign, 4u);
  EXPECT_EQ(counters().malformed, 3u);
}

TEST_F(UdpPeer, AByeEndsTheChannel) {
  const auto bye = short_datagram(Kind::bye, raw_.id);
  sends({bye.begin(), bye.end()});
  EXPECT_TRUE(fails_with(Remedy::reconnect, channel_->receive(Deadline::in_ms(5'000))));
}

TEST_F(UdpPeer, NobodyIsServedWhoDoesNotReadWhatIsSentToHim) {
  std::thread accepting([&] { EXPECT_FALSE(acceptor_->accept()); });
  auto stranger = std::move(platform::connect_datagrams(server()).fd);
  Octets open(kOpenBytes, 0);
  write_start(open.data(), Kind::open, 7);  // with a cookie that he has guessed
  platform::send(stranger, open, platform::Block::yes);
  EXPECT_EQ(platform::poll(stranger, platform::kReadable, Deadline::in_ms(30)), 0u);
  Octets hello(kHelloBytes, 0);
  write_start(hello.data(), Kind::hello, 7);
  platform::send(stranger, hello, platform::Block::yes);
  ASSERT_NE(platform::poll(stranger, platform::kReadable, Deadline::in_ms(5'000)), 0u);
  Octets answer(100);
  EXPECT_EQ(platform::recv(stranger, answer, platform::Block::no).bytes, kCookieBytes);
  acceptor_->close();
  accepting.join();
}

TEST(Cookie, IsTheHashThatItsAuthorsPublished) {
  // The test vector of the SipHash paper, appendix A.
  const std::uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  Octets text(15);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(siphash(key, text), 0xa129ca6149be45e5u);
}

TEST(Udp, WhatIsLostBehindTheSenderIsMissingAndNothingElse) {
  Ends ends = connect_ends(udp(), "", options_for(), options_for());
  Losing near(std::move(ends.near), 4, 1);
  std::uint32_t arrived = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint32_t lost_before = near.lost();
    ASSERT_TRUE(ok(send_frame(near, 5000, i)));
    if (near.lost() != lost_before) continue;
    ASSERT_TRUE(receives(*ends.far, 5000, i));
    ++arrived;
  }
  EXPECT_EQ(arrived + near.lost(), 100u);
  EXPECT_GT(near.lost(), 0u);
}

}  // namespace
}  // namespace orbweaver::transport::testing
