// Limits of connections and incomplete messages, in every thread mode: number, bytes and time.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/log.h"
#include "platform/descriptors.h"
#include "serving.h"
#include "transport/shm/segment.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
namespace platform = orbweaver::platform;

/// `options` without time limits, except those that the test sets.
Options with(const Options& options) {
  Options all{"-ORBTune", "handshake-timeout-ms=0,idle-timeout-ms=0,message-timeout-ms=0"};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

class Limits : public ::testing::TestWithParam<const char*> {
 protected:
  void serve(const Options& options) { server = std::make_unique<TestServer>(GetParam(), with(options)); }
  /// Expects that a local client is served.
  void expect_local_calls_pass() {
    TestOrb client(Options{"-ORBTransportPreference", "shm"});
    EXPECT_EQ(client.at(server->reference())->twice(21), 42);
  }
  /// Creates `count` clients that have been served once.
  std::vector<RawPeer> served_peers(int count) {
    std::vector<RawPeer> peers;
    for (int i = 0; i < count; ++i) {
      peers.push_back(server->raw());
      peers.back().sends(request(1, server->address().key, "_get_value").bytes());
      EXPECT_TRUE(peers.back().receives());
    }
    return peers;
  }
  std::unique_ptr<TestServer> server;
};

TEST_P(Limits, RejectNetworkConnectionsBeyondThreeQuartersOfTheLimit) {
  serve({"-ORBTune", "max-connections=8"});
  const std::size_t threads_before = threads();
  std::vector<RawPeer> peers;
  for (int i = 0; i < 6; ++i) peers.push_back(server->raw());
  ASSERT_TRUE(becomes_true([&] { return server->connections() == 6; }));
  for (int i = 0; i < 10; ++i) {
    RawPeer refused = server->raw();
    EXPECT_TRUE(is_closed_in_order(refused));
  }
  EXPECT_EQ(server->connections(), 6u);
  EXPECT_LE(threads(), threads_before + 6);
  expect_local_calls_pass();
  peers.clear();
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; }));
  RawPeer again = server->raw();
  again.sends(request(1, server->address().key, "_get_value").bytes());
  EXPECT_TRUE(again.receives());
}

TEST_P(Limits, RejectConnectionsBeyondTheLimitOfAPeer) {
  serve({"-ORBTune", "max-connections-per-peer=3"});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(server->raw());
  ASSERT_TRUE(becomes_true([&] { return server->connections() == 3; }));
  RawPeer refused = server->raw();
  EXPECT_TRUE(is_closed_in_order(refused));
  expect_local_calls_pass();
}

TEST_P(Limits, DoNotCountDeniedConnections) {
  serve({"-ORBTune", "max-connections=4", "-ORBDeny", "net:127.0.0.0/8"});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 20; ++i) peers.push_back(server->raw());
  EXPECT_TRUE(is_closed_in_order(peers[16])) << "beyond the limit of denied connections";
  EXPECT_EQ(server->connections(), 16u);
  expect_local_calls_pass();
}

TEST_P(Limits, CloseDeniedConnectionsAfterAnyPartOfARequest) {
  serve({"-ORBTune", "handshake-timeout-ms=40", "-ORBDeny", "net:127.0.0.0/8"});
  const Octets whole = request(1, server->address().key, "_get_value").bytes();
  for (const std::ptrdiff_t part : {0, 5, 20}) {
    RawPeer peer = server->raw();
    peer.sends({whole.begin(), whole.begin() + part});
    EXPECT_TRUE(peer.is_closed()) << part;
  }
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; }));
}

/// The only thread is busy for longer than the timeout, and checks the limits before it reads from the
/// connection.
TEST_P(Limits, KeepConnectionsWhoseFirstRequestWaitsForAThread) {
  if (GetParam() != std::string("single")) GTEST_SKIP() << "another thread would read it";
  serve({"-ORBTune", "handshake-timeout-ms=2000"});  // enough for `busy` to be served
  RawPeer late = server->raw(), busy = server->raw();
  ASSERT_TRUE(becomes_true([&] { return server->connections() == 2; }));
  busy.sends(request(7, server->address().key, "wait_at_gate").ulong(5).bytes());
  ASSERT_TRUE(server->servant->gate.reached_by(1));
  // For the time limit to pass: however long it takes, the request is to be served.
  std::this_thread::sleep_for(3s);
  late.sends(request(1, server->address().key, "_get_value").bytes());
  server->servant->gate.open();
  const auto answer = late.receives();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)[7], static_cast<std::uint8_t>(giop::MessageType::reply));
}

