// Killed servers, orderly shutdown, timeouts, and resources after destroy.
#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <vector>

#include "orb/minor_codes.h"
#include "platform/testing/waiting_thread.h"
#include "testing/giop_builder.h"
#include "testing/raw_peer.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"
#include "testing/time_limit.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;
using ::testing::HasSubstr;
namespace minor = orbweaver::minor;

/// Parameter: transport and wait strategy, such as "shm" and "spin".
class KilledServer : public ::testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  TestOrb client{Options{"-ORBTransportPreference", GetParam().first, "-ORBWait", GetParam().second}};
};

TEST_P(KilledServer, RaisesCommFailureForAPendingCall) {
  ServerProcess server;
  const CallsRef calls = client.at(server.persistent());
  std::thread killer([&] {
    TestOrb other;
    const CallsRef asking = other.at(server.persistent());
    EXPECT_TRUE(becomes_true([&] { return asking->most_at_once() == 1; }));  // the call is in the servant
    server.kill();
  });
  try {
    calls->slow(60'000, 1);
    ADD_FAILURE() << "a killed server has replied";
  } catch (const CORBA::COMM_FAILURE& e) {
    EXPECT_EQ(e.minor(), minor::kPeerLost);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
  killer.join();
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { calls->twice(1); }, minor::kNoUsableEndpoint),
              HasSubstr(GetParam().first + ": "));
}

