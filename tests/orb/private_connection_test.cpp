// The connection of a reference made by with_private_connection, over scripted channels.
#include <gmock/gmock.h>

#include <atomic>

#include "platform/testing/waiting_thread.h"
#include "testing/scripted_servers.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::platform::testing::WaitingThread;

TEST(PrivateConnection, IsOneForAllThreadsThatCallAtFirstTogether) {
  ScriptedServers servers;
  answers(servers.add(), 10);
  answers(servers.add(), 20);
  Gate may_connect;
  std::atomic<int> attempts{0};
  const auto connect = servers.maker;
  servers.maker = [&] {
    ++attempts;
    may_connect.pass(1);
    return connect();
  };
  TestOrb client({"-ORBTransportPlugin", ORBWEAVER_TEST_PLUGINS "/libplugin-scripted.so",
                  "-ORBTransportOption", servers.option("scripted"), "-ORBTransportPreference", "scripted"});
  const auto shared =
      client.orb->string_to_object(orbweaver::giop::stringify(scripted_ior({1}, {"scripted"})));
  const auto calls = IDL::traits<OrbTest::Calls>::narrow(orbweaver::with_private_connection(shared));

  const auto call = [&] { EXPECT_EQ(calls->process(), 10); };
  WaitingThread first(call);
  ASSERT_TRUE(may_connect.reached_by(1));
  WaitingThread second(call), third(call);
  ASSERT_TRUE(second.waits());
  ASSERT_TRUE(third.waits());
  EXPECT_EQ(attempts, 1);
  may_connect.open();
  first.join();
  second.join();
  third.join();
  call();
  EXPECT_EQ(attempts, 1);
}

}  // namespace
}  // namespace orbtest
