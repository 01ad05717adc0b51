// Calls over UDP: answered if the datagrams arrive, TIMEOUT if they are lost.
#include <gtest/gtest.h>

#include <orbweaver/statistics.h>

#include <fstream>

#include "testing/consecutive.h"
#include "testing/test_orb.h"
#include "testing/time_limit.h"

namespace orbtest {
namespace {

TEST(Udp, CompletesCalls) {
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", "udp"}}, client{Options{"-ORBTransportPreference", "udp"}};
  const CallsRef calls = client.at(server.serve(servant));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(calls->twice(i), 2 * i);
}

TEST(Udp, CompletesCallsOverIPv6) {
  const auto servant = CORBA::make_reference<Servant>();
  std::ifstream interfaces("/proc/net/if_inet6");
  if (interfaces.peek() == std::ifstream::traits_type::eof()) GTEST_SKIP() << "this machine has no IPv6";
  TestOrb server{Options{"-ORBListen", "udp:[::1]:0"}}, client{Options{"-ORBTransportPreference", "udp"}};
  EXPECT_EQ(client.at(server.serve(servant))->twice(4), 8);
}

TEST(Udp, DeliversOneWaysInOrderAndCountsThem) {
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", "udp"}}, client{Options{"-ORBTransportPreference", "udp"}};
  const CallsRef calls = client.at(server.serve(servant));
  const auto before = orbweaver::datagram_statistics();
  for (std::int32_t i = 0; i < 50; ++i) calls->note(i);
  calls->twice(1);
  EXPECT_EQ(servant->notes(), consecutive(0, 49));
  EXPECT_TRUE(becomes_true([&] { return orbweaver::datagram_statistics().frames - before.frames >= 51; }));
  EXPECT_EQ(orbweaver::datagram_statistics().frames_lost, before.frames_lost);
}

TEST(Udp, KeepsTheConnectionDuringALongUpcall) {
  const Options udp_timeouts{"-ORBTransportOption", "udp.silence-ms=1000", "-ORBTransportOption",
                             "udp.idle-ms=100"};
  const auto servant = CORBA::make_reference<Servant>();
  Options of_server{"-ORBListen", "udp"},
      of_client{"-ORBTransportPreference", "udp", "-ORBTune", "udp-call-timeout-ms=120000"};
  of_server.insert(of_server.end(), udp_timeouts.begin(), udp_timeouts.end());
  of_client.insert(of_client.end(), udp_timeouts.begin(), udp_timeouts.end());
  TestOrb server{of_server}, client{of_client};
  const CallsRef calls = client.at(server.serve(servant));
  EXPECT_EQ(calls->slow(1500, 7), 7);
  std::this_thread::sleep_for(std::chrono::milliseconds(110));  // longer than udp.idle-ms
  EXPECT_EQ(calls->twice(1), 2) << "over a new connection, as the old one was idle";
}

TEST(Udp, IsDisabledByDefault) {
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", "udp"}}, client;
  EXPECT_THROW(client.unchecked(server.serve(servant))->twice(1), CORBA::SystemException);
}

TEST(Udp, TimesOutWithoutAConfiguredTimeout) {
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", "udp"}};
  TestOrb client{Options{"-ORBTransportPreference", "udp", "-ORBTune", "udp-call-timeout-ms=50"}};
  const CallsRef calls = client.unchecked(server.serve(servant));
  EXPECT_EQ(limited<OrbTest::Calls>(client, calls, 120'000)->twice(1), 2);
  EXPECT_THROW(calls->wait_at_gate(1), CORBA::TIMEOUT);
  servant->gate.open();
}

}  // namespace
}  // namespace orbtest
