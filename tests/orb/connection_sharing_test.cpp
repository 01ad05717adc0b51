// Shared connections, whose calls wait for each other, and private connections.
#include <gtest/gtest.h>

#include <orbweaver/object.h>

#include <atomic>

#include "platform/testing/waiting_thread.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"
#include "testing/time_limit.h"

namespace orbtest {
namespace {

using orbweaver::with_private_connection;

CallsRef private_to(TestOrb& broker, const std::string& reference) {
  return IDL::traits<OrbTest::Calls>::narrow(
      with_private_connection(broker.orb->string_to_object(reference)));
}

class ConnectionSharing : public ::testing::TestWithParam<std::string> {
 protected:
  Options listening() const { return {"-ORBListen", GetParam() == "tcp" ? "tcp:127.0.0.1:0" : GetParam()}; }
};

TEST_P(ConnectionSharing, DoesNotBlockAPrivateConnectionBehindTheSharedOne) {
  TestOrb server(listening()), client;
  const auto held = CORBA::make_reference<Servant>(), free = CORBA::make_reference<Servant>();
  const CallsRef blocked = client.at(server.serve(held));
  const CallsRef private_calls = private_to(client, server.serve(free));
  std::thread waiting([&] { EXPECT_EQ(blocked->wait_at_gate(1), 1); });
  ASSERT_TRUE(held->gate.reached_by(1));
  EXPECT_EQ(private_calls->twice(4), 8);
  held->gate.open();
  waiting.join();
}

TEST_P(ConnectionSharing, DoesNotBlockOpposingStreamsBetweenTwoOrbs) {
  // A.1 -> B.1 -> A.2 -> B.2: the first call is in progress until the last has returned.
  TestOrb a(listening()), b(listening());
  const auto b1 = CORBA::make_reference<Servant>("b1"), a2 = CORBA::make_reference<Servant>("a2"),
             b2 = CORBA::make_reference<Servant>("b2");
  const CallsRef to_b1 = private_to(a, b.serve(b1)), to_b2 = private_to(a, b.serve(b2));
  const CallsRef to_a2 = private_to(b, a.serve(a2));
  std::thread first([&] { EXPECT_EQ(to_b1->wait_at_gate(1), 1); });
  ASSERT_TRUE(b1->gate.reached_by(1));
  std::thread second([&] { EXPECT_EQ(to_a2->wait_at_gate(2), 2); });
  ASSERT_TRUE(a2->gate.reached_by(1));
  EXPECT_EQ(to_b2->twice(3), 6);
  a2->gate.open();
  second.join();
  b1->gate.open();
  first.join();
}

TEST_P(ConnectionSharing, ClosesAPrivateConnectionWithItsLastReference) {
  TestOrb server(listening()), client;
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  client.at(reference)->twice(1);
  const std::size_t before = descriptors();
  {
    CallsRef own = private_to(client, reference);
    EXPECT_EQ(own->twice(2), 4);
    EXPECT_NE(own->_reference(), nullptr);
    if (GetParam() != "inproc") {
      EXPECT_GT(descriptors(), before);
    }
  }
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= before; }));
}

TEST_P(ConnectionSharing, ClosesPrivateConnectionsOnShutdown) {
  TestOrb server(listening());
  auto client = std::make_unique<TestOrb>();
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef own = private_to(*client, server.serve(servant));
  EXPECT_EQ(own->twice(2), 4);
  client->destroy();
  EXPECT_THROW(own->twice(2), CORBA::SystemException);
}

TEST_P(ConnectionSharing, ReleasesAClosedConnectionImmediately) {
  TestOrb server(listening());
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  const std::size_t descriptors_before = descriptors(), threads_before = threads();
  for (int i = 0; i < 5; ++i) {
    TestOrb client({"-ORBListen", GetParam() == "tcp" ? "tcp:127.0.0.1:0" : GetParam()});
    EXPECT_EQ(client.at(reference)->twice(i), 2 * i);
  }
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= descriptors_before; }));
  EXPECT_TRUE(becomes_true([&] { return threads() <= threads_before; }));
}

INSTANTIATE_TEST_SUITE_P(Transports, ConnectionSharing, ::testing::Values("inproc", "shm", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

TEST(SendLock, HonoursTheDeadlineOfEachWaitingRequest) {
  // The server's thread is blocked: its ring fills up, and the sending thread waits with the send lock held.
  TestOrb server({"-ORBListen", "shm", "-ORBTune", "ring-bytes=4096"});
  TestOrb client({"-ORBTransportPreference", "shm"});
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef object = client.at(server.serve(servant));
  std::thread holding([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  EXPECT_TRUE(servant->gate.reached_by(1));
  std::atomic<bool> sent{false};
  orbweaver::platform::testing::WaitingThread sender([&] {
    for (int n = 0; n < 1000; ++n) object->note(n);
    sent = true;
  });
  EXPECT_TRUE(sender.waits()) << "for space in the ring, with the send lock held";
  const CallsRef with_timeout = limited<OrbTest::Calls>(client, object, 50);
  EXPECT_THROW(with_timeout->note(-1), CORBA::SystemException);
  EXPECT_FALSE(sent);
  servant->gate.open();
  holding.join();
  sender.join();
}

}  // namespace
}  // namespace orbtest
