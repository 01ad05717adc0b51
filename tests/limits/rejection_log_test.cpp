// The log line of a connection that a limit rejects names the peer, the cause and the option.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "orb/server/incoming_connections.h"
#include "platform/descriptors.h"
#include "platform/process_identity.h"
#include "serving.h"

namespace orbtest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace orb = orbweaver::orb;
using Admission = std::unique_ptr<orb::IncomingConnections::Admission>;

orbweaver::Peer remote(int host) {
  orbweaver::Peer peer;
  peer.address = "10.0.0." + std::to_string(host) + ":4711";
  return peer;
}

orbweaver::Peer local() {
  orbweaver::Peer peer;
  peer.address = "process 7";
  peer.pid = 7;
  peer.uid = orbweaver::platform::user_id();
  return peer;
}

/// The number of open files that the process may have, while this exists.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t limit) {
    ::getrlimit(RLIMIT_NOFILE, &previous_);
    const rlimit lower{limit, previous_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  }
  ~DescriptorLimit() {
    for (const int each : opened_) ::close(each);
    ::setrlimit(RLIMIT_NOFILE, &previous_);
  }
  /// Opens files until fewer than `left` can be opened.
  void leave_less_than(std::size_t left) {
    while (orbweaver::platform::available_descriptors() >= left) {
      const int copy = ::dup(STDERR_FILENO);
      ASSERT_GE(copy, 0);
      opened_.push_back(copy);
    }
  }

 private:
  rlimit previous_{};
  std::vector<int> opened_;
};

class RejectionLog : public ::testing::Test {
 protected:
  RejectionLog() {
    orbweaver::log::set_level("warn");
    orbweaver::log::reset_limits();
    options_.max_connections = options_.max_connections_per_peer = 0;
    ::testing::internal::CaptureStderr();
  }

  /// Accepts `count` connections of a peer, over TCP or, for a local one, over a Unix socket.
  void accept(int count, const orbweaver::Peer& peer) {
    for (int i = 0; i < count; ++i) {
      accepted_.push_back(admit(peer));
      EXPECT_NE(accepted_.back(), nullptr) << i;
    }
  }
  /// The log after the rejection of a connection of this peer.
  std::string rejection(const orbweaver::Peer& peer) {
    EXPECT_EQ(admit(peer), nullptr);
    return ::testing::internal::GetCapturedStderr();
  }

  orb::Options options_;

 private:
  Admission admit(const orbweaver::Peer& peer) {
    return incoming_.admit(
        peer.pid <= 0 ? orbweaver::transport::tcp_transport() : orbweaver::transport::unix_transport(), peer);
  }

  orb::IncomingConnections incoming_{options_, std::make_shared<orbweaver::ReceiveBudget>(1'000'000)};
  std::vector<Admission> accepted_;
};

TEST_F(RejectionLog, NamesTheLimitOfAllConnections) {
  options_.max_connections = 2;
  accept(2, local());
  EXPECT_THAT(rejection(local()),
              HasSubstr("warn: connection rejected: unix process 7: there are 2 connections (-ORBTune "
                        "max-connections)"));
}

TEST_F(RejectionLog, NamesTheShareOfNetworkConnections) {
  options_.max_connections = 4;
  accept(3, remote(1));
  EXPECT_THAT(rejection(remote(2)),
              HasSubstr("connection rejected: tcp 10.0.0.2:4711: there are 3 network connections, of at most "
                        "three quarters of 4 (-ORBTune max-connections)"));
}

TEST_F(RejectionLog, NamesTheLimitOfAPeer) {
  options_.max_connections_per_peer = 2;
  accept(1, remote(2));
  accept(2, remote(1));
  EXPECT_THAT(rejection(remote(1)),
              AllOf(HasSubstr("connection rejected: tcp 10.0.0.1:4711: "),
                    HasSubstr("10.0.0.1 has 2 connections (-ORBTune max-connections-per-peer)")));
}

