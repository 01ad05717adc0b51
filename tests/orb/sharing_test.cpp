// What calls that share a connection do to each other, and how not to share one.
#include <gtest/gtest.h>

#include <orbweaver/object.h>

#include <atomic>

#include "platform/testing/waiting_thread.h"
#include "testing/broker.h"
#include "testing/server_process.h"
#include "testing/time_limit.h"

namespace orbtest {
namespace {

using orbweaver::with_private_connection;

CallsRef private_to(Broker& broker, const std::string& reference) {
  return IDL::traits<OrbTest::Calls>::narrow(with_private_connection(broker.orb->string_to_object(reference)));
}

class Sharing : public ::testing::TestWithParam<std::string> {
 protected:
  Options listening() const { return {"-ORBListen", GetParam() == "tcp" ? "tcp:127.0.0.1:0" : GetParam()}; }
};

TEST_P(Sharing, APrivateConnectionIsNotHeldByACallThatBlocksTheSharedOne) {
  Broker server(listening()), client;
  const auto held = CORBA::make_reference<Servant>(), free = CORBA::make_reference<Servant>();
  const CallsRef blocked = client.at(server.serve(held));
  const CallsRef passing = private_to(client, server.serve(free));
  std::thread waiting([&] { EXPECT_EQ(blocked->wait_at_gate(1), 1); });
  ASSERT_TRUE(held->gate.reached_by(1));
  EXPECT_EQ(passing->twice(4), 8);
  held->gate.open();
  waiting.join();
}

TEST_P(Sharing, StreamsThatZigzagBetweenTwoOrbsDoNotHoldEachOther) {
  // A.1 -> B.1 -> A.2 -> B.2: the first call is served as long as the last has not been.
  Broker a(listening()), b(listening());
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

TEST_P(Sharing, APrivateConnectionEndsWithTheLastCopyOfItsReference) {
  Broker server(listening()), client;
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

TEST_P(Sharing, ShutdownEndsPrivateConnections) {
  Broker server(listening());
  auto client = std::make_unique<Broker>();
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef own = private_to(*client, server.serve(servant));
  EXPECT_EQ(own->twice(2), 4);
  client->destroy();
  EXPECT_THROW(own->twice(2), CORBA::SystemException);
}

TEST_P(Sharing, AConnectionThatEndedIsGivenBackWithoutWaitingForAnother) {
  Broker server(listening());
  const auto servant = CORBA::make_reference<Servant>();
  const std::string reference = server.serve(servant);
  const std::size_t descriptors_before = descriptors(), threads_before = threads();
  for (int i = 0; i < 5; ++i) {
    Broker client({"-ORBListen", GetParam() == "tcp" ? "tcp:127.0.0.1:0" : GetParam()});
    EXPECT_EQ(client.at(reference)->twice(i), 2 * i);
  }
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= descriptors_before; }));
  EXPECT_TRUE(becomes_true([&] { return threads() <= threads_before; }));
}

INSTANTIATE_TEST_SUITE_P(Roads, Sharing, ::testing::Values("inproc", "shm", "unix", "tcp"), [](const auto& i) { return i.param; });

TEST(SendLock, ARequestBehindAStuckOneWaitsNoLongerThanItsOwnDeadline) {
  // The server's thread is held: its ring fills up, and whoever sends waits with the send lock taken.
  Broker server({"-ORBListen", "shm", "-ORBRingBytes", "4096"});
  Broker client({"-ORBTransportPreference", "shm"});
  const auto servant = CORBA::make_reference<Servant>();
  const CallsRef object = client.at(server.serve(servant));
  std::thread holding([&] { EXPECT_EQ(object->wait_at_gate(1), 1); });
  EXPECT_TRUE(servant->gate.reached_by(1));
  std::atomic<bool> sent{false};
  orbweaver::platform::testing::WaitingThread patient([&] {
    for (int n = 0; n < 1000; ++n) object->note(n);
    sent = true;
  });
  EXPECT_TRUE(patient.waits()) << "for room, with the send lock taken";
  const CallsRef hasty = limited<OrbTest::Calls>(client, object, 50);
  EXPECT_THROW(hasty->note(-1), CORBA::SystemException);
  EXPECT_FALSE(sent);
  servant->gate.open();
  holding.join();
  patient.join();
}

}  // namespace
}  // namespace orbtest
