// Clients that send too much, too slowly or nonsense.
#include "monitor/http/http_server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <list>
#include <stdexcept>
#include <thread>

#include "platform/resolver.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::monitor {
namespace {

using platform::Deadline;
using platform::testing::becomes_true;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A TCP connection to the server.
class Peer {
 public:
  explicit Peer(const std::string& address) {
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    const auto resolved = platform::resolve_tcp("127.0.0.1", port, false);
    socket_ = std::move(platform::connect_to(resolved.addresses.at(0), Deadline::never()).fd);
  }
  /// Stops if the server does not receive it.
  void send(std::string_view text) {
    while (!text.empty()) {
      const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      const auto sent = platform::send(socket_, bytes, platform::Blocking::yes);
      if (sent.error != 0) return;
      text.remove_prefix(sent.bytes);
    }
  }
  /// All bytes until the server closes the connection.
  std::string rest() {
    std::string text;
    std::uint8_t buffer[4096];
    for (;;) {
      const auto got = platform::recv(socket_, buffer, platform::Blocking::yes);
      if (got.bytes == 0) return text;
      text.append(reinterpret_cast<const char*>(buffer), got.bytes);
    }
  }
  void close() { socket_.reset(); }

 private:
  platform::Fd socket_;
};

class Server : public ::testing::Test {
 protected:
  void start() {
    HttpHandlers handlers;
    handlers.admit = [this](const HttpRequest& request) -> std::optional<Refusal> {
      ++admitted_;
      if (request.path == "/refused") return Refusal{403, "not this"};
      return std::nullopt;
    };
    handlers.answer = [this](const HttpRequest& request) {
      HttpResponse response;
      response.type = "text/plain";
      response.body = request.method + " " + request.path + " [" + request.body + "]";
      if (request.path == "/large") response.body.assign(50'000'000, 'x');
      if (request.path == "/throws") throw std::runtime_error("a secret");
      if (request.path == "/endless") response.next = [] { return std::string("again "); };
      if (request.path == "/count") count_connections_at_the_end();
      return response;
    };
    auto started = HttpServer::start("127.0.0.1:0", limits_, std::move(handlers));
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    counted_ = server_.get();
  }
  /// Counts the connections when the server has begun to end.
  void count_connections_at_the_end() {
    is_counting_ = true;
    EXPECT_TRUE(becomes_true([&] { return ends_.load(); }));
    counted_.load()->connections();
  }
  std::string answer(const std::string& request) {
    Peer peer(server_->address());
    peer.send(request);
    return peer.rest();
  }

