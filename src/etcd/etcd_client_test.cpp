// Calls of servers that are no etcd.
#include "etcd/etcd_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace orbweaver::etcd {
namespace {

using ::testing::HasSubstr;

/// Sends `slowly` octet by octet to each client, with a pause after each, until the client has gone. Before,
/// it sends `at_once`. Calls `when_connected` in a thread of its own before it accepts a connection.
class SlowServer {
 public:
  SlowServer(
      std::string at_once, std::string slowly, std::function<void()> when_connected = [] {})
      : at_once_(std::move(at_once)), slowly_(std::move(slowly)), when_connected_(std::move(when_connected)),
        listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    name_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::jthread([this] { serve(); });
  }
  ~SlowServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  const std::string& name() const { return name_; }
  std::atomic<bool> has_sent_all{false};

 private:
  void serve() {
    for (int client; (client = accepted()) >= 0; ::close(client)) {
      bool is_there = ::send(client, at_once_.data(), at_once_.size(), MSG_NOSIGNAL) >= 0;
      for (std::size_t i = 0; i < slowly_.size() && is_there; ++i) {
        is_there = ::send(client, &slowly_[i], 1, MSG_NOSIGNAL) == 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      if (is_there) has_sent_all = true;
    }
  }

  int accepted() {
    pollfd connected{listener_, POLLIN, 0};
    ::poll(&connected, 1, -1);
    when_connected_();
    return ::accept(listener_, nullptr, nullptr);
  }

  const std::string at_once_, slowly_;
  const std::function<void()> when_connected_;
  const int listener_;
  std::string name_;
  std::jthread thread_;
};

/// The error of a call with a deadline of 50 ms.
Error error_of_call(const SlowServer& server, bool tls = false) {
  EtcdOptions options;
  options.servers = {server.name()};
  options.attempt = std::chrono::milliseconds(50);
  options.tls = tls;
  EtcdClient client(options);
  auto reply = client.call("/v3/kv/range", EtcdClient::Json::object(), platform::Deadline::in_ms(50));
  EXPECT_FALSE(reply);
  return reply ? Error{} : reply.take_error();
}

TEST(EtcdClient, EndsACallAtItsDeadlineWhileTheHeadOfTheResponseArrives) {
  SlowServer server("", "HTTP/1.1 200 OK\r\nX-Slow: " + std::string(3000, 'x') + "\r\n\r\n");
  const Error error = error_of_call(server);
  EXPECT_EQ(error.kind, ErrorKind::transient);
  EXPECT_THAT(error.message, HasSubstr("does not answer"));
  EXPECT_FALSE(server.has_sent_all) << "the call has waited for the whole head";
}

TEST(EtcdClient, EndsACallAtItsDeadlineWhileTheBodyArrives) {
  SlowServer server("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n", std::string(3000, ' '));
  EXPECT_EQ(error_of_call(server).kind, ErrorKind::transient);
  EXPECT_FALSE(server.has_sent_all) << "the call has waited for the whole body";
}

TEST(EtcdClient, TellsWhyTheAttemptsBeforeTheDeadlineHaveFailed) {
  EtcdOptions options;
  options.servers = {"localhost:1"};
  EtcdClient client(options);
  for (int i = 0; i < 3; ++i) {
    const auto reply =
        client.call("/v3/kv/range", EtcdClient::Json::object(), platform::Deadline::in_ms(250));
    ASSERT_FALSE(reply);
    EXPECT_THAT(reply.error().message, HasSubstr("cannot be connected to"));
  }
}

/// Leaves one descriptor free in this process.
class OneFreeDescriptor {
 public:
  OneFreeDescriptor() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int free = ::dup(STDERR_FILENO);
    ::close(free);
    const rlimit one_more{static_cast<rlim_t>(free) + 1, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  }
  ~OneFreeDescriptor() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(EtcdClient, EndsACallAtItsDeadlineIfTheSocketTakesTheLastDescriptor) {
  std::optional<OneFreeDescriptor> limit;
  SlowServer server("", "HTTP/1.1 200 OK\r\nX-Slow: " + std::string(3000, 'x') + "\r\n\r\n",
                    [&] { limit.reset(); });
  limit.emplace();
  const Error error = error_of_call(server);
  EXPECT_EQ(error.kind, ErrorKind::transient);
  EXPECT_THAT(error.message, HasSubstr("does not answer"));
  EXPECT_FALSE(server.has_sent_all) << "the call has waited for the whole head";
}

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
TEST(EtcdClient, EndsACallAtItsDeadlineInTheTlsHandshake) {
  const char record[] = "\x16\x03\x03\x3f\xff";  // of a handshake, with 16,383 octets
  SlowServer server(std::string(record, 5), std::string(3000, '\x02'));
  const Error error = error_of_call(server, true);
  EXPECT_EQ(error.kind, ErrorKind::transient);
  EXPECT_THAT(error.message, HasSubstr("does not answer in the TLS handshake"));
  EXPECT_FALSE(server.has_sent_all) << "the call has waited for the whole record";
}
#endif

}  // namespace
}  // namespace orbweaver::etcd
