// What a server says before it closes a connection, over a channel that does what the test says.
#include <gtest/gtest.h>

#include "orb/reference.h"
#include "orb/server_connection.h"
#include "testing/broker.h"
#include "testing/scripted_channel.h"

namespace orbtest {
namespace {

using orbweaver::orb::ServerConnection;

/// The deadlines by which a client that has sent rubbish is told so.
std::vector<orbweaver::Deadline> deadlines_of_an_error(ServerConnection::Waits waits) {
  Broker broker;
  const CallsRef servant = broker.at(broker.serve(CORBA::make_reference<Servant>()));
  const auto script = std::make_shared<ChannelScript>();
  ServerConnection connection(servant->_reference()->core(), std::make_unique<ScriptedChannel>(script), "tcp", nullptr, waits);
  script->arrives(Octets(64, 'x'));
  if (waits == ServerConnection::Waits::yes) connection.serve();
  else EXPECT_EQ(connection.serve_one(), ServerConnection::Served::ended);
  EXPECT_EQ(script->frames().size(), 1u);
  return script->deadlines();
}

TEST(Farewell, IsNotWaitedForByAThreadOfAPool) {
  for (const auto& deadline : deadlines_of_an_error(ServerConnection::Waits::no)) EXPECT_TRUE(deadline.ns <= 0);
}

TEST(Farewell, IsWaitedForByTheThreadOfAConnection) {
  for (const auto& deadline : deadlines_of_an_error(ServerConnection::Waits::yes)) EXPECT_GT(deadline.ns, 0);
}

}  // namespace
}  // namespace orbtest