  HttpLimits limits_;
  std::atomic<int> admitted_ = 0;
  std::atomic<bool> is_counting_ = false, ends_ = false;
  std::unique_ptr<HttpServer> server_;
  std::atomic<HttpServer*> counted_ = nullptr;  // server_, also while it ends
};

const std::string kEnd = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

TEST_F(Server, ServesSeveralRequestsOfAConnection) {
  start();
  // The second head arrives with the first one.
  const std::string text = answer("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b" + kEnd + "\r\n");
  EXPECT_THAT(text, HasSubstr("GET /a []"));
  EXPECT_THAT(text, HasSubstr("GET /b []"));
}

TEST_F(Server, ReadsABodyAndThenCloses) {
  start();
  const std::string text = answer(
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: "
      "x\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("POST /a [abc]"));
  EXPECT_THAT(text, HasSubstr("Connection: close"));
  EXPECT_EQ(admitted_, 1) << "what follows a body is no request";
}

TEST_F(Server, RefusesBeforeItReadsTheBody) {
  start();
  // The body never comes.
  EXPECT_THAT(answer("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"),
              HasSubstr("{\"error\":\"not this\"}"));
}

TEST_F(Server, RefusesHeadsThatAreTooLarge) {
  start();
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  while (many.size() <= kMaxHeadBytes) many += "X: " + std::string(1000, 'a') + "\r\n";
  EXPECT_THAT(answer(many), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(answer(std::string(kMaxHeadBytes + 4096, 'a')), StartsWith("HTTP/1.1 431 "));
  EXPECT_EQ(admitted_, 0);
}

TEST_F(Server, RefusesWhatIsNoHttp) {
  start();
  EXPECT_THAT(answer("GIOP\1\2\1\3\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer("GET /" + kEnd + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(answer("GET /" + kEnd + "Content-Length: 65537\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(admitted_, 0);
}

TEST_F(Server, ClosesConnectionsOfClientsThatSendNothing) {
  limits_.idle_ms = 50;
  start();
  EXPECT_EQ(Peer(server_->address()).rest(), "");
}

TEST_F(Server, ClosesConnectionsOfClientsThatAreTooSlow) {
  limits_.request_ms = 50;  // from the first byte on
  start();
  EXPECT_THAT(answer("GET / HTT"), StartsWith("HTTP/1.1 408 ")) << "sends half of a head";
  EXPECT_THAT(answer("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nab"),
              StartsWith("HTTP/1.1 4"))
      << "sends half of a body";
}

TEST_F(Server, ClosesConnectionsOfClientsThatDoNotRead) {
  limits_.write_ms = 50;
  start();
  Peer peer(server_->address());
  peer.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(becomes_true([&] { return admitted_ == 1 && server_->connections() == 0; }));
  EXPECT_LT(peer.rest().size(), 50'000'000u);
}

TEST_F(Server, RefusesConnectionsBeyondTheLimit) {
  limits_.connections = 2;
  start();
  std::list<Peer> peers;
  for (int i = 0; i < 2; ++i) peers.emplace_back(server_->address());
  ASSERT_TRUE(becomes_true([&] { return server_->connections() == 2; }));
  EXPECT_THAT(Peer(server_->address()).rest(), StartsWith("HTTP/1.1 503 "));
  peers.clear();
  EXPECT_TRUE(becomes_true([&] { return answer("GET /a" + kEnd + "\r\n").rfind("HTTP/1.1 200 ", 0) == 0; }));
}

TEST_F(Server, ClosesTheDescriptorsOfConnectionsThatHaveEnded) {
  // At once, not when a further client connects.
  start();
  const auto open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open();
  {
    std::list<Peer> peers;
    for (int i = 0; i < 5; ++i) peers.emplace_back(server_->address());
    ASSERT_TRUE(becomes_true([&] { return server_->connections() == 5; }));
  }
  EXPECT_TRUE(becomes_true([&] { return open() == before; }));
}

TEST_F(Server, EndsAnEndlessResponseWithItsClient) {
  start();
  Peer peer(server_->address());
  peer.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(becomes_true([&] { return admitted_ == 1; }));
  peer.close();
  EXPECT_TRUE(becomes_true([&] { return server_->connections() == 0; }));
}

TEST_F(Server, KeepsExceptionsToItself) {
  start();
  const std::string text = answer("GET /throws" + kEnd + "\r\n");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST_F(Server, EndsAllConnectionsWhenItEnds) {
  start();
  Peer idle(server_->address());
  Peer endless(server_->address());
  endless.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::thread reads([&] { endless.rest(); });
  EXPECT_TRUE(becomes_true([&] { return server_->connections() == 2 && admitted_ == 1; }));
  server_.reset();
  reads.join();
  EXPECT_EQ(idle.rest(), "");
}

// As /metrics of the monitor does.
TEST_F(Server, EndsWhileAResponseCountsItsConnections) {
  start();
  Peer counts(server_->address());
  counts.send("GET /count HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(becomes_true([&] { return is_counting_.load(); }));
  std::thread closed([&] {
    counts.rest();  // the server has shut its end of the connection down
    ends_ = true;
  });
  server_.reset();
  closed.join();
}

}  // namespace
}  // namespace orbweaver::monitor