TEST_P(Limits, RaiseTransientAtARejectedCaller) {
  serve({"-ORBTune", "max-connections-per-peer=1"});
  TestOrb first(Options{"-ORBTransportPreference", "unix"}),
      second(Options{"-ORBTransportPreference", "unix"});
  const CallsRef served = first.at(server->reference());
  EXPECT_EQ(served->twice(1), 2);
  EXPECT_THROW(second.unchecked(server->reference())->twice(1), CORBA::TRANSIENT);
  EXPECT_EQ(served->twice(2), 4);
}

TEST_P(Limits, CloseSilentConnections) {
  serve({"-ORBTune", "handshake-timeout-ms=40"});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 5; ++i) peers.push_back(server->raw());
  for (RawPeer& peer : peers) EXPECT_TRUE(is_closed_in_order(peer));
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; }));
}

TEST_P(Limits, CloseSilentSharedMemoryConnections) {
  serve({"-ORBTune", "handshake-timeout-ms=40"});
  const auto connected = platform::connect_to(platform::unix_address("@shm/" + server->address().shm),
                                              platform::Deadline::in_ms(120'000));
  orbweaver::transport::shm::Welcome welcome{};
  std::array<platform::Fd, 2> files;
  ASSERT_NE(platform::poll(connected.fd, platform::kReadable, platform::Deadline::in_ms(120'000)), 0u);
  platform::recv_fds(connected.fd, {reinterpret_cast<std::uint8_t*>(&welcome), sizeof welcome}, files,
                     platform::Blocking::no);
  EXPECT_NE(platform::poll(connected.fd, platform::kReadable, platform::Deadline::in_ms(120'000)), 0u);
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; }));
}

TEST_P(Limits, CloseIdleConnectionsInOrder) {
  serve({"-ORBTune", "idle-timeout-ms=40"});
  RawPeer peer = server->raw();
  peer.sends(request(1, server->address().key, "_get_value").bytes());
  ASSERT_TRUE(peer.receives());
  EXPECT_TRUE(is_closed_in_order(peer));
}

TEST_P(Limits, CloseIdleConnectionsTransparentlyForTheirClients) {
  serve({"-ORBTune", "idle-timeout-ms=40"});
  for (const char* transport : {"shm", "unix", "tcp"}) {
    TestOrb client(Options{"-ORBTransportPreference", transport});
    const CallsRef calls = client.at(server->reference());
    for (std::int32_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(becomes_true([&] { return server->connections() == 0; })) << transport;
      EXPECT_EQ(calls->twice(i), 2 * i) << transport;
    }
  }
}

TEST_P(Limits, KeepConnectionsInUse) {
  if (GetParam() == std::string("single")) GTEST_SKIP() << "its only thread waits at the gate";
  serve({"-ORBTune", "idle-timeout-ms=40", "-ORBTune", "handshake-timeout-ms=40"});
  // An ORB repeats the call if its connection is closed in order: before the request, as on a busy machine,
  // but also during the call, which would then wait at the gate twice.
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  const CallsRef calls = client.unchecked(server->reference());
  std::thread waiting([&] { EXPECT_EQ(calls->wait_at_gate(5), 5); });
  EXPECT_TRUE(server->servant->gate.reached_by(1));
  for (int i = 0; i < 4; ++i) {  // each passes a time limit
    RawPeer silent = server->raw();
    EXPECT_TRUE(is_closed_in_order(silent));
  }
  EXPECT_EQ(server->servant->gate.waiting(), 1);
  server->servant->gate.open();
  waiting.join();
}

TEST_P(Limits, ClosePartialMessagesAtTheTimeout) {
  serve({"-ORBTune", "message-timeout-ms=40"});
  const Octets whole = request(1, server->address().key, "echo").octets(Octets(100'000)).bytes();
  // The timeout grows by a second per KiB received: the parts are so small that the test need not wait for
  // it.
  for (const std::ptrdiff_t part : {1, 11, 12, 200}) {
    RawPeer peer = server->raw();
    peer.sends({whole.begin(), whole.begin() + part});
    EXPECT_TRUE(peer.is_closed()) << part;
  }
  EXPECT_TRUE(becomes_true([&] { return server->connections() == 0 && server->bytes_held() == 0; }));
  expect_local_calls_pass();
}

TEST_P(Limits, ClosePartialFragmentsAtTheTimeout) {
  serve({"-ORBTune", "message-timeout-ms=40"});
  RawPeer peer = server->raw();
  Message begun(giop::MessageType::request, Order::little, 2, 2);  // more fragments follow
  peer.sends(begun.ulong(1).octet(3).octet(0).octet(0).octet(0).ulong(0).bytes());
  const auto close_message = peer.receives();
  EXPECT_FALSE(close_message &&
               (*close_message)[7] == static_cast<std::uint8_t>(giop::MessageType::message_error))
      << "a fragment";
  EXPECT_TRUE(peer.is_closed());
}

TEST_P(Limits, BoundTheBytesOfPartialMessages) {
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "receive-bytes=2000000"});
  const Octets whole = request(1, server->address().key, "echo").octets(Octets(990'000)).bytes();
  const Octets half(whole.begin(), whole.begin() + 900'000);
  std::vector<RawPeer> peers = served_peers(6);
  for (RawPeer& peer : peers) peer.sends(half);
  EXPECT_TRUE(becomes_true([&] { return server->connections() <= 2 && server->bytes_held() <= 2'000'000; }));
  TestOrb client(Options{"-ORBTransportPreference", "tcp"});
  EXPECT_EQ(client.at(server->reference())->echo(OrbTest::Octets(800'000)).size(), 800'000u);
  peers.clear();
  EXPECT_TRUE(becomes_true([&] { return server->connections() <= 1 && server->bytes_held() <= 1'000'000; }));
}

TEST_P(Limits, BoundTheBytesOfPartialFragments) {
  serve({"-ORBMaxMessageBytes", "1000000", "-ORBTune", "receive-bytes=2000000"});
  std::vector<RawPeer> peers = served_peers(6);
  for (RawPeer& peer : peers) {
    Message begun(giop::MessageType::request, Order::little, 2, 2);
    peer.sends(begun.ulong(1).octet(3).octet(0).octet(0).octet(0).octets(Octets(600'000)).align(8).bytes());
  }
  EXPECT_TRUE(becomes_true([&] { return server->connections() <= 3 && server->bytes_held() <= 2'000'000; }));
  expect_local_calls_pass();
}

TEST_P(Limits, KeepDescriptorsForLocalClients) {
  serve({"-ORBTune", "reserved-descriptors=24"});
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = descriptors() + 100;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<RawPeer> peers;
  bool refused = false;
  for (std::size_t i = 0; i < 60 && !refused; ++i) {  // each takes a descriptor in client and server
    peers.push_back(server->raw());
    peers.back().sends(request(1, server->address().key, "_get_value").bytes());
    const auto answer = peers.back().receives();
    refused = !answer || (*answer)[7] == static_cast<std::uint8_t>(giop::MessageType::close_connection);
  }
  EXPECT_TRUE(refused);
  EXPECT_GE(platform::available_descriptors(), 20u);
  expect_local_calls_pass();
  setrlimit(RLIMIT_NOFILE, &before);
}

/// Fixture with a limit of descriptors, restored after the test.
class Descriptors : public ::testing::Test {
 protected:
  Descriptors() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~Descriptors() override { setrlimit(RLIMIT_NOFILE, &before_); }
  void allow(rlim_t count) {
    rlimit few = before_;
    few.rlim_cur = count;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  rlimit before_{};
};

TEST_F(Descriptors, AreLimitedToHalfForOneHost) {
  allow(256);
  orbweaver::orb::Options options;
  options.max_connections = 1000;
  orbweaver::orb::IncomingConnections limits(options, std::make_shared<orbweaver::ReceiveBudget>(1 << 20));
  std::vector<std::unique_ptr<orbweaver::orb::IncomingConnections::Admission>> admitted;
  const auto admits = [&](const char* address) {
    admitted.push_back(limits.admit(orbweaver::transport::tcp_transport(), {address}));
    return admitted.back() != nullptr;
  };
  orbweaver::log::set_level("off");
  for (int i = 0; i < 96; ++i)
    EXPECT_TRUE(admits("10.0.0.1:4711")) << i;  // half of 256 less the 64 that are reserved
  EXPECT_FALSE(admits("10.0.0.1:4711"));
  EXPECT_FALSE(limits.has_room(orbweaver::transport::tcp_transport(), {"10.0.0.1:4711"}));
  for (int i = 0; i < 96; ++i) EXPECT_TRUE(admits("10.0.0.2:4711")) << i;
}

TEST_F(Descriptors, AreLoggedWhenTheyAllowFewerConnectionsThanTheOptions) {
  const auto log_of = [&](const char* per_peer) {
    ::testing::internal::CaptureStderr();
    {
      TestServer server("connection", {"-ORBTune", std::string("max-connections-per-peer=") + per_peer,
                                       "-ORBTune", "max-connections=200", "-ORBLog", "info"});
    }
    return ::testing::internal::GetCapturedStderr();
  };
  allow(256);
  EXPECT_THAT(log_of("97"), ::testing::HasSubstr(
                                "ulimit -n 256) allow fewer connections than the options: 96 of one host"));
  EXPECT_THAT(log_of("96"), ::testing::Not(::testing::HasSubstr("than the options")));
}

std::string mode_name(const ::testing::TestParamInfo<const char*>& info) {
  return std::string(info.param).substr(0, std::string(info.param).find(':'));
}
INSTANTIATE_TEST_SUITE_P(ThreadModes, Limits,
                         ::testing::Values("connection", "pool:2", "unordered:2", "single"), mode_name);

}  // namespace
}  // namespace orbtest
