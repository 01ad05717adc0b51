// Reply handlers as CORBA objects.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/future.h>
#include <orbweaver/messaging.h>
#include <orbweaver/statistics.h>

#include <future>

#include "later_servants.h"

namespace asynctest {
namespace {

using orbweaver::remote_reply_handler_statistics;
using orbweaver::RemoteReplyHandlerStatistics;
using ::testing::ElementsAre;
using Traits = CORBA::amic_traits<AsyncTest::Later>;

/// A client that makes calls, the server that it calls, and another program that gets the replies.
struct RemoteHandlers : ::testing::Test {
  explicit RemoteHandlers(const Options& of_client = {}) : client(of_client) {}
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

  TestOrb server;
  TestOrb client;
  TestOrb other;
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

/// Calls of handlers in other programs without a timeout policy have a limit of 1 ms.
struct LimitedRemoteHandlers : RemoteHandlers {
  LimitedRemoteHandlers() : RemoteHandlers({"-ORBTune", "reply-handler-timeout-ms=1"}) {}
  std::uint64_t passed() const { return remote_reply_handler_statistics().passed - before.passed; }
  std::uint64_t lost() const { return remote_reply_handler_statistics().lost - before.lost; }

  const RemoteReplyHandlerStatistics before = remote_reply_handler_statistics();
};

TEST_F(LimitedRemoteHandlers, DoNotStopTheCallerWhenTheyHang) {
  std::promise<void> end;
  handler->then = [ended = end.get_future().share()] { ended.wait(); };
  const auto local = CORBA::make_reference<Recorder>();
  later->sendc_add(Traits::remote_replyhandler(object), 2, 3);
  later->sendc_add(local, 4, 5);
  EXPECT_THAT(local->arrivals.wait_for(1), ElementsAre("add 9"));
  EXPECT_EQ(lost(), 1u);
  EXPECT_EQ(passed(), 0u);
  end.set_value();
}

TEST_F(LimitedRemoteHandlers, KeepTheTimeoutPolicyOfTheObject) {
  CORBA::Any none;
  none <<= TimeBase::TimeT{0};
  const auto unlimited = object->_set_policy_overrides(
      {client.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, none)},
      CORBA::SetOverrideType::ADD_OVERRIDE);
  handler->then = [this] {  // takes longer than the default limit
    for (int i = 0; i < 1000; ++i) (void)object->_is_a("IDL:AsyncTest/Later:1.0");
  };
  const auto local = CORBA::make_reference<Recorder>();
  later->sendc_add(Traits::remote_replyhandler(unlimited), 2, 3);
  later->sendc_add(local, 4, 5);
  EXPECT_THAT(local->arrivals.wait_for(1), ElementsAre("add 9"));
  EXPECT_EQ(lost(), 0u);
  EXPECT_EQ(passed(), 1u);
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
