// Connections that a server rejects or closes, and its log lines.
#include <gmock/gmock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/log.h"
#include "serving.h"

namespace orbtest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The text that is written to stderr until `act` returns and the server has ended.
template <class Act>
std::string log_of(Options options, Act&& act) {
  options.insert(options.end(), {"-ORBLog", "warn"});
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  {
    TestServer server("connection", options);
    act(server);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(RejectedConnection, WithoutARequestIsLoggedAsAWarning) {
  const std::string log = log_of({"-ORBTune", "handshake-timeout-ms=40"},
                                 [](TestServer& server) { EXPECT_TRUE(server.raw().is_closed()); });
  EXPECT_THAT(log, HasSubstr("ms after the connect (-ORBTune handshake-timeout-ms)"));
}

TEST(RejectedConnection, IsLoggedWithTheNamesThatTheAccessRulesCompare) {
  orbweaver::orb::Options options;
  ASSERT_TRUE(options.access->allow("name:DNS:radio-8.example"));
  orbweaver::orb::IncomingConnections incoming(options,
                                               std::make_shared<orbweaver::ReceiveBudget>(1'000'000));
  orbweaver::Peer peer;
  peer.address = "10.0.0.1:4711";
  peer.subject = "CN=radio-7";
  peer.names = {"DNS:radio-7.example", "IP:10.0.0.1"};
  orbweaver::log::set_level("warn");
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  EXPECT_NE(incoming.admit(orbweaver::transport::tcp_transport(), peer), nullptr);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("10.0.0.1:4711 (CN=radio-7, DNS:radio-7.example, IP:10.0.0.1) rejected"));
}

/// The first ten lines of a kind from one host are written.
TEST(RejectedConnection, IsCountedAtTheEndWithoutALaterOne) {
  const std::string log = log_of({"-ORBTune", "max-connections=1"}, [](TestServer& server) {
    RawPeer served = server.raw();
    served.sends(request(1, server.address().key, "_non_existent").bytes());
    EXPECT_TRUE(served.receives());
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(server.raw().is_closed());
  });
  EXPECT_THAT(log, AllOf(HasSubstr("(-ORBTune max-connections)"), HasSubstr(" similar lines suppressed")));
}

TEST(RejectedConnection, KeepsTheTimerUntilItsNumberIsReported) {
  bool busy_before = false, busy_after = true;
  const std::string log = log_of({"-ORBTune", "max-connections=1"}, [&](TestServer& server) {
    {
      RawPeer served = server.raw();
      served.sends(request(1, server.address().key, "_non_existent").bytes());
      EXPECT_TRUE(served.receives());
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(server.raw().is_closed());
    }
    EXPECT_TRUE(becomes_true([&] { return server.connections() == 0; }));
    server.incoming().enforce();
    busy_before = server.incoming().busy();
    orbweaver::log::report_suppressed();
    server.incoming().enforce();
    busy_after = server.incoming().busy();
  });
  // The timer itself may have reported them first.
  EXPECT_TRUE(busy_before || log.find(" similar lines suppressed") != std::string::npos);
  EXPECT_FALSE(busy_after);
}

/// Makes every thread with default attributes fail to start while it exists: no address space has its stack.
struct NoThreads {
  NoThreads() {
    pthread_getattr_default_np(&previous);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&previous);
    pthread_attr_destroy(&previous);
  }
  pthread_attr_t previous;
};

TEST(RejectedConnection, WithoutAThreadGetsCloseConnectionAndIsLogged) {
  const std::string log = log_of({}, [](TestServer& server) {
    {
      const NoThreads none;
      RawPeer peer = server.raw();
      const auto answer = peer.receives();
      ASSERT_TRUE(answer);
      EXPECT_EQ((*answer)[7], static_cast<std::uint8_t>(orbweaver::giop::MessageType::close_connection));
      EXPECT_TRUE(peer.is_closed());
    }
    RawPeer peer = server.raw();
    peer.sends(request(1, server.address().key, "_non_existent").bytes());
    EXPECT_TRUE(peer.receives()) << "a later connection is served";
  });
  EXPECT_THAT(log, AllOf(HasSubstr("connection rejected: tcp 127.0.0.1:"), HasSubstr("no thread: "),
                         HasSubstr("-ORBThreads pool:N")));
}

/// Limits the size of files, including memory files, while it exists.
struct SmallFiles {
  SmallFiles() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &previous);
    const rlimit small{65536, previous.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &previous); }
  rlimit previous{};
};

TEST(RejectedConnection, WithoutASharedSegmentIsLoggedWithTheCause) {
  const std::string log = log_of({}, [](TestServer& server) {
    TestOrb client(Options{"-ORBTransportPreference", "shm"});
    const CallsRef calls = client.unchecked(server.reference());
    {
      const SmallFiles small;
      EXPECT_THROW(calls->twice(1), CORBA::TRANSIENT);
    }
    EXPECT_EQ(calls->twice(1), 2);
  });
  EXPECT_THAT(log, AllOf(HasSubstr("connection rejected: shm: "), HasSubstr("File too large")));
}

}  // namespace
}  // namespace orbtest
