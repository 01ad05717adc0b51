#include <gmock/gmock.h>

#include <csignal>

#include "base/log.h"
#include "platform/resolver.h"
#include "platform/socket.h"
#include "tls/context.h"
#include "tls/testing/ends.h"
#include "transport/testing/resources.h"

/// Tests with peers that send invalid or incomplete TLS: other connections are not affected.
namespace orbweaver::tls::testing {
namespace {

using platform::Fd;
using ::testing::HasSubstr;
using transport::testing::fails_with;
using transport::testing::ok;

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

class TlsHostilePeer : public ::testing::Test {
 protected:
  Fd raw_connection(const Server& server) {
    return std::move(
        platform::connect_to(platform::resolve_tcp("127.0.0.1", server.port(), false).addresses.at(0),
                             Deadline::in_ms(120'000))
            .fd);
  }
  /// True once the server has closed the connection; false after a timeout.
  static bool is_ended(const Fd& socket) {
    const Deadline deadline = Deadline::in_ms(120'000);
    std::uint8_t room[1024];
    while (platform::poll(socket, platform::kReadable, deadline) != 0) {
      const auto got = platform::recv(socket, room, platform::Blocking::no);
      if (got.bytes == 0) return true;
    }
    return false;
  }

  Authority authority_{"Authority"};
  Parameters server_ = trusting(authority_) + with_certificate(authority_.issue({"server"}));
  Parameters client_ = trusting(authority_) + with_certificate(authority_.issue({"client"}));
};

/// Returns the first bytes that a client sends.
std::vector<std::uint8_t> client_hello(const Parameters& parameters) {
  auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 1);
  const std::string address = platform::local_address(listener.fd).text();
  std::thread calling([&] { EXPECT_FALSE(connect(address, parameters)); });
  const Fd socket = std::move(platform::accept_from(listener.fd, Deadline::in_ms(120'000)).fd);
  platform::poll(socket, platform::kReadable, Deadline::in_ms(120'000));
  std::vector<std::uint8_t> hello(4096);
  hello.resize(platform::recv(socket, hello, platform::Blocking::yes).bytes);
  platform::shutdown_both(socket);
  calling.join();
  return hello;
}

TEST_F(TlsHostilePeer, IsRejectedWithoutTls) {
  Server server(server_);
  for (const std::string malformed :
       {"GET / HTTP/1.1\r\n\r\n", "GIOP\1\2\1\0\0\0\0\4....", "\x16\x03\x01\xff\xff rubbish"}) {
    const Fd socket = raw_connection(server);
    platform::send(socket, bytes_of(malformed + std::string(600, 'x')), platform::Blocking::yes);
    EXPECT_TRUE(is_ended(socket)) << malformed;
  }
  EXPECT_EQ(call_error(server.address(), client_), "");
}

TEST_F(TlsHostilePeer, AffectsNoOtherConnectionWithAMutatedHello) {
  const auto hello = client_hello(client_);
  ASSERT_GT(hello.size(), 100u);
  Server server(server_);
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    auto changed = hello;
    if (i % 2 == 0)
      changed.resize(random() % hello.size());
    else
      changed[random() % hello.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    const Fd socket = raw_connection(server);
    platform::send(socket, changed, platform::Blocking::yes);
    platform::shutdown_sending(socket);
    EXPECT_TRUE(is_ended(socket)) << i;
  }
  EXPECT_EQ(call_error(server.address(), client_), "");
  EXPECT_EQ(server.peers().size(), 1u);
}

TEST_F(TlsHostilePeer, DelaysNoOtherConnectionWhenSilent) {
  Server server(server_);
  const auto hello = client_hello(client_);
  std::vector<Fd> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(raw_connection(server));
    if (i % 2 == 0)
      platform::send(silent.back(), std::span(hello).first(hello.size() / 2), platform::Blocking::yes);
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call_error(server.address(), client_), "");
}

TEST_F(TlsHostilePeer, IsRejectedAfterTheHandshakeTimeout) {
  Server server(server_ + Parameters{{"handshake-timeout-ms", "50"}});
  const std::size_t before = transport::testing::descriptors();
  const Fd one = raw_connection(server), other = raw_connection(server);
  EXPECT_TRUE(is_ended(one));
  EXPECT_TRUE(is_ended(other));
  EXPECT_LE(transport::testing::descriptors(), before + 2) << "the server kept its ends";
}

TEST_F(TlsHostilePeer, DoesNotBlockNewClients) {
  Server server(server_);
  std::vector<Fd> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(raw_connection(server));
  EXPECT_EQ(call_error(server.address(), client_), "");
  EXPECT_TRUE(is_ended(silent.front()));
}

TEST_F(TlsHostilePeer, IsLimitedPerHost) {
  Server server(server_ + Parameters{{"handshake-timeout-ms", "600000"}});
  std::vector<Fd> silent;
  for (int i = 0; i < 65; ++i) silent.push_back(raw_connection(server));
  EXPECT_TRUE(is_ended(silent.front()));
  EXPECT_EQ(call_error(server.address(), client_), "");
}

TEST_F(TlsHostilePeer, IsRejectedBeforeTheHandshakeWhenFull) {
  std::atomic<bool> has_room{false};
  std::mutex mutex;
  std::string asked_for;
  Server server(server_ + Parameters{{"handshake-timeout-ms", "600000"}}, [&](const Peer& peer) {
    const std::lock_guard lock(mutex);
    asked_for = peer.address;
    return has_room.load();
  });
  EXPECT_TRUE(is_ended(raw_connection(server)));
  {
    const std::lock_guard lock(mutex);
    EXPECT_THAT(asked_for, HasSubstr("127.0.0.1:"));
  }
  has_room = true;
  EXPECT_EQ(call_error(server.address(), client_), "");
}

TEST_F(TlsHostilePeer, WithNewerVersionsOnlyIsLoggedWithoutBlamingEitherEnd) {
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  {
    Server server(server_ + Parameters{{"max-version", "1.2"}});
    EXPECT_THAT(call_error(server.address(), client_ + Parameters{{"min-version", "1.3"}}),
                HasSubstr("no version of TLS"));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the two have no version of TLS in common (tls.min-version, tls.max-version"));
}

TEST_F(TlsHostilePeer, TimesOutConnectingToASilentServer) {
  const auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 16);
  const std::string address = platform::local_address(listener.fd).text();
  EXPECT_TRUE(fails_with(ErrorKind::timed_out, connect(address, client_, Deadline::in_ms(50))));
  EXPECT_TRUE(fails_with(ErrorKind::timed_out,
                         connect(address, client_ + Parameters{{"handshake-timeout-ms", "50"}})));
}

TEST_F(TlsHostilePeer, ReportsAServerWithoutTls) {
  auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 16);
  const std::string address = platform::local_address(listener.fd).text();
  std::thread serving([&] {
    const Fd socket = std::move(platform::accept_from(listener.fd, Deadline::in_ms(120'000)).fd);
    platform::send(socket, bytes_of("SSH-2.0-OpenSSH_9.2\r\n"), platform::Blocking::yes);
    is_ended(socket);
  });
  const auto channel = connect(address, client_);
  serving.join();
  ASSERT_TRUE(fails_with(ErrorKind::unavailable, channel));
  EXPECT_THAT(channel.error().message, HasSubstr("not TLS"));
}

/// Sends records without data until the server closes the connection: true; false after very many.
bool is_ended_for_new_keys(const Server& server, const Parameters& parameters) {
  const ContextPtr context = *make_context(*read_settings(parameters), Role::client);
  const SslPtr ssl(SSL_new(context.get()));
  const Fd socket =
      std::move(platform::connect_to(platform::resolve_tcp("127.0.0.1", server.port(), false).addresses.at(0),
                                     Deadline::in_ms(120'000))
                    .fd);
  SSL_set_fd(ssl.get(), socket.get());
  EXPECT_EQ(SSL_connect(ssl.get()), 1);
  std::vector<std::uint8_t> half(1000);
  transport::testing::write_header(half.data(), 2 * half.size(), 1);
  EXPECT_EQ(SSL_write(ssl.get(), half.data(), static_cast<int>(half.size())), 1000);
  for (int i = 0; i < 200'000; ++i) {
    if (SSL_key_update(ssl.get(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1 || SSL_do_handshake(ssl.get()) != 1) {
      ERR_clear_error();
      return true;
    }
  }
  return false;
}

TEST_F(TlsHostilePeer, IsDisconnectedAndLoggedAfterKeyUpdatesWithoutData) {
  ::signal(SIGPIPE, SIG_IGN);  // raised by OpenSSL's socket BIO
  Server server(server_);
  log::reset_limits();
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(is_ended_for_new_keys(server, client_));
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, HasSubstr("warn: connection with 127.0.0.1:"));
  EXPECT_THAT(lines, HasSubstr("bytes of TLS records without data"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  EXPECT_EQ(call_error(server.address(), client_), "");
}

TEST_F(TlsHostilePeer, DoesNotOccupyANonBlockingReceiver) {
  auto ends = transport::testing::connect_ends(*make_tls(), "", options_with(client_), options_with(server_));
  constexpr std::size_t kLarge = std::size_t{8} << 20;
  std::thread sending(
      [&] { (void)transport::testing::send_frame(*ends.near, kLarge, 1, Deadline::in_ms(120'000)); });
  // Each call reads at most about 160 KiB of the available bytes.
  int turns = 0;
  for (;; ++turns) {
    std::array<platform::PollItem, 1> item{
        {{ends.far->capabilities().readiness->descriptor(), platform::kReadable, 0}}};
    ASSERT_NE(platform::poll(item, Deadline::in_ms(120'000)), 0);
    const auto frame = ends.far->receive(Deadline{0});
    if (frame) break;
    ASSERT_EQ(frame.error().kind, ErrorKind::timed_out) << frame.error().message;
  }
  sending.join();
  EXPECT_GE(turns, 40);
}

/// A relay between two ends that changes the bytes.
class TamperingProxy {
 public:
  explicit TamperingProxy(std::uint16_t port)
      : port_(port),
        listener_(std::move(
            platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 16).fd)) {}
  std::string address() const { return platform::local_address(listener_).text(); }
  /// Relays both directions, and passes one direction's bytes through `change`; if that returns false, both
  /// connections are closed.
  void run(const std::function<bool(MutableBytes)>& change) {
    const Fd client = std::move(platform::accept_from(listener_, Deadline::in_ms(120'000)).fd);
    const Fd server =
        std::move(platform::connect_to(platform::resolve_tcp("127.0.0.1", port_, false).addresses.at(0),
                                       Deadline::in_ms(120'000))
                      .fd);
    std::uint8_t room[8192];
    for (;;) {
      std::array<platform::PollItem, 2> items{
          {{client.get(), platform::kReadable, 0}, {server.get(), platform::kReadable, 0}}};
      if (platform::poll(items, Deadline::in_ms(120'000)) == 0) return;
      for (int from_server = 0; from_server < 2; ++from_server) {
        if (items[static_cast<std::size_t>(from_server)].ready == 0) continue;
        const auto got = platform::recv(from_server == 1 ? server : client, room, platform::Blocking::no);
        if (got.bytes == 0) return;
        const MutableBytes bytes(room, got.bytes);
        if (from_server == 1 && !change(bytes)) return;
        platform::send(from_server == 1 ? client : server, bytes, platform::Blocking::yes);
      }
    }
  }

 private:
  const std::uint16_t port_;
  const Fd listener_;
};

TEST_F(TlsHostilePeer, DisconnectsOnTamperedBytes) {
  Server server(server_);
  TamperingProxy proxy(server.port());
  std::atomic<bool> shaken{false};
  std::thread passing([&] {
    proxy.run([&](MutableBytes bytes) {
      if (shaken) bytes.back() ^= 1;
      return true;
    });
  });
  auto channel = connect(proxy.address(), client_);
  ASSERT_TRUE(ok(channel));
  ASSERT_TRUE(ok(exchange(**channel)));
  shaken = true;
  const auto result = exchange(**channel);
  ASSERT_TRUE(fails_with(ErrorKind::disconnected, result));
  EXPECT_THAT(result.error().message, HasSubstr("changed in transit"));
  (*channel)->close();
  passing.join();
}

TEST_F(TlsHostilePeer, DistinguishesTruncationFromClose) {
  Server server(server_);
  TamperingProxy proxy(server.port());
  std::atomic<bool> cut{false};
  std::thread passing([&] { proxy.run([&](MutableBytes) { return !cut; }); });
  auto channel = connect(proxy.address(), client_);
  ASSERT_TRUE(ok(channel));
  ASSERT_TRUE(ok(exchange(**channel)));
  cut = true;
  const auto result = exchange(**channel);
  passing.join();
  ASSERT_TRUE(fails_with(ErrorKind::disconnected, result));
  EXPECT_THAT(result.error().message, HasSubstr("no close_notify"));

  auto ends = transport::testing::connect_ends(*make_tls(), "", options_with(client_), options_with(server_));
  ends.far->close();
  const auto closed = ends.near->receive(Deadline::in_ms(120'000));
  ASSERT_TRUE(fails_with(ErrorKind::disconnected, closed));
  EXPECT_THAT(closed.error().message, HasSubstr("closed the connection"));
}

}  // namespace
}  // namespace orbweaver::tls::testing
