// Memory of channels for partial frames, rejected frames, lingering close, and connections rejected without
// descriptors.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <list>
#include <stdexcept>
#include <thread>

#include "base/log.h"
#include "base/log_rate_limiter.h"
#include "base/receive_budget.h"
#include "giop/message.h"
#include "platform/descriptors.h"
#include "platform/socket.h"
#include "platform/socket_address.h"
#include "testing/test_orb.h"
#include "transport/plugins.h"
#include "transport/stream/lingering.h"
#include "transport/udp/reassembly.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;
namespace transport = orbweaver::transport;
using orbweaver::Bytes;
using orbweaver::ErrorKind;
using orbweaver::ReceiveBudget;
using orbweaver::log::LogRateLimiter;
using transport::Channel;
using transport::Deadline;

/// Both ends of a connection. The receiving end has `budget`, and a limit of `most_bytes` for frames.
struct ConnectedPair {
  ConnectedPair(const std::string& name, std::shared_ptr<ReceiveBudget> budget,
                std::size_t most_bytes = std::size_t{16} << 20) {
    transport::ChannelOptions options;
    options.frame_length = &orbweaver::giop::frame_length;
    options.ring_bytes = 65536;
    options.max_frame_bytes = std::size_t{16} << 20;
    transport::ChannelOptions counted = options;
    counted.budget = std::move(budget);
    counted.max_frame_bytes = most_bytes;
    acceptor = std::move(*transport::find(name)->listen("", counted));
    std::string failure;
    std::thread connecting([&] {
      auto connected = transport::find(name)->connect(acceptor->address(), options, Deadline::in_ms(120'000));
      if (connected) {
        near = std::move(*connected);
      } else {
        failure = connected.error().message;
        acceptor->close();  // ends accept()
      }
    });
    auto accepted = acceptor->accept();
    connecting.join();
    if (!accepted || !near) throw std::runtime_error("no connection over " + name + ": " + failure);
    far = std::move(*accepted);
  }
  std::unique_ptr<transport::Acceptor> acceptor;
  std::unique_ptr<Channel> near, far;
};

/// Sends a GIOP message of `bytes` in one frame.
orbweaver::Result<void> send(Channel& channel, std::size_t bytes, Deadline deadline) {
  auto buffer = channel.claim(bytes, deadline);
  if (!buffer) return buffer.take_error();
  const std::uint8_t header[8] = {'G', 'I', 'O', 'P', 1, 2, orbweaver::giop::kThisMachineIsLittleEndian, 0};
  const auto body = static_cast<std::uint32_t>(bytes - 12);
  std::memset(buffer->data(), 0, bytes);
  std::memcpy(buffer->data(), header, 8);
  std::memcpy(buffer->data() + 8, &body, 4);
  return channel.commit(bytes, deadline);
}

/// A pair whose far end has received at least `min_received_bytes` of a frame of 16 MB and waits for the
/// rest.
/// If a fast sender exceeds the smaller budget first, which closes the connection, another pair is created.
class HalfSentFrame {
 public:
  HalfSentFrame(const std::string& transport, const std::shared_ptr<ReceiveBudget>& budget,
                std::size_t min_received_bytes = 1) {
    for (bool refused = true; refused;) {
      end();
      pair_ = std::make_unique<ConnectedPair>(transport, budget);
      over = false;
      sending_ = std::thread([this] { over = !send(near(), 16'000'000, Deadline::in_ms(120'000)); });
      EXPECT_TRUE(becomes_true([&] {
        const auto frame = far().receive(Deadline{0});
        EXPECT_FALSE(frame);
        refused = !frame && frame.error().kind == ErrorKind::disconnected;
        return refused || (far().has_partial_frame() && budget->bytes() >= min_received_bytes);
      }));
    }
  }
  ~HalfSentFrame() { end(); }
  void end() {
    if (pair_) near().close();
    if (sending_.joinable()) sending_.join();
  }
  Channel& near() { return *pair_->near; }
  Channel& far() { return *pair_->far; }
  std::atomic<bool> over{false};  ///< The sender has failed.

 private:
  std::unique_ptr<ConnectedPair> pair_;
  std::thread sending_;
};

class PartialFrame : public ::testing::TestWithParam<const char*> {};

TEST_P(PartialFrame, DisconnectsBeyondTheBudget) {
  const auto budget = std::make_shared<ReceiveBudget>(400'000);
  {
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(120'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    pair.far->close();
    pair.near->close();
    sending.join();
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
    EXPECT_THAT(frame.error().message, ::testing::HasSubstr("-ORBTune receive-bytes"));
  }
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST_P(PartialFrame, IsNotCountedWhileInUse) {
  const auto budget = std::make_shared<ReceiveBudget>(5'000'000);
  ConnectedPair pair(GetParam(), budget);
  for (int i = 0; i < 3; ++i) {
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(120'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_EQ(frame->size(), 4'000'000u);
    EXPECT_EQ(budget->bytes(), 0u);
    EXPECT_LE(budget->cached_bytes(), 64u);
    EXPECT_FALSE(pair.far->has_partial_frame());
    pair.far->release();
    EXPECT_EQ(budget->bytes(), 0u);
    EXPECT_LE(budget->cached_bytes(),
              2'500'000u);  // the storage for the next frame is kept up to half of the budget
  }
}

TEST_P(PartialFrame, LeavesTheBudgetToOthersWhileInUse) {
  const auto budget = std::make_shared<ReceiveBudget>(4'100'000);
  std::vector<std::unique_ptr<ConnectedPair>> pairs;
  for (int i = 0; i < 3; ++i) {
    pairs.push_back(std::make_unique<ConnectedPair>(GetParam(), budget));
    std::thread sending([&] { (void)send(*pairs.back()->near, 4'000'000, Deadline::in_ms(60'000)); });
    const auto frame = pairs.back()->far->receive(Deadline::in_ms(60'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;  // remains in use
  }
}

TEST_P(PartialFrame, CountsBuffersKeptForReceiving) {
  const auto budget = std::make_shared<ReceiveBudget>(100'000'000);
  {
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { (void)send(*pair.near, 4'000'000, Deadline::in_ms(60'000)); });
    const auto frame = pair.far->receive(Deadline::in_ms(60'000));
    sending.join();
    ASSERT_TRUE(frame) << frame.error().message;
    pair.far->release();
    EXPECT_GE(budget->cached_bytes(), 4'000'000u);
    EXPECT_LE(budget->cached_bytes(), 4'000'100u) << "no more than the frame announced";
  }
  EXPECT_EQ(budget->cached_bytes(), 0u);
}

TEST_P(PartialFrame, CountsBuffersKeptForSendingUpToHalf) {
  for (const std::size_t limit : {std::size_t{100'000'000}, std::size_t{5'000'000}}) {
    const auto budget = std::make_shared<ReceiveBudget>(limit);
    ConnectedPair pair(GetParam(), budget);
    std::thread sending([&] { EXPECT_TRUE(send(*pair.far, 4'000'000, Deadline::in_ms(60'000))); });
    EXPECT_TRUE(pair.near->receive(Deadline::in_ms(60'000)));
    sending.join();
    if (limit > 8'000'000)
      EXPECT_GE(budget->cached_bytes(), 4'000'000u);
    else
      EXPECT_EQ(budget->cached_bytes(), 0u);
  }
}

constexpr std::int64_t kExpired_ms = -3'600'000;  // every incomplete frame is late

TEST_P(PartialFrame, IsNotTimedOutWhileInputIsUnread) {
  const auto budget = std::make_shared<ReceiveBudget>(64'000'000);
  ConnectedPair pair(GetParam(), budget);
  std::thread sending([&] {
    while (send(*pair.near, 4'000'000, Deadline::in_ms(60'000))) {
    }
  });
  // Until a part of a frame has been read and no input is left: a frame that is sent as fast as it is read is
  // complete.
  bool waits_for_the_rest = false;
  while (!waits_for_the_rest) {
    const auto frame = pair.far->receive(Deadline{0});
    if (frame)
      pair.far->release();
    else if (frame.error().kind != ErrorKind::timed_out)
      break;
    waits_for_the_rest =
        !frame && pair.far->has_partial_frame() && pair.far->descriptor() >= 0 && pair.far->arm();
  }
  EXPECT_TRUE(waits_for_the_rest);
  platform::PollItem readable{pair.far->descriptor(), platform::kReadable, 0};
  EXPECT_EQ(platform::poll(std::span(&readable, 1), Deadline::in_ms(30'000)), 1);
  budget->end_timed_out(kExpired_ms);
  const auto frame = pair.far->receive(Deadline::in_ms(60'000));
  EXPECT_TRUE(frame) << frame.error().message;
  pair.far->close();
  sending.join();
}

TEST_P(PartialFrame, DropsTheOldestForAnother) {
  const auto budget = std::make_shared<ReceiveBudget>(5'000'000);
  HalfSentFrame old(GetParam(), budget, 3'000'000);
  ConnectedPair young(GetParam(), budget);
  EXPECT_TRUE(old.far().has_partial_frame());
  std::thread other([&] { (void)send(*young.near, 4'000'000, Deadline::in_ms(120'000)); });
  const auto frame = young.far->receive(Deadline::in_ms(120'000));
  EXPECT_TRUE(frame);
  other.join();
  EXPECT_FALSE(old.far().receive(Deadline::in_ms(120'000)));
  old.end();
  EXPECT_TRUE(old.over);
}

/// The owner may keep the channel for any time after the disconnect.
TEST_P(PartialFrame, IsFreedAfterADisconnectWhileTheChannelExists) {
  for (const bool closes_here : {false, true}) {
    const auto budget = std::make_shared<ReceiveBudget>(15'000'000);
    HalfSentFrame half(GetParam(), budget);
    if (closes_here)
      half.far().close();
    else
      half.end();
    for (int times = 0; times < 2; ++times) {
      const auto frame = half.far().receive(Deadline::in_ms(60'000));
      ASSERT_FALSE(frame);
      EXPECT_EQ(frame.error().kind, ErrorKind::disconnected);
      EXPECT_EQ(budget->bytes() + budget->cached_bytes(), 0u);
      EXPECT_FALSE(half.far().has_partial_frame());
    }
  }
}

/// Without a limit, a peer that connects repeatedly could fill the disk.
TEST_P(PartialFrame, LogsDroppedFramesAtALimitedRate) {
  constexpr std::size_t kGivenUp = 60;
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  const std::int64_t start_ns = orbweaver::now_ns();
  for (std::size_t i = 0; i < kGivenUp; ++i) {
    const auto budget = std::make_shared<ReceiveBudget>(15'000'000);
    HalfSentFrame half(GetParam(), budget);
    ReceiveBudget::Share other(budget, [](const std::string&) {});
    other.count_for(half.far().peer());
    EXPECT_TRUE(other.hold(1, 14'999'999));  // the whole budget: the frame is dropped
    EXPECT_TRUE(becomes_true([&] {
      const auto frame = half.far().receive(Deadline{0});
      return !frame && frame.error().kind == ErrorKind::disconnected;
    }));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  std::size_t lines = 0;
  for (std::size_t at = log.find("is ended: "); at != std::string::npos; at = log.find("is ended: ", at + 1))
    ++lines;
  EXPECT_GE(lines, 1u);
  const auto seconds = static_cast<std::size_t>((orbweaver::now_ns() - start_ns) / 1'000'000'000);
  EXPECT_LE(lines, LogRateLimiter::kBurst + LogRateLimiter::kPerSecond * (seconds + 1));
}

INSTANTIATE_TEST_SUITE_P(Transports, PartialFrame, ::testing::Values("shm", "unix", "tcp", "mqueue"),
                         [](const auto& info) { return std::string(info.param); });

/// Frames that a receiver rejects, each with one log line.
class RefusedFrame : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string line_about(const std::function<void(Channel& near)>& send_it) {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
    ConnectedPair pair(GetParam(), std::make_shared<ReceiveBudget>(64'000'000), 65536);
    ::testing::internal::CaptureStderr();
    std::thread sending([&] { send_it(*pair.near); });
    const auto frame = pair.far->receive(Deadline::in_ms(120'000));
    EXPECT_FALSE(frame);
    EXPECT_FALSE(pair.far->receive(Deadline::in_ms(120'000))) << "the connection is closed";
    pair.near->close();
    sending.join();
    std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
    return log;
  }
};

TEST_P(RefusedFrame, BeyondTheLimitIsLoggedWithTheOption) {
  const std::string log =
      line_about([](Channel& near) { (void)send(near, 100'000, Deadline::in_ms(120'000)); });
  EXPECT_THAT(log, ::testing::HasSubstr("the limit is 65536 (-ORBMaxMessageBytes)"));
}

TEST_P(RefusedFrame, ThatIsNoGiopIsLogged) {
  const std::string log = line_about([](Channel& near) {
    auto buffer = near.claim(64, Deadline::in_ms(120'000));
    ASSERT_TRUE(buffer);
    std::memset(buffer->data(), 'x', 64);
    EXPECT_TRUE(near.commit(64, Deadline::in_ms(120'000)));
  });
  EXPECT_THAT(log, ::testing::HasSubstr("not a GIOP message"));
}

INSTANTIATE_TEST_SUITE_P(Transports, RefusedFrame, ::testing::Values("shm", "unix", "tcp", "mqueue", "udp"),
                         [](const auto& info) { return std::string(info.param); });

/// An orderly close between two frames is not logged.
TEST_P(PartialFrame, IsNotReportedForAnOrderlyClose) {
  orbweaver::log::set_level("warn");
  ConnectedPair pair(GetParam(), std::make_shared<ReceiveBudget>(64'000'000));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(send(*pair.near, 100, Deadline::in_ms(120'000)));
  pair.near->close();
  EXPECT_TRUE(pair.far->receive(Deadline::in_ms(120'000)));
  pair.far->release();
  EXPECT_FALSE(pair.far->receive(Deadline::in_ms(120'000)));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Closing, LingersInAnotherThread) {
  ConnectedPair pair("tcp", nullptr);
  while (send(*pair.near, 1'000'000, Deadline::in_ms(1))) {  // until the buffers are full
  }
  pair.near->close();
  EXPECT_EQ(transport::lingering_count(), 1u);
  EXPECT_TRUE(becomes_true([] { return transport::lingering_count() == 0; }));
}

TEST(Closing, LimitsLingeringDescriptors) {
  const auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 64);
  const int small = 4096;
  setsockopt(listener.fd.get(), SOL_SOCKET, SO_RCVBUF, &small,
             sizeof small);  // inherited by accepted sockets
  const auto server_address = platform::local_address(listener.fd);
  std::vector<platform::Fd> near, far;
  const std::vector<std::uint8_t> bytes(4096);
  for (std::size_t i = 0; i < transport::kMaxLingering + 8; ++i) {
    near.push_back(std::move(platform::connect_to(server_address, Deadline::in_ms(30'000)).fd));
    far.push_back(std::move(platform::accept_from(listener.fd, Deadline::in_ms(30'000)).fd));
    setsockopt(near.back().get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    while (platform::send(near.back(), bytes, platform::Blocking::no).error == 0) {
    }
    platform::shutdown_sending(near.back());
  }
  std::size_t peak = 0;
  for (platform::Fd& socket : near) {
    transport::linger_in_background(std::move(socket));
    peak = std::max(peak, transport::lingering_count());
  }
  EXPECT_GT(peak, 0u);
  EXPECT_LE(peak, transport::kMaxLingering);
  EXPECT_TRUE(becomes_true([] { return transport::lingering_count() == 0; }));
}

TEST(Closing, SendsCommittedFramesAfterDestruction) {
  ConnectedPair pair("tcp", nullptr);
  std::thread receiving([&] {
    int frames = 0;
    while (pair.far->receive(Deadline::in_ms(120'000))) {
      pair.far->release();
      ++frames;
    }
    EXPECT_EQ(frames, 3);
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(*pair.near, 100'000, Deadline::in_ms(120'000)));
  pair.near = nullptr;
  receiving.join();
}

TEST(AcceptorWithoutDescriptors, RejectsPeersWithItsReserveDescriptor) {
  transport::ChannelOptions options;
  options.frame_length = &orbweaver::giop::frame_length;
  auto acceptor = std::move(*transport::find("tcp")->listen("127.0.0.1:0", options));
  const std::string address = acceptor->address();
  const auto port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  const auto server_address = platform::resolve_tcp("127.0.0.1", port, false).addresses.at(0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = descriptors() + 10;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto client = platform::connect_to(server_address, Deadline::in_ms(120'000));
  std::vector<platform::Fd> all;
  while (all.empty() || all.back()) all.push_back(platform::spare_descriptor());
  const auto accepted = acceptor->try_accept();
  ASSERT_TRUE(accepted);
  EXPECT_EQ(*accepted, nullptr);
  EXPECT_NE(platform::poll(client.fd, platform::kReadable, Deadline::in_ms(120'000)),
            0u);  // closed by the server
  all.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  const auto next = platform::connect_to(server_address, Deadline::in_ms(120'000));
  EXPECT_TRUE(becomes_true([&] {
    const auto channel = acceptor->try_accept();
    return channel && *channel != nullptr;
  }));
}

using transport::udp::Part;
using transport::udp::PartHeader;
using transport::udp::Reassembly;

TEST(DatagramReassembly, AllocatesOnlyForReceivedParts) {
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 30, counters);
  const std::vector<std::uint8_t> bytes(16'384, 1);
  for (const std::uint16_t part : {std::uint16_t{60'000}, std::uint16_t{3}, std::uint16_t{0}}) {
    const auto taken = frames.take({PartHeader{1, part, 65'000, 65'000 * 16'384, 16'384}, bytes});
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->empty());
  }
  EXPECT_LE(frames.storage_bytes(), std::size_t{128} << 10);
}

TEST(DatagramReassembly, ReleasesTheBudgetOfADroppedFrame) {
  const auto budget = std::make_shared<ReceiveBudget>(std::size_t{1} << 20);
  ReceiveBudget::Share share(
      budget, [](const std::string&) {}, ReceiveBudget::Timed::no);
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 20, counters, &share);
  alignas(8) static const std::uint8_t bytes[16'384] = {};
  ASSERT_TRUE(frames.take({PartHeader{1, 0, 20, 20 * 16'384, 16'384}, bytes}));
  EXPECT_GT(budget->bytes(), 0u);
  const auto small = frames.take({PartHeader{2, 0, 1, 64, 64}, Bytes(bytes, 64)});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->size(), 64u);
  EXPECT_EQ(budget->bytes(), 0u);
}

TEST(ReceiveBudget, ClosesNoConnectionForARequestThatCannotFit) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  bool other_ended = false;
  ReceiveBudget::Share other(budget, [&](const std::string&) { other_ended = true; });
  ReceiveBudget::Share requesting(budget, [](const std::string&) {});
  EXPECT_TRUE(other.hold(90, 90));
  EXPECT_FALSE(requesting.hold(110, 110));
  EXPECT_FALSE(other_ended);
  requesting.done(0);
  EXPECT_TRUE(requesting.hold(15, 15)) << "replaces the bytes of the other share";
  EXPECT_TRUE(other_ended);
}

TEST(ReceiveBudget, ClosesTheOldestUntilTheBytesFit) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  std::vector<int> ended;
  std::list<ReceiveBudget::Share> shares;
  for (int i = 0; i < 4; ++i)
    shares.emplace_back(budget, [&ended, i](const std::string&) { ended.push_back(i); });
  std::int64_t since = 4;
  for (ReceiveBudget::Share& share : shares) EXPECT_TRUE(share.hold(25, 25, since--));
  ReceiveBudget::Share requesting(budget, [](const std::string&) {});
  EXPECT_TRUE(requesting.hold(45, 45));
  EXPECT_THAT(ended, ::testing::UnorderedElementsAre(3, 2));
  EXPECT_EQ(budget->bytes(), 95u);
}

TEST(ReceiveBudget, DoesNotCountCompleteMessages) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share one(budget, [](const std::string&) {}), other(budget, [](const std::string&) {});
  EXPECT_TRUE(one.hold(80, 90));
  one.complete(10);
  EXPECT_FALSE(one.receiving());
  EXPECT_EQ(budget->bytes(), 0u);
  EXPECT_EQ(budget->cached_bytes(), 10u);
  EXPECT_TRUE(other.hold(100, 100)) << "the whole budget";
}

TEST(ReceiveBudget, ReclaimsBuffersBeyondHalf) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share one(budget, [](const std::string&) {}), other(budget, [](const std::string&) {});
  EXPECT_TRUE(one.done(40));
  EXPECT_FALSE(other.done(11));
  EXPECT_TRUE(other.done(0));
  EXPECT_TRUE(other.hold(100, 100)) << "cached buffers do not reduce the receive budget";
}

TEST(ReceiveBudget, DoesNotWaitForClosedShares) {
  ReceiveBudget::End ended = [](const std::string&) {};
  const auto budget = std::make_shared<ReceiveBudget>(100);
  ReceiveBudget::Share share(budget, ended);
  EXPECT_TRUE(share.hold(1, 1));
  EXPECT_TRUE(budget->receiving());
  budget->end_timed_out(kExpired_ms);
  EXPECT_FALSE(budget->receiving());
}

TEST(ReceiveBudget, ClosesLateMessagesOnlyWithoutUnreadInput) {
  const auto budget = std::make_shared<ReceiveBudget>(100);
  bool has_input = true, ended = false;
  ReceiveBudget::Share share(
      budget, [&](const std::string&) { ended = true; }, ReceiveBudget::Timed::yes,
      [&] { return has_input; });
  EXPECT_TRUE(share.hold(10, 10));
  budget->end_timed_out(kExpired_ms);
  EXPECT_FALSE(ended);
  has_input = false;
  budget->end_timed_out(3'600'000);
  EXPECT_FALSE(ended) << "not late yet";
  budget->end_timed_out(kExpired_ms);
  EXPECT_TRUE(ended);
}

TEST(DatagramReassembly, ReassemblesPartsInAnyOrder) {
  transport::udp::Counters counters;
  Reassembly frames(std::size_t{1} << 20, counters);
  std::vector<std::uint8_t> whole(10'500);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::uint8_t>(i * 7 / 5);
  for (std::uint32_t frame = 1; frame < 4; ++frame) {
    for (std::uint16_t i = 0; i < 11; ++i) {
      const auto part = static_cast<std::uint16_t>(frame == 2 ? i : (i * 7 + frame) % 11);
      const auto bytes = Bytes(whole).subspan(part * 1000u, part == 10 ? 500 : 1000);
      const auto taken = frames.take({PartHeader{frame, part, 11, 10'500, 1000}, bytes});
      ASSERT_TRUE(taken);
      if (i < 10) {
        EXPECT_TRUE(taken->empty());
      } else {
        EXPECT_TRUE(std::equal(taken->begin(), taken->end(), whole.begin(), whole.end()));
      }
    }
    frames.release();
  }
}

}  // namespace
}  // namespace orbtest
