// The end of a connection, as await_connection_end() tells it.
#include <gtest/gtest.h>
#include <signal.h>

#include <orbweaver/connection_end.h>

#include "platform/testing/waiting_thread.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::await_connection_end;
using orbweaver::close_connection;
using orbweaver::Deadline;
using orbweaver::platform::testing::WaitingThread;
using End = orbweaver::ConnectionEnd;

/// A connection whose end is awaited, over each transport that is reliable.
class AwaitedConnection : public ::testing::TestWithParam<std::string> {
 protected:
  Options listening() const { return {"-ORBListen", GetParam() == "tcp" ? "tcp:127.0.0.1:0" : GetParam()}; }
};

TEST_P(AwaitedConnection, EndsWithTheProcessOfTheServer) {
  ServerProcess server(listening());
  TestOrb client({"-ORBTransportPreference", GetParam()});
  const CallsRef calls = client.at(server.persistent());
  EXPECT_EQ(calls->twice(2), 4);
  End end = End::unknown;
  WaitingThread waiting([&] { end = await_connection_end(calls, Deadline::never()); });
  ASSERT_TRUE(waiting.waits());
  server.kill();
  waiting.join();
  EXPECT_EQ(end, End::ended);
}

TEST_P(AwaitedConnection, DoesNotEndWhileTheServerIsStopped) {
  ServerProcess server(listening());
  TestOrb client({"-ORBTransportPreference", GetParam()});
  const CallsRef calls = client.at(server.persistent());
  EXPECT_EQ(calls->twice(2), 4);
  ASSERT_EQ(::kill(server.pid(), SIGSTOP), 0);
  ASSERT_TRUE(becomes_true([&] { return orbweaver::platform::is_stopped(server.pid()); }));
  EXPECT_EQ(await_connection_end(calls, Deadline::in_ms(20)), End::none);
  ASSERT_EQ(::kill(server.pid(), SIGCONT), 0);
  EXPECT_EQ(calls->twice(2), 4);
}

TEST_P(AwaitedConnection, GivesTheirRepliesToOtherThreads) {
  TestOrb server(listening()), client({"-ORBTransportPreference", GetParam()});
  const CallsRef calls = client.at(server.serve(CORBA::make_reference<Servant>()));
  EXPECT_EQ(calls->twice(2), 4);
  End end = End::unknown;
  WaitingThread waiting([&] { end = await_connection_end(calls, Deadline::never()); });
  ASSERT_TRUE(waiting.waits());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(calls->twice(i), 2 * i);
  close_connection(calls);
  waiting.join();
  EXPECT_EQ(end, End::ended);
  EXPECT_EQ(calls->twice(2), 4) << "over a new connection";
}

INSTANTIATE_TEST_SUITE_P(Over, AwaitedConnection, ::testing::Values("shm", "unix", "mqueue", "tcp"),
                         [](const auto& transport) {
                           return transport.param == "mqueue" ? "queues" : transport.param;
                         });

TEST(ConnectionEnd, IsUnknownWithoutAConnectionThatCanBeAwaited) {
  TestOrb server;
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  EXPECT_EQ(await_connection_end(nullptr, Deadline::never()), End::unknown);
  EXPECT_EQ(await_connection_end(server.unchecked(reference), Deadline::never()), End::unknown) << "local";
  TestOrb client, spinning({"-ORBWait", "spin"}), single({"-ORBThreads", "single"});
  EXPECT_EQ(await_connection_end(client.unchecked(reference), Deadline::never()), End::unknown)
      << "it has not been called";
  for (TestOrb* const other : {&spinning, &single}) {
    const CallsRef calls = other->unchecked(reference);
    EXPECT_EQ(calls->twice(2), 4);
    EXPECT_EQ(await_connection_end(calls, Deadline::never()), End::unknown);
  }
  close_connection(nullptr);
}

}  // namespace
}  // namespace orbtest
