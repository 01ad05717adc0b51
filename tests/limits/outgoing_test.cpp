// Outgoing connections of an ORB: their limit, and the close of idle ones.
#include <gmock/gmock.h>
#include <orbweaver/flush.h>
#include <sys/resource.h>

#include <atomic>
#include <future>

#include "orb/minor_codes.h"
#include "platform/descriptors.h"
#include "serving.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
namespace platform = orbweaver::platform;
using ::testing::HasSubstr;

/// A server at many addresses of the loopback interface, and an ORB that calls it over one connection per
/// address.
class Outgoing : public ::testing::TestWithParam<const char*> {
 protected:
  Outgoing() { getrlimit(RLIMIT_NOFILE, &before); }
  ~Outgoing() override { setrlimit(RLIMIT_NOFILE, &before); }
  void call_with(Options options) {
    options.insert(options.end(), {"-ORBTransportPreference", "tcp", "-ORBLog", "error"});
    caller = std::make_unique<TestServer>(GetParam(), options);
    core = dynamic_cast<orbweaver::orb::OrbImpl&>(*caller->broker().orb).core();
  }
  /// The server's object at 127.0.0.`n`.
  CallsRef at(int n) {
    giop::IiopProfile profile;
    profile.host = "127.0.0." + std::to_string(n);
    profile.port = server.address().port;
    profile.object_key = server.address().key;
    return caller->broker().unchecked(giop::stringify(
        {"IDL:OrbTest/Calls:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}}));
  }
  orbweaver::ClientConnectionPtr connection(int n) {
    return *core->connections().connect(
        orbweaver::transport::tcp_transport(),
        "127.0.0." + std::to_string(n) + ":" + std::to_string(server.address().port),
        orbweaver::Deadline::never());
  }
  /// The detail of the TRANSIENT raised by a call that was not sent.
  static std::string refusal_of(const CallsRef& calls) {
    return raised_by<CORBA::TRANSIENT>([&] { calls->twice(1); }, orbweaver::minor::kNoUsableEndpoint);
  }
  bool server_has(std::size_t count) {
    return becomes_true([&] { return server.connections() == count; });
  }

  rlimit before{};
  TestServer server{
      "connection",
      {"-ORBListen", "tcp:0.0.0.0:0", "-ORBTune", "reserved-descriptors=0", "-ORBLog", "error"}};
  std::unique_ptr<TestServer> caller;
  std::shared_ptr<orbweaver::orb::Core> core;
};

TEST_P(Outgoing, ClosesTheLeastRecentlyUsedConnectionAtTheLimit) {
  call_with({"-ORBTune", "max-outgoing-connections=2"});
  const CallsRef a = at(1), b = at(2), c = at(3);
  EXPECT_EQ(a->twice(1), 2);
  EXPECT_EQ(b->twice(1), 2);
  const orbweaver::ClientConnectionPtr first = connection(1), second = connection(2);
  EXPECT_EQ(a->twice(2), 4);
  EXPECT_EQ(c->twice(3), 6);
  EXPECT_TRUE(first->usable());
  EXPECT_FALSE(second->usable());
  EXPECT_EQ(core->connections().outgoing().connections(), 2u);
  EXPECT_TRUE(server_has(2));
  EXPECT_EQ(b->twice(4), 8);
  EXPECT_EQ(c->twice(5), 10);
  EXPECT_EQ(a->twice(6), 12);
}

/// References keep a closed connection until they are used again.
TEST_P(Outgoing, ReleasesTheDescriptorsOfClosedConnections) {
  call_with({"-ORBTune", "max-outgoing-connections=2"});
  const CallsRef a = at(1), b = at(2);
  EXPECT_EQ(a->twice(1) + b->twice(1), 4);
  ASSERT_TRUE(server_has(2));
  const std::size_t descriptors_of_two = descriptors();
  std::vector<CallsRef> others;
  for (int n = 3; n <= 40; ++n) {
    others.push_back(at(n));
    EXPECT_EQ(others.back()->twice(n), 2 * n);
  }
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= descriptors_of_two + 2; })) << descriptors();
  for (const CallsRef& calls : others) EXPECT_EQ(calls->twice(1), 2);
}

TEST_P(Outgoing, RaisesTransientWhenAllConnectionsAreInUse) {
  call_with({"-ORBTune", "max-outgoing-connections=1"});
  const CallsRef a = at(1), b = at(2);
  auto waiting = std::async(std::launch::async, [&] { return a->wait_at_gate(5); });
  ASSERT_TRUE(server.servant->gate.reached_by(1));
  EXPECT_THAT(refusal_of(b), HasSubstr("-ORBTune max-outgoing-connections"));
  server.servant->gate.open();
  waiting.get();
  EXPECT_EQ(b->twice(1), 2);
  EXPECT_EQ(a->twice(1), 2);
}