TEST_F(RejectionLog, NamesTheDescriptorsOfOneHost) {
  const DescriptorLimit limit(256);
  options_.reserved_descriptors = 16;
  accept(120, remote(1));
  EXPECT_THAT(rejection(remote(1)), HasSubstr("10.0.0.1 has 120 connections, half of the descriptors (ulimit "
                                              "-n, -ORBTune reserved-descriptors)"));
}

TEST_F(RejectionLog, NamesTheReservedDescriptors) {
  DescriptorLimit limit(256);
  options_.reserved_descriptors = 64;
  limit.leave_less_than(64);
  accept(1, local());
  EXPECT_THAT(rejection(remote(1)),
              HasSubstr("connection rejected: tcp 10.0.0.1:4711: this process may open only 63 more "
                        "descriptors (-ORBTune reserved-descriptors, ulimit -n)"));
}

TEST_F(RejectionLog, NamesTheReservedDescriptorsToLocalPeers) {
  DescriptorLimit limit(256);
  options_.reserved_descriptors = 64;
  limit.leave_less_than(16);
  EXPECT_THAT(rejection(local()),
              HasSubstr("unix process 7: this process may open only 15 more descriptors"));
}

TEST_F(RejectionLog, NamesThePeersThatTheAccessRulesDoNotAdmit) {
  EXPECT_TRUE(options_.access->deny("net:10.0.0.0/8"));
  accept(orb::IncomingConnections::kMaxRejected, remote(1));
  EXPECT_THAT(rejection(remote(2)), HasSubstr("tcp 10.0.0.2:4711: 16 connections not admitted by the access "
                                              "rules (-ORBAllow, -ORBDeny) are open"));
}

TEST_F(RejectionLog, NamesTheUserOfANetworkPeerOnThisHost) {
  const std::int64_t other = orbweaver::platform::user_id() + 1;
  accept(1, {"127.0.0.1:4711", 0, other});
  accept(1, {"127.0.0.1:4712", 0, -1});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("warn: tcp: 127.0.0.1:4711 of user " + std::to_string(other) +
                              " rejected: not admitted by the access rules (-ORBAllow, -ORBDeny)"),
                    HasSubstr("warn: tcp: 127.0.0.1:4712 of an unknown user of this host rejected: ")));
}

TEST_F(RejectionLog, IsEmptyForAcceptedConnections) {
  options_.max_connections = 3;
  options_.max_connections_per_peer = 2;
  accept(2, remote(1));
  accept(1, local());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("rejected")));
}

/// The text that is written to stderr until `act` returns and the server has ended.
template <class Act>
std::string log_of_server(const Options& options, Act&& act) {
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  {
    TestServer server("connection", options);
    act(server);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(ClosedConnection, IsLoggedWithTheTimeLimitOfItsMessage) {
  const std::string log =
      log_of_server({"-ORBLog", "warn", "-ORBTune", "message-timeout-ms=40"}, [](TestServer& server) {
        RawPeer peer = server.raw();
        const Octets whole = request(1, server.address().key, "_non_existent").bytes();
        peer.sends({whole.begin(), whole.begin() + 20});
        EXPECT_TRUE(peer.is_closed());
      });
  EXPECT_THAT(log, HasSubstr("message timeout (-ORBTune message-timeout-ms): incomplete message, "));
}

TEST(ClosedConnection, IsLoggedWithTheIdleTimeout) {
  const std::string log =
      log_of_server({"-ORBLog", "info", "-ORBTune", "idle-timeout-ms=40"}, [](TestServer& server) {
        RawPeer peer = server.raw();
        peer.sends(request(1, server.address().key, "_non_existent").bytes());
        EXPECT_TRUE(peer.receives());
        EXPECT_TRUE(peer.is_closed());
      });
  EXPECT_THAT(log, HasSubstr(" ms (-ORBTune idle-timeout-ms)"));
}

}  // namespace
}  // namespace orbtest
