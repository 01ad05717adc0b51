// Messages that a server sends before it closes a connection, over a scripted channel.
#include <gtest/gtest.h>

#include "orb/reference/reference.h"
#include "orb/server/server_connection.h"
#include "testing/scripted_channel.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using orbweaver::orb::ServerConnection;

/// Deadlines of the sends in which a server answers garbage.
std::vector<orbweaver::Deadline> deadlines_of_an_error(ServerConnection::MayBlock may_block) {
  TestOrb broker;
  const CallsRef servant = broker.at(broker.serve(CORBA::make_reference<Servant>()));
  const auto script = std::make_shared<ChannelScript>();
  ServerConnection connection(servant->_reference()->core(), std::make_unique<ScriptedChannel>(script), "tcp",
                              nullptr, may_block);
  script->arrives(Octets(64, 'x'));
  if (may_block == ServerConnection::MayBlock::yes)
    connection.serve();
  else
    EXPECT_EQ(connection.serve_one(), ServerConnection::ServeResult::ended);
  EXPECT_EQ(script->frames().size(), 1u);
  return script->deadlines();
}

TEST(CloseConnectionMessage, IsSentWithoutBlockingByAPoolThread) {
  for (const auto& deadline : deadlines_of_an_error(ServerConnection::MayBlock::no))
    EXPECT_TRUE(deadline.ns <= 0);
}

TEST(CloseConnectionMessage, IsSentWithATimeoutByAConnectionThread) {
  for (const auto& deadline : deadlines_of_an_error(ServerConnection::MayBlock::yes))
    EXPECT_GT(deadline.ns, 0);
}

}  // namespace
}  // namespace orbtest