TEST_P(Outgoing, KeepsConnectionsWithQueuedCalls) {
  call_with({"-ORBTune", "max-outgoing-connections=1", "-ORBTune", "batch-delay-us=60000000"});
  const CallsRef a = at(1), b = at(2);
  a->note(7);
  EXPECT_THAT(refusal_of(b), HasSubstr("-ORBTune max-outgoing-connections"));
  orbweaver::flush(a);
  EXPECT_EQ(a->notes().size(), 1u);
  EXPECT_EQ(b->twice(1), 2);
}

TEST_P(Outgoing, ClosesConnectionsWhoseCallsHaveTimedOut) {
  call_with({"-ORBTune", "max-outgoing-connections=1", "-ORBCallTimeout", "200"});
  EXPECT_THROW(at(1)->wait_at_gate(5), CORBA::TIMEOUT);
  const CallsRef b = at(2);
  EXPECT_TRUE(becomes_true([&] {  // a call may take longer than that
    try {
      return b->twice(1) == 2;
    } catch (const CORBA::TIMEOUT&) {
      return false;
    }
  }));
}

TEST_P(Outgoing, ClosesIdleConnectionsAtTheTimeout) {
  call_with({"-ORBTune", "outgoing-idle-timeout-ms=40"});
  const CallsRef a = at(1), b = at(2);
  for (std::int32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a->twice(i), 2 * i);
    EXPECT_EQ(b->twice(i), 2 * i);
    EXPECT_TRUE(server_has(0));
    EXPECT_EQ(core->connections().outgoing().connections(), 0u);
  }
}

TEST_P(Outgoing, KeepsConnectionsWithOutstandingRepliesBeyondTheTimeout) {
  call_with({"-ORBTune", "outgoing-idle-timeout-ms=40"});
  const CallsRef a = at(1), b = at(2);
  auto waiting = std::async(std::launch::async, [&] { return a->wait_at_gate(5); });
  ASSERT_TRUE(server.servant->gate.reached_by(1));
  for (int i = 0; i < 4; ++i) {  // each passes the timeout
    EXPECT_EQ(b->twice(i), 2 * i);
    EXPECT_TRUE(server_has(1));
  }
  server.servant->gate.open();
  EXPECT_NO_THROW(waiting.get());
}

/// Connections are closed while other threads begin calls over them: such a call is repeated or raises
/// TRANSIENT.
TEST_P(Outgoing, LosesNoCallsOfClosedConnections) {
  call_with({"-ORBTune", "max-outgoing-connections=3"});
  std::vector<CallsRef> all;
  for (int n = 1; n <= 6; ++n) all.push_back(at(n));
  std::atomic<int> served{0};
  std::vector<std::future<void>> callers;
  for (int step = 1; step <= 4; ++step) {
    callers.push_back(std::async(std::launch::async, [&, step] {
      for (int i = 0; i < 100; ++i) {
        try {
          EXPECT_EQ(all[static_cast<std::size_t>((step + i * step) % 6)]->twice(i), 2 * i);
          ++served;
        } catch (const CORBA::TRANSIENT& e) {
          EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
        }
      }
    }));
  }
  for (auto& caller_result : callers) EXPECT_NO_THROW(caller_result.get());
  EXPECT_GT(served, 0);
}

TEST_P(Outgoing, KeepsTheReservedDescriptorsFree) {
  call_with({"-ORBTune", "reserved-descriptors=24"});
  rlimit few = before;
  few.rlim_cur = descriptors() + 100;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<CallsRef> all;
  for (int n = 1; n <= 60; ++n) {  // each takes a descriptor in client and server
    all.push_back(at(n));
    EXPECT_EQ(all.back()->twice(n), 2 * n);
    // The server closes its end slightly later than the client.
    ASSERT_TRUE(becomes_true([&] { return platform::descriptors_in_use() + 20 <= few.rlim_cur; })) << n;
  }
}

std::string outgoing_mode_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param == std::string("pool:2") ? "pool" : info.param;
}
INSTANTIATE_TEST_SUITE_P(ThreadModes, Outgoing, ::testing::Values("connection", "pool:2", "single"),
                         outgoing_mode_name);

}  // namespace
}  // namespace orbtest
