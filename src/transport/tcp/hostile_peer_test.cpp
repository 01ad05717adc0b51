#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/socket.h"
#include "transport/tcp/address.h"
#include "transport/testing/ends.h"
#include "transport/testing/resources.h"

/// Tests with peers that send arbitrary bytes over raw sockets.
namespace orbweaver::transport::testing {
namespace {

using platform::Blocking;
using ::testing::HasSubstr;

std::vector<std::uint8_t> frame_bytes(std::size_t bytes, std::uint32_t sequence) {
  std::vector<std::uint8_t> frame(bytes);
  write_frame(frame, sequence);
  return frame;
}

std::vector<std::uint8_t> header_bytes(std::uint32_t announced) {
  std::vector<std::uint8_t> header(kFrameHeaderBytes);
  write_header(header.data(), announced, 0);
  return header;
}

/// A raw socket connected to a normally served channel.
class HostilePeer : public ::testing::Test {
 protected:
  void SetUp() override {
    acceptor_ = std::move(*tcp_transport().listen("", options_for()));
    raw_ = connect_raw();
    channel_ = std::move(*acceptor_->accept());
  }
  platform::Fd connect_raw() {
    const HostPort where = *parse_host_port(acceptor_->address());
    return std::move(
        platform::connect_to(platform::resolve_tcp(where.host, where.port, false).addresses.at(0),
                             Deadline::never())
            .fd);
  }
  void sends(std::span<const std::uint8_t> bytes) {
    EXPECT_EQ(platform::send(raw_, bytes, Blocking::yes).error, 0);
  }
  void sends(const std::vector<std::uint8_t>& bytes, std::size_t only) {
    sends(std::span(bytes).first(only));
  }
  std::string failure() {
    const Result<Bytes> frame = channel_->receive(Deadline::in_ms(120'000));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
    return frame ? "" : frame.error().message;
  }

  std::unique_ptr<Acceptor> acceptor_;
  platform::Fd raw_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(HostilePeer, ReportsMalformedBytes) {
  const std::string malformed = "GET / HTTP/1.1\r\nHost: orbweaver\r\n\r\n";
  sends({reinterpret_cast<const std::uint8_t*>(malformed.data()), malformed.size()});
  EXPECT_THAT(failure(), HasSubstr("no 'TEST' where a frame begins"));
  EXPECT_THAT(failure(), HasSubstr("127.0.0.1:"));  // the error is permanent
}

TEST_F(HostilePeer, DeliversAFrameBeforeInvalidBytes) {
  std::vector<std::uint8_t> bytes = frame_bytes(100, 1);
  bytes.insert(bytes.end(), 50, std::uint8_t{0xEE});
  sends(bytes);
  EXPECT_TRUE(receives(*channel_, 100, 1));
  EXPECT_THAT(failure(), HasSubstr("no 'TEST'"));
}

TEST_F(HostilePeer, AllocatesOnlyForReceivedBytes) {
  std::vector<std::uint8_t> bytes = header_bytes(static_cast<std::uint32_t>(kMaxFrameBytes));
  bytes.resize(200'000);
  sends(bytes);
  const std::size_t before = allocated_bytes();
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel_->receive(Deadline::in_ms(100))));
  EXPECT_LE(allocated_bytes() - before, 3 * bytes.size());
}

TEST_F(HostilePeer, ReportsALengthBeyondTheLimit) {
  sends(header_bytes(0xFFFFFFFF));
  EXPECT_THAT(failure(), HasSubstr("announced 4294967295 bytes; the limit is 8388608"));
}

TEST_F(HostilePeer, ReportsALengthBelowTheHeader) {
  sends(header_bytes(5));
  EXPECT_THAT(failure(), HasSubstr("announced 5 bytes, fewer than its header has"));
}

TEST_F(HostilePeer, ReportsATruncatedFrame) {
  sends(frame_bytes(1000, 1), 300);
  raw_.reset();
  EXPECT_THAT(failure(), HasSubstr("closed the connection after 300 bytes of a frame of 1000"));
}

TEST_F(HostilePeer, ReportsATruncatedHeader) {
  sends(frame_bytes(1000, 1), 7);
  raw_.reset();
  EXPECT_THAT(failure(), HasSubstr("closed the connection after 7 bytes of a frame"));
}

TEST_F(HostilePeer, AssemblesAFrameFromSingleBytes) {
  std::thread trickling([&] {
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (const std::uint8_t byte : frame_bytes(77, i)) sends({&byte, 1});
    }
  });
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(receives(*channel_, 77, i));
  trickling.join();
}

TEST_F(HostilePeer, KeepsAPartialFrameAtADeadline) {
  const std::vector<std::uint8_t> frame = frame_bytes(30'000, 1);
  sends(std::span(frame).first(11));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel_->receive(Deadline::in_ms(10))));
  sends(std::span(frame).subspan(11, 15'000));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel_->receive(Deadline::in_ms(10))));
  sends(std::span(frame).subspan(15'011));
  EXPECT_TRUE(receives(*channel_, 30'000, 1));
}

TEST_F(HostilePeer, SplitsManyFramesOfOneWrite) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const std::vector<std::uint8_t> frame = frame_bytes(13 + 7 * i, i);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  sends(bytes);
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_TRUE(receives(*channel_, 13 + 7 * i, i));
}

TEST_F(HostilePeer, ServesOtherConnectionsMeanwhile) {
  sends(frame_bytes(1000, 1), 300);  // no more, so its channel waits
  auto near =
      std::move(*tcp_transport().connect(acceptor_->address(), options_for(), Deadline::in_ms(120'000)));
  auto far = std::move(*acceptor_->accept());
  EXPECT_TRUE(ok(send_frame(*near, 5000, 1)));
  EXPECT_TRUE(receives(*far, 5000, 1));
}

TEST_F(HostilePeer, AcceptsAfterPeersThatReset) {
  for (int i = 0; i < 20; ++i) platform::abort_tcp(connect_raw());
  auto near =
      std::move(*tcp_transport().connect(acceptor_->address(), options_for(), Deadline::in_ms(120'000)));
  ASSERT_TRUE(ok(send_frame(*near, 50, 1)));
  for (int i = 0; i <= 20; ++i) {
    Result<std::unique_ptr<Channel>> accepted = acceptor_->accept();
    ASSERT_TRUE(ok(accepted));
    const Result<Bytes> frame = (*accepted)->receive(Deadline::in_ms(120'000));
    if (!frame) continue;  // one of the reset connections
    EXPECT_TRUE(is_frame(*frame, 50, 1));
    return;
  }
  FAIL() << "the well-behaved peer was never served";
}

}  // namespace
}  // namespace orbweaver::transport::testing
