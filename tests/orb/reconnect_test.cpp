// Connections that are closed while idle: the next call takes a new connection, and no request is sent twice.
#include <gmock/gmock.h>

#include <orbweaver/flush.h>

#include <mutex>
#include <optional>

#include "giop/request.h"
#include "orb/minor_codes.h"
#include "platform/testing/thread_observer.h"
#include "testing/raw_peer.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using giop::MessageType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// How a server closes a connection after its first reply.
struct CloseMode {
  const char* name;
  void (*leave)(RawPeer& peer);
};
void PrintTo(const CloseMode& leaving, std::ostream* out) { *out << leaving.name; }

std::string operation_of(const Octets& message, std::uint32_t& id) {
  const auto header = giop::parse_header(message);
  giop::RequestHeader request;
  orbweaver::cdr::Decoder in = giop::open_body(message, *header);
  if (!giop::decode_request(in, header->version, request)) return "malformed";
  id = request.request_id;
  return std::string(request.operation);
}

/// A server that closes its first connection after one request. Records each request as "connection
/// operation".
class ClosingServer : public ::testing::TestWithParam<CloseMode> {
 protected:
  ClosingServer() {
    server_.emplace([this](RawPeer& peer) { serve(peer); });
    calls = client.unchecked(server_->reference());
  }
  void TearDown() override { client.destroy(); }

  /// Waits until the server has closed its first connection and the client regards that connection as idle.
  void wait_until_closed() {
    EXPECT_TRUE(becomes_true([this] { return left_.load(); }));
    std::this_thread::sleep_for(2ms);  // longer than the idle threshold
  }
  std::vector<std::string> served() {
    const std::lock_guard lock(mutex_);
    return served_;
  }
  /// Expects that nothing arrived on the first connection after its close.
  void expect_first_connection_unused() {
    client.destroy();
    for (RawPeer& peer : parked_) EXPECT_FALSE(peer.receives());
  }

  TestOrb client{Options{"-ORBCallTimeout", "120000", "-ORBTransportPreference", "tcp"}};
  CallsRef calls;

 private:
  void serve(RawPeer& peer) {
    const std::string connection = std::to_string(++connections_) + " ";
    while (const auto message = peer.receives()) {
      std::uint32_t id = 0;
      const std::string operation = operation_of(*message, id);
      {
        const std::lock_guard lock(mutex_);
        served_.push_back(connection + operation);
      }
      if (operation != "note") peer.sends(reply(id).ulong(static_cast<std::uint32_t>(connections_)).bytes());
      if (connections_ > 1) continue;
      GetParam().leave(peer);
      parked_.push_back(std::move(peer));
      left_ = true;
      return;
    }
  }

  std::optional<RawServer> server_;
  int connections_ = 0;  // used by the server's thread only, like parked_
  std::vector<RawPeer> parked_;
  std::atomic<bool> left_{false};
  std::mutex mutex_;
  std::vector<std::string> served_;
};

TEST_P(ClosingServer, IsCalledOverANewConnection) {
  EXPECT_EQ(calls->twice(1), 1);
  wait_until_closed();
  EXPECT_EQ(calls->twice(1), 2);
  EXPECT_THAT(served(), ElementsAre("1 twice", "2 twice"));
  expect_first_connection_unused();
}

TEST_P(ClosingServer, ReceivesOneWaysOverANewConnection) {
  EXPECT_EQ(calls->twice(1), 1);
  wait_until_closed();
  calls->note(1);
  calls->note(2);
  EXPECT_EQ(calls->twice(1), 2);
  EXPECT_THAT(served(), ElementsAre("1 twice", "2 note", "2 note", "2 twice"));
  expect_first_connection_unused();
}

Octets close_connection() { return Message(MessageType::close_connection).bytes(); }

INSTANTIATE_TEST_SUITE_P(CloseModes, ClosingServer,
                         ::testing::Values(CloseMode{"Closes", [](RawPeer& peer) { peer.closes(); }},
                                           CloseMode{"HalfCloses", [](RawPeer& peer) { peer.half_closes(); }},
                                           CloseMode{"Resets", [](RawPeer& peer) { peer.resets(); }},
                                           CloseMode{"SendsCloseConnection",
                                                     [](RawPeer& peer) { peer.sends(close_connection()); }},
                                           CloseMode{"SendsCloseConnectionAndCloses",
                                                     [](RawPeer& peer) {
                                                       peer.sends(close_connection());
                                                       peer.closes();
                                                     }}),
                         [](const auto& i) { return std::string(i.param.name); });