TEST_P(KilledServer, WakesEveryWaitingThread) {
  ServerProcess server;
  const CallsRef calls = client.at(server.persistent());
  std::atomic<int> failed_calls{0};
  std::vector<std::unique_ptr<WaitingThread>> callers;
  for (int i = 0; i < 4; ++i) {
    callers.push_back(std::make_unique<WaitingThread>([&] {
      try {
        calls->slow(60'000, 1);
      } catch (const CORBA::SystemException&) {
        ++failed_calls;
      }
    }));
  }
  for (const auto& caller : callers) EXPECT_TRUE(caller->waits());
  server.kill();
  callers.clear();  // joins
  EXPECT_EQ(failed_calls, 4);
}

INSTANTIATE_TEST_SUITE_P(Transports, KilledServer,
                         ::testing::Values(std::pair("shm", "spin"), std::pair("shm", "adaptive"),
                                           std::pair("shm", "block"), std::pair("unix", "adaptive"),
                                           std::pair("unix", "block"), std::pair("tcp", "adaptive"),
                                           std::pair("tcp", "block")),
                         [](const auto& i) { return i.param.first + "_" + i.param.second; });

TEST(Restart, KeepsPersistentReferencesAndInvalidatesTransientOnes) {
  const std::string port = free_port();
  const std::vector<std::string> options = {"-ORBListen", "tcp:127.0.0.1:" + port + ",shm:orbweaver-test-" +
                                                              port + ",unix:@orbweaver-test-unix-" + port};
  for (const char* transport : {"tcp", "shm", "unix"}) {
    TestOrb client{Options{"-ORBTransportPreference", transport}};
    std::optional<ServerProcess> server(options);
    const CallsRef kept = client.at(server->persistent()), passing = client.at(server->transient());
    const std::int32_t first = kept->process();
    EXPECT_EQ(passing->process(), first);
    server.reset();  // killed
    EXPECT_THROW(kept->process(), CORBA::SystemException);
    server.emplace(options);
    EXPECT_NE(kept->process(), first);
    EXPECT_EQ(kept->name(), "kept");
    EXPECT_THAT(raised_by<CORBA::OBJECT_NOT_EXIST>([&] { passing->process(); }, minor::kNoSuchObject),
                HasSubstr("earlier run"));
  }
}

TEST(Restart, EndsCleanlyWhenAClientShutsItDown) {
  for (const char* transport : {"tcp", "shm", "unix"}) {
    TestOrb client{Options{"-ORBTransportPreference", transport}};
    ServerProcess server;
    client.at(server.persistent())->shut_down(false);
    EXPECT_TRUE(server.wait().clean());
  }
}

struct OrbShutdown : ::testing::TestWithParam<std::string> {
  ServantRef servant = CORBA::make_reference<Servant>();
  std::optional<TestOrb> server{std::in_place};
  TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
};

TEST_P(OrbShutdown, CompletesCallsInProgress) {
  const CallsRef calls = client.at(server->serve(servant));
  std::thread caller([&] { EXPECT_EQ(calls->wait_at_gate(5), 5); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  WaitingThread ending([&] { server.reset(); });
  EXPECT_TRUE(ending.waits());
  servant->gate.open();
  caller.join();
  ending.join();
  EXPECT_THROW(calls->twice(1), CORBA::TRANSIENT);
}

TEST_P(OrbShutdown, ReconnectsAfterAnOrderlyClose) {
  const std::string port = free_port(), name = "orbweaver-test-" + port;
  const Options options{"-ORBListen",
                        "inproc:" + name + ",shm:" + name + ",unix:@unix-" + name + ",tcp:127.0.0.1:" + port};
  const auto serve = [&] {
    server.emplace(options);
    const PoaRef poa = make_persistent_poa(server->root, "kept");
    poa->activate_object_with_id({1}, servant);
    return server->reference(poa, servant);
  };
  server.reset();
  const CallsRef calls = client.at(serve());
  EXPECT_EQ(calls->twice(1), 2);
  server.reset();
  serve();
  EXPECT_EQ(calls->twice(2), 4);  // no exception in between
}

TEST_P(OrbShutdown, RejectsNewCalls) {
  const CallsRef calls = client.at(server->serve(servant));
  client.orb->shutdown(true);
  EXPECT_THROW(calls->twice(1), CORBA::SystemException);
  EXPECT_THROW(client.orb->string_to_object("corbaloc::1.2.3.4/x"), CORBA::BAD_INV_ORDER);
}

TEST_P(OrbShutdown, FailsPendingCallsOfTheClient) {
  const CallsRef calls = client.at(server->serve(servant));
  std::thread caller([&] { EXPECT_THROW(calls->wait_at_gate(1), CORBA::SystemException); });
  ASSERT_TRUE(servant->gate.reached_by(1));
  client.orb->shutdown(true);
  caller.join();
  servant->gate.open();
}

INSTANTIATE_TEST_SUITE_P(Transports, OrbShutdown, ::testing::Values("inproc", "shm", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

TEST(Timeouts, DropALateReplyAndKeepTheConnection) {
  for (const char* transport : {"inproc", "shm", "unix", "tcp"}) {
    const auto servant = CORBA::make_reference<Servant>();
    TestOrb server, client{Options{"-ORBTransportPreference", transport}};
    const CallsRef calls = client.at(server.serve(servant));
    const CallsRef with_timeout = limited<OrbTest::Calls>(client, calls, 100);
    EXPECT_EQ(calls->twice(1), 2);
    const auto wait = [&] { with_timeout->wait_at_gate(1); };
    EXPECT_THAT(raised_by<CORBA::TIMEOUT>(wait, minor::kCallTimeout), HasSubstr("timed out")) << transport;
    servant->gate.open();
    EXPECT_EQ(calls->twice(7), 14) << transport;
  }
}

TEST(Timeouts, RaiseImpLimitAndKeepTheConnectionForALargeRequest) {
  for (const char* transport : {"inproc", "shm", "unix", "tcp"}) {
    const auto servant = CORBA::make_reference<Servant>();
    TestOrb server, client{Options{"-ORBTransportPreference", transport, "-ORBMaxMessageBytes", "100000"}};
    const CallsRef calls = client.at(server.serve(servant));
    EXPECT_THROW(calls->echo(OrbTest::Octets(200'000)), CORBA::IMP_LIMIT) << transport;
    EXPECT_EQ(calls->twice(1), 2) << transport;
    EXPECT_EQ(calls->echo(OrbTest::Octets(50'000)).size(), 50'000u) << transport;
  }
}

TEST(Timeouts, RaiseAnExceptionAndKeepTheConnectionForALargeReply) {
  for (const char* transport : {"inproc", "shm", "unix", "tcp"}) {
    const auto servant = CORBA::make_reference<Servant>();
    TestOrb server{Options{"-ORBMaxMessageBytes", "100000"}},
        client{Options{"-ORBTransportPreference", transport}};
    const CallsRef calls = client.at(server.serve(servant));
    EXPECT_THROW(calls->echo(OrbTest::Octets(200'000)), CORBA::SystemException) << transport;
    EXPECT_EQ(calls->twice(1), 2) << transport;
  }
}

TEST(OrbDestroy, ReleasesAllThreadsAndDescriptors) {
  const auto round = [] {
    const auto servant = CORBA::make_reference<Servant>();
    TestOrb server;
    const std::string reference = server.serve(servant);
    for (const char* transport : {"inproc", "shm", "unix", "tcp"}) {
      TestOrb client{Options{"-ORBTransportPreference", transport}};
      EXPECT_EQ(client.at(reference)->twice(1), 2);
    }
  };
  round();  // creates what exists once per process
  EXPECT_TRUE(becomes_true([] { return threads() <= 3; }));
  const std::size_t threads_before = threads(), descriptors_before = descriptors();
  for (int i = 0; i < 5; ++i) round();
  EXPECT_TRUE(becomes_true([&] { return threads() <= threads_before; })) << threads() << " threads";
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= descriptors_before; }))
      << descriptors() << " descriptors";
}

}  // namespace
}  // namespace orbtest
