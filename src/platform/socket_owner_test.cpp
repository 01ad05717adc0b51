#include "platform/socket_owner.h"

#include <gtest/gtest.h>

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <string>

#include "platform/process_identity.h"
#include "platform/resolver.h"
#include "platform/testing/forked_process.h"
#include "platform/testing/without_netlink.h"
#include "platform/udp_socket.h"

namespace orbweaver::platform {
namespace {

using Kind = SocketOwner::Kind;
using testing::ForkedProcess;

constexpr unsigned kNobody = 65534;
const Deadline kHang = Deadline::in_ms(120'000);

SocketAddress address(const std::string& host, std::uint16_t port = 0) {
  return resolve_tcp(host, port, true).addresses.at(0);
}

/// A TCP socket bound to `from` that is connecting, or has connected, to `to`.
Fd connect_from(const SocketAddress& from, const SocketAddress& to) {
  Fd fd(socket(reinterpret_cast<const sockaddr*>(from.storage)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(from.storage), from.length) != 0) return {};
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(to.storage), to.length) != 0) return {};
  return fd;
}

/// A TCP server: the accepted end of the next connection in its backlog, and whom the kernel names for it.
struct Server {
  explicit Server(const std::string& host) : listener(listen_on(address(host), 8).fd) {}
  SocketAddress here() const { return local_address(listener); }
  SocketOwner next() {
    accepted = accept_from(listener, kHang, &peer).fd;
    EXPECT_TRUE(accepted);
    return owner_of_peer(accepted, peer, IpProtocol::tcp);
  }
  Fd listener, accepted;
  SocketAddress peer;
};

/// Server and client: an IPv4-mapped address is of IPv4 to the kernel.
struct Hosts {
  const char* name;
  const char* listens;
  const char* called;
};
void PrintTo(const Hosts& hosts, std::ostream* out) { *out << hosts.listens << " as " << hosts.called; }

class OwnerOfATcpPeer : public ::testing::TestWithParam<Hosts> {};

TEST_P(OwnerOfATcpPeer, IsThisUser) {
  Server server(GetParam().listens);
  const SocketAddress called = address(GetParam().called, server.here().port());
  const Fd client = std::move(connect_to(called, kHang).fd);
  ASSERT_TRUE(client) << called.text();
  const SocketOwner owner = server.next();
  EXPECT_EQ(owner.kind, Kind::known);
  EXPECT_EQ(owner.uid, user_id());
}

TEST_P(OwnerOfATcpPeer, IsAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Server server(GetParam().listens);
  const SocketAddress called = address(GetParam().called, server.here().port());
  ForkedProcess other([&] {
    if (setuid(kNobody) != 0) ForkedProcess::fail();
    const Fd client = std::move(connect_to(called, kHang).fd);
    ForkedProcess::pause_forever();
  });
  const SocketOwner owner = server.next();
  EXPECT_EQ(owner.kind, Kind::known);
  EXPECT_EQ(owner.uid, kNobody);
}

INSTANTIATE_TEST_SUITE_P(Families, OwnerOfATcpPeer,
                         ::testing::Values(Hosts{"V4", "127.0.0.1", "127.0.0.1"}, Hosts{"V6", "::1", "::1"},
                                           Hosts{"V4AtV6", "::", "127.0.0.1"},
                                           Hosts{"MappedAtV4", "127.0.0.1", "::ffff:127.0.0.1"},
                                           Hosts{"MappedAtV6", "::", "::ffff:127.0.0.1"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(SocketOwner, IsNoneOnceThePeerHasClosed) {
  Server server("127.0.0.1");
  { const Fd client = std::move(connect_to(server.here(), kHang).fd); }
  EXPECT_EQ(server.next().kind, Kind::none);
}

TEST(SocketOwner, IsKnownWhileThePeerHasClosedItsSendingSide) {
  Server server("127.0.0.1");
  const Fd client = std::move(connect_to(server.here(), kHang).fd);
  shutdown_sending(client);
  EXPECT_EQ(server.next().kind, Kind::known);
}

TEST(SocketOwner, IsKnownOfASocketBoundToTheLoopbackInterface) {
  Server server("127.0.0.1");
  const Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr char kInterface[] = "lo";
  if (setsockopt(client.get(), SOL_SOCKET, SO_BINDTODEVICE, kInterface, sizeof kInterface) != 0)
    GTEST_SKIP() << "before Linux 5.7, only root can bind to an interface";
  const SocketAddress to = server.here();
  ASSERT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(to.storage), to.length), 0);
  EXPECT_EQ(server.next().kind, Kind::known);
}

// A caller could otherwise pass for the next user of its port.
TEST(SocketOwner, IsNoneIfThePortHasANewConnectionAfterAReset) {
  Server server("127.0.0.1");
  SocketAddress from;
  {
    const Fd first = connect_from(address("127.0.0.1"), server.here());
    ASSERT_TRUE(first);
    from = local_address(first);
    abort_tcp(first);
  }
  const Fd second = connect_from(from, server.here());
  ASSERT_TRUE(second);
  EXPECT_EQ(server.next().kind, Kind::none) << "of the first connection";
  EXPECT_EQ(server.next().kind, Kind::known) << "of the second one";
}

TEST(SocketOwner, IsNotThatOfAListenerAtThePeersPort) {
  Server server("127.0.0.1");
  SocketAddress from;
  {
    const Fd client = connect_from(address("127.0.0.1"), server.here());
    from = local_address(client);
    abort_tcp(client);
  }
  const Fd listener = std::move(listen_on(from, 1).fd);
  ASSERT_TRUE(listener);
  EXPECT_EQ(server.next().kind, Kind::none);
}

TEST(SocketOwner, IsOfAnAddressOfThisHost) {
  for (const char* host : {"127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_address_of_this_host(address(host))) << host;
  for (const char* host : {"198.51.100.77", "2001:db8::77", "::ffff:198.51.100.77"})
    EXPECT_FALSE(is_address_of_this_host(address(host))) << host;
  EXPECT_FALSE(is_address_of_this_host(SocketAddress{}));
}

/// Gives the loopback interface of a new network namespace an address.
bool add_address(const char* interface, const char* host) {
  const Fd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::string(interface).copy(request.ifr_name, IFNAMSIZ - 1);
  const SocketAddress added = address(host);
  std::copy_n(added.storage, sizeof request.ifr_addr, reinterpret_cast<unsigned char*>(&request.ifr_addr));
  if (ioctl(fd.get(), SIOCSIFADDR, &request) != 0) return false;
  request.ifr_flags = IFF_UP;
  return ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0;
}

TEST(SocketOwner, IsKnownAtAnotherAddressOfThisHost) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can add an address";
  ForkedProcess host([&] {
    if (unshare(CLONE_NEWNET) != 0) _exit(2);
    if (!add_address("lo", "127.0.0.1") || !add_address("lo:1", "192.0.2.7") ||
        !add_address("lo:2", "192.0.2.8"))
      _exit(3);
    Server server("192.0.2.7");
    const Fd client = connect_from(address("192.0.2.8"), server.here());
    _exit(server.next().kind == Kind::known ? 0 : 4);
  });
  const int status = host.reap_status();
  if (status == 2) GTEST_SKIP() << "no network namespaces in this container";
  EXPECT_EQ(status, 0);
}

TEST(SocketOwner, IsUnknownWithoutNetlink) {
  ForkedProcess process([&] {
    if (!testing::deny_netlink()) _exit(2);
    Server server("127.0.0.1");
    const Fd client = std::move(connect_to(server.here(), kHang).fd);
    const SocketOwner owner = server.next();
    _exit(owner.kind == Kind::unknown && owner.error == EAFNOSUPPORT ? 0 : 3);
  });
  const int status = process.reap_status();
  if (status == 2) GTEST_SKIP() << "no system call filters";
  EXPECT_EQ(status, 0);
}

// The kernel answers for the namespace of the netlink socket, not of the connection.
TEST(SocketOwner, IsUnknownInAnotherNetworkNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a network namespace";
  ForkedProcess process([&] {
    Server server("127.0.0.1");
    const Fd client = std::move(connect_to(server.here(), kHang).fd);
    if (unshare(CLONE_NEWNET) != 0) _exit(2);
    _exit(server.next().kind == Kind::unknown ? 0 : 3);
  });
  const int status = process.reap_status();
  if (status == 2) GTEST_SKIP() << "no network namespaces in this container";
  EXPECT_EQ(status, 0);
}

TEST(SocketOwner, OpensNoDescriptorThatStays) {
  Server server("127.0.0.1");
  const Fd client = std::move(connect_to(server.here(), kHang).fd);
  server.next();
  const Fd before(dup(0));
  for (int i = 0; i < 10; ++i) owner_of_peer(server.accepted, server.peer, IpProtocol::tcp);
  const Fd after(dup(0));
  EXPECT_EQ(after.get(), before.get() + 1);
}

struct UdpEnds {
  explicit UdpEnds(const std::string& host) : listening(bind_udp(address(host)).fd) {
    client = std::move(connect_udp(local_address(listening)).fd);
    from = local_address(client);
    server = std::move(connect_udp_sharing_port(listening, from).fd);
    EXPECT_TRUE(client && server);
  }
  SocketOwner owner() const { return owner_of_peer(server, from, IpProtocol::udp); }
  Fd listening, client, server;
  SocketAddress from;
};

TEST(OwnerOfAUdpPeer, IsThisUser) {
  for (const char* host : {"127.0.0.1", "::1", "::ffff:127.0.0.1"}) {
    const UdpEnds ends(host);
    EXPECT_EQ(ends.owner().kind, Kind::known) << host;
    EXPECT_EQ(ends.owner().uid, user_id()) << host;
  }
}

TEST(OwnerOfAUdpPeer, IsAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  UdpEnds ends("127.0.0.1");
  ends.client.reset();
  // The socket's owner is who creates it.
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  ForkedProcess other([&] {
    if (setuid(kNobody) != 0) ForkedProcess::fail();
    const Fd client(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const SocketAddress to = local_address(ends.listening);
    if (bind(client.get(), reinterpret_cast<const sockaddr*>(ends.from.storage), ends.from.length) != 0 ||
        connect(client.get(), reinterpret_cast<const sockaddr*>(to.storage), to.length) != 0)
      ForkedProcess::fail();
    if (write(ready[1], "", 1) != 1) ForkedProcess::fail();
    ForkedProcess::pause_forever();
  });
  close(ready[1]);
  char connected = 0;
  EXPECT_EQ(read(ready[0], &connected, 1), 1) << "the child has failed";
  close(ready[0]);
  EXPECT_EQ(ends.owner().kind, Kind::known);
  EXPECT_EQ(ends.owner().uid, kNobody);
}

TEST(OwnerOfAUdpPeer, IsNoneOnceThePeerHasClosed) {
  UdpEnds ends("127.0.0.1");
  ends.client.reset();
  EXPECT_EQ(ends.owner().kind, Kind::none);
}

// It would receive the server's datagrams, but has not made the connection.
TEST(OwnerOfAUdpPeer, IsNotThatOfAnUnconnectedSocketAtThePeersPort) {
  UdpEnds ends("127.0.0.1");
  ends.client.reset();
  const Fd later = std::move(bind_udp(ends.from).fd);
  ASSERT_TRUE(later);
  EXPECT_EQ(ends.owner().kind, Kind::none);
}

}  // namespace
}  // namespace orbweaver::platform