/// A server which closes while the next call is sent: an uncertain outcome is raised as COMPLETED_MAYBE, and
/// no request is served twice.
TEST(StaleConnection, IsNeverUsedToSendARequestTwice) {
  std::vector<std::int32_t> served;
  std::optional<RawServer> server(std::in_place, [&](RawPeer& peer) {
    const auto message = peer.receives();
    if (!message) return;
    std::uint32_t id = 0;
    operation_of(*message, id);
    std::int32_t n = 0;
    std::memcpy(&n, message->data() + message->size() - 4, 4);
    served.push_back(n);
    peer.sends(reply(id).ulong(static_cast<std::uint32_t>(n)).bytes());
  });
  TestOrb client{Options{"-ORBCallTimeout", "120000", "-ORBTransportPreference", "tcp"}};
  const CallsRef calls = client.unchecked(server->reference());
  std::vector<std::int32_t> answered;
  for (std::int32_t n = 1; n <= 300; ++n) {
    try {
      EXPECT_EQ(calls->twice(n), n);
      answered.push_back(n);
    } catch (const CORBA::COMM_FAILURE& e) {
      EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
    } catch (const CORBA::TRANSIENT& e) {  // the next connection ended in the same way
      EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    }
  }
  client.destroy();
  server.reset();
  EXPECT_EQ(served, answered);
}

struct RestartedServer : ::testing::TestWithParam<std::string> {
  std::string port = free_port();
  std::vector<std::string> options = {"-ORBListen", "tcp:127.0.0.1:" + port + ",mqueue:orbweaver-test-mq-" +
                                                        port + ",unix:@orbweaver-test-stale-" + port +
                                                        ",shm:orbweaver-test-shm-" + port};
  std::optional<ServerProcess> server{std::in_place, options};

  /// Kills the server and starts another one, once the thread that watches connections has reported the
  /// close: a claim over shm, and a connection with queued calls, detect it only then.
  void restart() {
    server->kill();
    EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
    server.emplace(options);
  }
};

TEST_P(RestartedServer, IsCalledWithoutAnException) {
  TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
  const CallsRef calls = client.at(server->persistent());
  const std::int32_t first = calls->process();
  restart();
  EXPECT_NE(calls->process(), first);
}

TEST_P(RestartedServer, ReceivesOneWayCallsWithoutLoss) {
  TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
  const CallsRef calls = client.at(server->persistent());
  calls->process();
  restart();
  calls->note(7);
  EXPECT_THAT(calls->notes(), ElementsAre(7));
}

/// Calls that were queued when the server was killed are lost. flush() reports it once per reference, even
/// after a reconnect.
TEST_P(RestartedServer, ReportsLostQueuedCallsAfterReconnect) {
  TestOrb client{Options{"-ORBTransportPreference", GetParam(), "-ORBTune", "batch-delay-us=60000000",
                         "-ORBLog", "off"}};
  const CallsRef calls = client.at(server->persistent()), other = client.at(server->persistent());
  calls->process();
  other->process();
  calls->note(1);
  calls->note(2);
  restart();
  calls->process();  // over a new connection
  const auto flushed = [](const CallsRef& object) {
    return raised_by<CORBA::COMM_FAILURE>([&] { orbweaver::flush(object); }, orbweaver::minor::kPeerLost);
  };
  EXPECT_THAT(flushed(calls), HasSubstr("up to 2"));
  EXPECT_EQ(flushed(calls), "nothing was raised") << "reported once only";
  EXPECT_THAT(flushed(other), HasSubstr("up to 2")) << "it used the same connection";
  calls->note(3);
  orbweaver::flush(calls);
  EXPECT_THAT(calls->notes(), ElementsAre(3));
}

TEST_P(RestartedServer, ReceivesCallbacksWithoutAnException) {
  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb between{Options{"-ORBTransportPreference", GetParam()}}, client;
  const CallsRef calls = client.at(between.serve(servant));
  const CallsRef restarted = client.unchecked(server->persistent());
  EXPECT_EQ(calls->ask(restarted, 4), 8);
  restart();
  EXPECT_EQ(calls->ask(restarted, 5), 10);
}

INSTANTIATE_TEST_SUITE_P(Transports, RestartedServer, ::testing::Values("tcp", "unix", "mqueue", "shm"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbtest
