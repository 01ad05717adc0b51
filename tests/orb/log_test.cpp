// Text of a peer in the server's log and in the exceptions of a client: escaped, and limited in length and
// rate.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/log.h"
#include "orb/reference/published_endpoints.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "\x1b[2J\nroot logged in\r\xff";
constexpr const char* kEscaped = "\\x1b[2J\\x0aroot logged in\\x0d\\xff";

/// The text that a server writes to stderr while its clients run `act`.
template <class Act>
std::string log_of_server(Act&& act) {
  orbweaver::log::reset_limits();
  testing::internal::CaptureStderr();
  {
    TestOrb server({"-ORBListen", "tcp", "-ORBLog", "warn"});
    const ServantRef servant = CORBA::make_reference<Servant>();
    act(server, where(server.serve(servant)));
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ServerLog, EscapesTextFromPeers) {
  const std::string log = log_of_server([](TestOrb&, const Where& address) {
    RawPeer peer = RawPeer::to(address.port);
    peer.sends(request(1, address.key, kEvil, Order::little, 0)
                   .bytes());  // a one-way request with an unknown operation
    peer.sends(request(2, address.key, "_non_existent").bytes());
    EXPECT_TRUE(peer.receives());
  });
  EXPECT_THAT(log, HasSubstr(kEscaped));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_THAT(log, Not(HasSubstr("\x1b")));
}

TEST(ServerLog, LimitsTheLengthOfALine) {
  const std::string log = log_of_server([](TestOrb&, const Where& address) {
    RawPeer peer = RawPeer::to(address.port);
    peer.sends(request(1, address.key, std::string(1'000'000, 'x'), Order::little, 0).bytes());
    peer.sends(request(2, address.key, "_non_existent").bytes());
    EXPECT_TRUE(peer.receives());
  });
  EXPECT_THAT(log, HasSubstr("bytes more)"));
  EXPECT_LT(log.size(), 5000u);
}

TEST(ServerLog, LimitsLinesPerPeerAndCountsTheSuppressedOnes) {
  constexpr int kLines = 20'000;
  const std::string log = log_of_server([](TestOrb&, const Where& address) {
    RawPeer peer = RawPeer::to(address.port);
    for (int i = 0; i < kLines; ++i) peer.sends(request(1, address.key, "nothing", Order::little, 0).bytes());
    peer.sends(request(2, address.key, "_non_existent").bytes());
    EXPECT_TRUE(peer.receives());
  });
  int written = 0;
  long suppressed = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t count = line.find("… ");
    if (count != std::string::npos)
      suppressed += std::stol(line.substr(count + std::string("… ").size()));
    else
      ++written;
  }
  EXPECT_EQ(written + suppressed, kLines);
  EXPECT_LT(written, kLines / 10);
  EXPECT_THAT(log, HasSubstr("similar lines suppressed: one-way failed, from 127.0.0.1"));
}

TEST(ServerLog, TreatsConnectionsOfOneHostAsOneOrigin) {
  const std::string log = log_of_server([](TestOrb&, const Where& address) {
    for (int i = 0; i < 200; ++i) {
      RawPeer peer = RawPeer::to(address.port);
      peer.sends(reply(1).bytes());  // only servers send replies
      EXPECT_TRUE(peer.is_closed());
    }
  });
  EXPECT_THAT(log, HasSubstr("similar lines suppressed"));
}

TEST(ServerLog, ReportsAnUnknownVersionThatIsAnsweredWithMessageError) {
  const std::string log = log_of_server([](TestOrb&, const Where& address) {
    RawPeer peer = RawPeer::to(address.port);
    peer.sends({'G', 'I', 'O', 'P', 1, 3, 1, 0, 4, 0, 0, 0, 1, 2, 3, 4});
    const auto answer = peer.receives();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->at(7), static_cast<std::uint8_t>(orbweaver::giop::MessageType::message_error));
    EXPECT_TRUE(peer.is_closed());
  });
  EXPECT_THAT(log, HasSubstr("warn: connection from 127.0.0.1:"));
  EXPECT_THAT(log, HasSubstr("unsupported GIOP version 1.3"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST(ClientException, EscapesTextFromServers) {
  const RawServer server([](RawPeer& peer) {
    while (const auto message = peer.receives()) {
      std::uint32_t id = 0;
      std::memcpy(&id, message->data() + 12, 4);
      Message answer = reply(id, 2);  // a system exception
      answer.text(std::string("IDL:") + kEvil + ":1.0").ulong(0).ulong(1);
      peer.sends(answer.bytes());
    }
  });
  TestOrb client({"-ORBTransportPreference", "tcp"});
  try {
    client.unchecked(server.reference())->twice(1);
    FAIL();
  } catch (const CORBA::SystemException& e) {
    EXPECT_THAT(e.what(), HasSubstr(kEscaped));
    EXPECT_THAT(e.detail(), HasSubstr(kEscaped));
  }
}

TEST(SystemException, HasAPrintableWhat) {
  const CORBA::UNKNOWN e(1, CORBA::CompletionStatus::COMPLETED_NO, kEvil);
  EXPECT_THAT(e.what(), HasSubstr(kEscaped));
}

TEST(ClientLog, HasTheFailureOfAPreferredEndpoint) {
  TestOrb server({"-ORBListen", "tcp"});
  const Where address = where(server.serve(CORBA::make_reference<Servant>()));
  testing::internal::CaptureStderr();
  {
    TestOrb client({"-ORBTransportPreference", "shm,tcp", "-ORBLog", "debug"});
    EXPECT_EQ(client.unchecked(reference_to(address.port, address.key, "nowhere"))->twice(1), 2);
  }
  orbweaver::log::set_level("warn");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::ContainsRegex("that failed: shm: .*nowhere"));
}

/// The log of a server with these options that has created a reference.
std::string log_of_start(Options options) {
  options.insert(options.end(), {"-ORBLog", "warn"});
  testing::internal::CaptureStderr();
  {
    TestOrb server(options);
    server.serve(CORBA::make_reference<Servant>());
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ServerLog, WarnsOfAPublishedAddressThatOtherHostsCannotUse) {
  const std::string log = log_of_start({"-ORBListen", "tcp:0.0.0.0:0,shm"});
  EXPECT_THAT(log, HasSubstr("references contain tcp 0.0.0.0:"));
  EXPECT_THAT(log, HasSubstr("add -ORBPublishHost NAME"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_EQ(log_of_start({"-ORBListen", "tcp:0.0.0.0:0", "-ORBPublishHost", "radio.example"}), "");
  EXPECT_EQ(log_of_start({"-ORBListen", "tcp"}), "");
  EXPECT_EQ(log_of_start({"-ORBListen", "tcp:127.0.0.1:0"}), "");
}

TEST(ServerLog, WarnsOfAListenerOnAllInterfacesInEitherNotation) {
  using orbweaver::orb::unusable_addresses;
  const auto* tcp = &orbweaver::transport::tcp_transport();
  EXPECT_EQ(unusable_addresses({{tcp, "[::]:4711", {}}, {tcp, "10.0.0.7:1", {}}, {tcp, "0.0.0.0:2", {}}}, ""),
            "tcp [::]:4711, tcp 0.0.0.0:2");
  EXPECT_EQ(unusable_addresses({{tcp, "[::1]:4711", {}}, {tcp, "[fd00::]:1", {}}}, ""), "");
  EXPECT_EQ(unusable_addresses({{tcp, "[::]:4711", {}}}, "radio.example"), "");
}

TEST(Log, NamesTheEndpointsThatReferencesOmitWithoutAHostIdentity) {
  using orbweaver::orb::unpublished_endpoints;
  const std::vector<orbweaver::orb::PublishedEndpoint> published = {
      {&orbweaver::transport::shm_transport(), "a", {}},
      {&orbweaver::transport::tcp_transport(), "127.0.0.1:1", {}},
      {&orbweaver::transport::unix_transport(), "/b", {}}};
  EXPECT_EQ(unpublished_endpoints(published, ""), "shm, unix");
  EXPECT_EQ(unpublished_endpoints(published, "0123456789abcdef"), "");
}

}  // namespace
}  // namespace orbtest
