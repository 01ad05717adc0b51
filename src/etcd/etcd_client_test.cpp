// Calls of servers that are no etcd.
#include "etcd/etcd_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace orbweaver::etcd {
namespace {

using ::testing::HasSubstr;

/// Sends the head of a response octet by octet to each client, with a pause after each, until the client has
/// gone.
class SlowServer {
 public:
  SlowServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
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
    for (int client; (client = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(client)) {
      const std::string head = "HTTP/1.1 200 OK\r\nX-Slow: " + std::string(3000, 'x') + "\r\n\r\n";
      bool is_there = true;
      for (std::size_t i = 0; i < head.size() && is_there; ++i) {
        is_there = ::send(client, &head[i], 1, MSG_NOSIGNAL) == 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      if (is_there) has_sent_all = true;
    }
  }

  const int listener_;
  std::string name_;
  std::jthread thread_;
};

TEST(EtcdClient, EndsACallAtItsDeadlineWhileTheHeadOfTheResponseArrives) {
  SlowServer server;
  EtcdOptions options;
  options.servers = {server.name()};
  options.attempt = std::chrono::milliseconds(50);
  EtcdClient client(options);
  const auto reply = client.call("/v3/kv/range", EtcdClient::Json::object(), platform::Deadline::in_ms(50));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::transient);
  EXPECT_THAT(reply.error().message, HasSubstr("does not answer"));
  EXPECT_FALSE(server.has_sent_all) << "the call has waited for the whole head";
}

}  // namespace
}  // namespace orbweaver::etcd
