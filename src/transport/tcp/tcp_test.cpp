#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "platform/socket.h"
#include "platform/testing/forked_process.h"
#include "transport/tcp/address.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {
namespace {

using platform::Fd;
using platform::testing::ForkedProcess;
using ::testing::HasSubstr;

std::string mistake(const std::string& address) {
  const Result<HostPort> parsed = parse_host_port(address);
  EXPECT_TRUE(fails_with(ErrorKind::invalid, parsed)) << address;
  return parsed ? "" : parsed.error().message;
}

TEST(TcpAddress, ParsesHostAndPort) {
  EXPECT_EQ(parse_host_port("radio.example:4711")->host, "radio.example");
  EXPECT_EQ(parse_host_port("radio.example:4711")->port, 4711);
  EXPECT_EQ(parse_host_port("[fe80::1%eth0]:1")->host, "fe80::1%eth0");
  EXPECT_EQ(parse_host_port(":65535")->host, "");
  EXPECT_EQ(parse_host_port("127.0.0.1:0")->port, 0);
}

TEST(TcpAddress, ReportsMalformedAddresses) {
  EXPECT_THAT(mistake("radio"), HasSubstr("has no port: write host:port or [v6]:port"));
  EXPECT_THAT(mistake("::1:4711"), HasSubstr("several colons and no brackets"));
  EXPECT_THAT(mistake("[::1:4711"), HasSubstr("no ']' before its port"));
  for (const char* port : {"h:", "h:x", "h:65536", "h:-1", "h:1x", "h: 1", "h:99999999999999999999"}) {
    EXPECT_THAT(mistake(port), HasSubstr("a port that is not 0 to 65535")) << port;
  }
}

TEST(Tcp, RejectsAMalformedAddress) {
  EXPECT_TRUE(
      fails_with(ErrorKind::invalid, tcp_transport().connect("nonsense", options_for(), Deadline::never())));
  EXPECT_TRUE(fails_with(ErrorKind::invalid, tcp_transport().listen("nonsense", options_for())));
}

TEST(Tcp, NamesAnUnknownHost) {
  const auto channel = tcp_transport().connect("no-such-host.invalid:1", options_for(), hang_deadline());
  ASSERT_FALSE(channel);
  EXPECT_THAT(channel.error().message, HasSubstr("'no-such-host.invalid'"));
}

TEST(Tcp, RejectsListeningOnAForeignAddress) {
  EXPECT_TRUE(fails_with(ErrorKind::invalid, tcp_transport().listen("192.0.2.1:0", options_for())));
}

TEST(Tcp, ListensOnEveryInterfaceForAnEmptyHost) {
  auto acceptor = std::move(*tcp_transport().listen(":0", options_for()));
  const std::string port = acceptor->address().substr(acceptor->address().rfind(':'));
  EXPECT_TRUE(ok(tcp_transport().connect(port, options_for(), hang_deadline())));
}

// Access rules need the address: a peer that resets its connection has sent requests before.
TEST(Tcp, KnowsTheAddressOfAPeerThatResetItsConnectionBeforeTheAccept) {
  auto acceptor = std::move(*tcp_transport().listen("127.0.0.1:0", options_for()));
  const HostPort where = *parse_host_port(acceptor->address());
  const platform::SocketAddress address =
      platform::resolve_tcp(where.host, where.port, false).addresses.at(0);
  auto peer = platform::connect_to(address, hang_deadline());
  ASSERT_TRUE(peer);
  const std::string name = platform::local_address(peer.fd).text();
  platform::abort_tcp(peer.fd);
  const auto channel = acceptor->accept();
  ASSERT_TRUE(ok(channel));
  EXPECT_EQ((*channel)->peer().address, name);
}

TEST(Tcp, DropsAConnectionThatIsClosedAgainBeforeTheAccept) {
  auto acceptor = std::move(*tcp_transport().listen("127.0.0.1:0", options_for()));
  ASSERT_TRUE(
      ok(tcp_transport().connect(acceptor->address(), options_for(), hang_deadline())));  // and closes
  const auto later = tcp_transport().connect(acceptor->address(), options_for(), hang_deadline());
  ASSERT_TRUE(ok(later));
  const auto channel = acceptor->accept();
  ASSERT_TRUE(ok(channel));
  ASSERT_TRUE(ok(send_frame(**later, 100, 1)));
  EXPECT_TRUE(receives(**channel, 100, 1)) << "of the first connection";
}

TEST(Tcp, ResolvesHostNames) {
  auto listening = tcp_transport().listen("localhost:0", options_for());
  ASSERT_TRUE(ok(listening));  // the name is in /etc/hosts
  const auto acceptor = std::move(*listening);
  const std::string port = acceptor->address().substr(acceptor->address().rfind(':'));
  EXPECT_TRUE(ok(tcp_transport().connect("localhost" + port, options_for(), hang_deadline())));
}

/// Runs in a child process without free descriptors. Three callers connect, and none can be accepted at
/// first.
void accept_without_descriptors() {
  auto acceptor = std::move(*tcp_transport().listen("", options_for()));
  const HostPort where = *parse_host_port(acceptor->address());
  const platform::SocketAddress address =
      platform::resolve_tcp(where.host, where.port, false).addresses.at(0);
  std::atomic<bool> started{false}, scarce{false}, ended{false};
  std::atomic<int> accepted{0};
  // The first channel and the thread begin while descriptors are available: a sanitizer opens some when it
  // first sees a kind of object.
  const auto first =
      std::move(*tcp_transport().connect(acceptor->address(), options_for(), Deadline::never()));
  const auto first_accepted = std::move(*acceptor->accept());
  std::vector<std::unique_ptr<Channel>> channels;
  std::thread accepting([&] {
    started = true;
    while (!scarce) pause_ms(1);
    for (;;) {
      Result<std::unique_ptr<Channel>> channel = acceptor->accept();
      if (!channel) {
        ended = true;
        while (scarce) pause_ms(1);
        return;
      }
      channels.push_back(std::move(*channel));
      ++accepted;
    }
  });
  while (!started) pause_ms(1);
  Fd callers[3];
  for (Fd& caller : callers) caller = std::move(platform::connect_to(address, Deadline::never()).fd);
  platform::testing::set_descriptor_limit(callers[2].get() + 1);
  scarce = true;

  const Deadline soon = hang_deadline();
  // each is disconnected: the acceptor has a reserve descriptor for rejecting it
  for (const Fd& caller : callers) {
    if (platform::poll(caller, platform::kReadable, soon) == 0) ForkedProcess::fail();
  }
  const std::clock_t cpu_before = std::clock();
  pause_ms(300);
  const auto cpu_ms = (std::clock() - cpu_before) * 1000 / CLOCKS_PER_SEC;
  if (accepted != 0 || cpu_ms > 60) ForkedProcess::fail();
  platform::testing::set_descriptor_limit(100);  // descriptors are available from here on
  const Fd another = std::move(platform::connect_to(address, soon).fd);
  while (accepted == 0 && !soon.passed()) pause_ms(1);
  if (accepted != 1) ForkedProcess::fail();
  acceptor->close();  // ends the wait for another connection
  while (!ended && !soon.passed()) pause_ms(1);
  if (!ended) ForkedProcess::fail();
  scarce = false;
  accepting.join();
}

TEST(Tcp, RejectsPeersWhileOutOfDescriptors) {
  ForkedProcess child(accept_without_descriptors);
  EXPECT_TRUE(child.reap());
}

TEST(Tcp, StopsConnectingAtItsDeadline) {
  // A listener that never accepts: once its backlog is full, the handshake is not answered.
  auto found = platform::resolve_tcp("127.0.0.1", 0, true);
  const Fd listener = std::move(platform::listen_on(found.addresses.at(0), 0).fd);
  const std::string address = platform::local_address(listener).text();
  std::vector<std::unique_ptr<Channel>> callers;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start = platform::now_ns();
    auto channel = tcp_transport().connect(address, options_for(), Deadline::in_ms(50));
    if (channel) {
      callers.push_back(std::move(*channel));
      continue;
    }
    EXPECT_TRUE(fails_with(ErrorKind::timed_out, channel));
    EXPECT_LE(platform::now_ns() - start, kHangTimeout_ns);
    return;
  }
  FAIL() << "the backlog never filled";
}

}  // namespace
}  // namespace orbweaver::transport::testing
