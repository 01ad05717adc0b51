// Reply handlers as CORBA objects.
#include <gmock/gmock.h>

#include <orbweaver/future.h>

#include "later_servants.h"

namespace asynctest {
namespace {

using ::testing::ElementsAre;
using Traits = CORBA::amic_traits<AsyncTest::Later>;

/// A client that makes calls, the server that it calls, and another program that gets the replies.
struct RemoteHandlers : ::testing::Test {
  ~RemoteHandlers() override {
    client.destroy();
    server.destroy();
    other.destroy();
  }
  CORBA::object_reference<CORBA::Object> activate() {
    const auto receiver = Traits::replyhandler_servant(handler);
    const auto id = other.root->activate_object(receiver);
    return client.orb->string_to_object(other.orb->object_to_string(other.root->id_to_reference(id)));
  }

  TestOrb server, client, other;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(server, client, servant);
  const CORBA::object_reference<Recorder> handler = CORBA::make_reference<Recorder>();
  const CORBA::object_reference<CORBA::Object> object = activate();
};

TEST_F(RemoteHandlers, GetRepliesInAnotherProgram) {
  const auto remote = Traits::remote_replyhandler(object);
  later->sendc_add(remote, 2, 3);
  later->sendc_turn(remote, "abc", 5);
  later->sendc_set_level(remote, 7);
  later->sendc_get_name(remote);
  later->sendc_nothing(remote);
  later->sendc_echo(remote, AsyncTest::Octets(100'000));
  EXPECT_THAT(handler->arrivals.wait_for(6), ElementsAre("add 5", "turn cba 6 2.500000", "level set",
                                                         "name later", "nothing", "echo 100000"));
}

TEST_F(RemoteHandlers, GetExceptions) {
  const auto remote = Traits::remote_replyhandler(object);
  later->sendc_turn(remote, "", 5);
  later->sendc_hold(remote, 1);
  ASSERT_TRUE(servant->holds(1));
  { const auto dropped = servant->take(); }
  EXPECT_THAT(handler->arrivals.wait_for(2), ElementsAre("refused nothing to turn", "NO_RESPONSE maybe"));
}

TEST_F(RemoteHandlers, HaveTheInterfaceOfTheStandard) {
  EXPECT_TRUE(object->_is_a("IDL:AsyncTest/AMI_LaterHandler:1.0"));
  EXPECT_TRUE(object->_is_a("IDL:AsyncTest/AMI_NamedHandler:1.0"));
  EXPECT_TRUE(object->_is_a("IDL:omg.org/Messaging/ReplyHandler:1.0"));
  EXPECT_FALSE(object->_is_a("IDL:AsyncTest/Later:1.0"));
}

TEST_F(RemoteHandlers, MayBeNil) { EXPECT_EQ(Traits::remote_replyhandler(nullptr), nullptr); }

}  // namespace
}  // namespace asynctest
