// Service budget of a server: bytes of requests and replies in service, and clients that do not read their
// replies.
#include <gmock/gmock.h>

#include <array>
#include <cerrno>

#include "base/log.h"
#include "orb/minor_codes.h"
#include "platform/socket.h"
#include "platform/socket_address.h"
#include "serving.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
namespace minor = orbweaver::minor;
namespace platform = orbweaver::platform;
using ::testing::HasSubstr;

class Service : public ::testing::TestWithParam<const char*> {
 protected:
  void serve(Options options) {
    name = "@orbweaver-service-" + std::to_string(platform::process_id()) + "-" +
           std::string(GetParam()).substr(0, 4);
    options.insert(options.end(), {"-ORBListen", "tcp,shm,unix:" + name});
    server = std::make_unique<TestServer>(GetParam(), options);
  }
  /// A client whose call, with `bytes` of arguments, waits at the servant's gate as the `number`th.
  RawPeer waiting(std::size_t bytes, int number) {
    RawPeer peer = server->raw();
    peer.sends(request(7, server->address().key, "wait_at_gate").ulong(5).octets(Octets(bytes)).bytes());
    EXPECT_TRUE(server->servant->gate.reached_by(number));
    return peer;
  }
  /// A client over a Unix socket, with small buffers, which sends `question` and reads no reply.
  platform::Fd connect_stuck_client(const Octets& question) {
    platform::Fd socket =
        std::move(platform::connect_to(platform::unix_address(name), platform::Deadline::in_ms(30'000)).fd);
    for (std::size_t sent = 0; sent < question.size();) {
      const auto some = platform::send(socket, std::span(question).subspan(sent), platform::Blocking::no);
      if (some.error != 0 && some.error != EAGAIN) break;
      sent += some.bytes;
      if (some.error == EAGAIN &&
          platform::poll(socket, platform::kWritable, platform::Deadline::in_ms(30'000)) == 0) {
        ADD_FAILURE() << "the server neither reads nor closes";
        break;
      }
    }
    return socket;
  }
  Octets echo(std::size_t bytes) const {
    return request(1, server->address().key, "echo").octets(Octets(bytes)).bytes();
  }

  std::string name;
  std::unique_ptr<TestServer> server;
};

TEST_P(Service, DoesNotUseTheReceiveBudget) {
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "receive-bytes=1000000", "-ORBTune",
         "service-bytes=8000000"});
  std::vector<RawPeer> peers;
  const int count = GetParam() == std::string("connection") ? 4 : 1;  // a thread of the pool remains free
  for (int i = 1; i <= count; ++i) peers.push_back(waiting(900'000, i));
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  EXPECT_EQ(client.at(server->reference())->echo(OrbTest::Octets(900'000)).size(), 900'000u);
  server->servant->gate.open();
  for (RawPeer& peer : peers) EXPECT_TRUE(peer.receives());
}

/// For any number of partial messages of a remote host, even if the local client has begun its message first.
TEST_P(Service, KeepsLocalClientsWhenAHostExceedsTheReceiveBudget) {
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "receive-bytes=2000000"});
  const Octets local_request = echo(200'000), remote_request = echo(990'000);
  const platform::Fd local = connect_stuck_client({local_request.begin(), local_request.begin() + 100'000});
  ASSERT_TRUE(becomes_true([&] { return server->bytes_held() >= 100'000; }));
  std::vector<RawPeer> peers;
  for (int i = 0; i < 6; ++i) peers.push_back(server->raw());
  ASSERT_TRUE(becomes_true([&] { return server->connections() == 7; }));
  for (RawPeer& peer : peers) peer.sends({remote_request.begin(), remote_request.begin() + 900'000});
  EXPECT_TRUE(becomes_true([&] { return server->connections() <= 3 && server->bytes_held() <= 2'000'000; }));
  for (std::size_t sent = 100'000; sent < local_request.size();) {
    ASSERT_NE(platform::poll(local, platform::kWritable, platform::Deadline::in_ms(30'000)), 0u);
    const auto sent_part =
        platform::send(local, std::span(local_request).subspan(sent), platform::Blocking::no);
    if (sent_part.error == EAGAIN) continue;
    ASSERT_EQ(sent_part.error, 0) << "the connection was closed";
    sent += sent_part.bytes;
  }
  std::array<std::uint8_t, 12> answer{};
  ASSERT_NE(platform::poll(local, platform::kReadable, platform::Deadline::in_ms(30'000)), 0u);
  ASSERT_EQ(platform::recv(local, answer, platform::Blocking::no).bytes, answer.size())
      << "the connection was closed";
  EXPECT_EQ(answer[7], static_cast<std::uint8_t>(giop::MessageType::reply));
}

TEST_P(Service, RaisesTransientBeyondItsBudget) {
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "service-bytes=1000000"});
  RawPeer first = waiting(900'000, 1);
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  const CallsRef calls = client.at(server->reference());
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { calls->echo(OrbTest::Octets(200'000)); },
                                          minor::kServiceBudgetExceeded),
              HasSubstr("-ORBTune service-bytes"));
  EXPECT_EQ(calls->echo(OrbTest::Octets(10'000)).size(), 10'000u) << "small requests are not counted";
  server->servant->gate.open();
  EXPECT_TRUE(first.receives());
  EXPECT_TRUE(becomes_true([&] { return server->served_bytes() == 0; }));
  EXPECT_EQ(calls->echo(OrbTest::Octets(200'000)).size(), 200'000u);
}

TEST_P(Service, ClosesAClientThatReadsNoReplies) {
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  testing::internal::CaptureStderr();
  serve({"-ORBTune", "reply-timeout-ms=40"});
  // The timeout of each reply is 40 ms, and a tenth of a second more for its size.
  const Octets question = echo(100);
  Octets questions;
  for (int i = 0; i < 20'000; ++i) questions.insert(questions.end(), question.begin(), question.end());
  const platform::Fd client = connect_stuck_client(questions);
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; }));
  TestOrb other(Options{"-ORBTransportPreference", "shm"});
  EXPECT_EQ(other.at(server->reference())->twice(2), 4);
  other.destroy();
  server = nullptr;
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("-ORBTune reply-timeout-ms"));
}

TEST_P(Service, ClosesAClientThatReadsNoLargeReply) {
  serve({"-ORBTune", "reply-timeout-ms=40"});
  for (std::int32_t i = 0; i < 150'000; ++i) server->servant->note(i);
  const platform::Fd client = connect_stuck_client(request(1, server->address().key, "notes").bytes());
  EXPECT_TRUE(becomes_true([&] {
    return (platform::poll(client, 0, platform::Deadline{0}) & platform::kHungUp) != 0;
  })) << "600 KB must not extend the timeout to ten minutes";
}

TEST_P(Service, CountsTheWholeOfAReplyInFragments) {
  serve({"-ORBTune", "fragment-bytes=65536", "-ORBTune", "reply-timeout-ms=0"});
  for (std::int32_t i = 0; i < 150'000; ++i) server->servant->note(i);
  platform::Fd client = connect_stuck_client(request(1, server->address().key, "notes").bytes());
  EXPECT_TRUE(becomes_true([&] { return server->reply_bytes() >= 600'000; }));
  client = {};
  EXPECT_TRUE(becomes_true([&] { return server->reply_bytes() == 0; }));
}

TEST_P(Service, ClosesTheOldestUnreadReplyWhenOverBudget) {
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  testing::internal::CaptureStderr();
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "service-bytes=1000000", "-ORBTune",
         "reply-timeout-ms=0"});
  for (std::int32_t i = 0; i < 150'000; ++i) server->servant->note(i);  // a small request has a large reply
  const Octets question = request(1, server->address().key, "notes").bytes();
  const platform::Fd first = connect_stuck_client(question);
  EXPECT_TRUE(becomes_true([&] { return server->reply_bytes() >= 600'000; }));
  const platform::Fd second = connect_stuck_client(question);
  EXPECT_TRUE(becomes_true([&] {
    const bool ended = (platform::poll(first, 0, platform::Deadline{0}) & platform::kHungUp) != 0;
    return ended && server->connections() == 1;
  }));
  EXPECT_GE(server->reply_bytes(), 600'000u) << "the second reply";
  EXPECT_LE(server->reply_bytes(), 1'000'000u);
  server = nullptr;
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("-ORBTune service-bytes"));
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, Service, ::testing::Values("connection", "pool:2", "unordered:2"),
                         [](const auto& tested) {
                           return std::string(tested.param).substr(0, std::string(tested.param).find(':'));
                         });

}  // namespace
}  // namespace orbtest
