// Interceptors of asynchronous calls, and of servants that answer later.
#include <orbweaver/forward_request.h>
#include <orbweaver/future.h>
#include <orbweaver/messaging.h>
#include <orbweaver/poller.h>

#include <thread>

#include "interceptors/testing/intercepted_orb.h"
#include "later_servants.h"

namespace orbtest {
namespace {

using asynctest::DeferringServant;
using asynctest::LaterRef;
using ::testing::ElementsAre;

constexpr IOP::ServiceId kContext = 0x54524143;

IOP::ServiceContext context(std::uint8_t octet) { return IOP::ServiceContext(kContext, {octet}); }

/// The points of one interceptor.
std::vector<std::string> of_a(const std::vector<std::string>& lines) {
  std::vector<std::string> own;
  for (const std::string& line : lines) {
    if (line.rfind("A ", 0) == 0) own.push_back(line.substr(2));
  }
  return own;
}

/// A client with interceptors, and a server without. The parameter is the thread policy of the client.
class AsyncClientInterceptors : public ::testing::TestWithParam<const char*> {
 protected:
  AsyncClientInterceptors() {
    if (std::string(GetParam()) != "single") return;
    runs_ = std::thread([this] { client.orb.orb->run(); });
    // From the first call on, that thread runs the ORB: if this one waited before, it would.
    EXPECT_EQ(asynctest::serve(client.orb, server, CORBA::make_reference<DeferringServant>())->add(1, 2), 3);
    client.log.take();
  }
  ~AsyncClientInterceptors() override {
    if (runs_.joinable()) {
      client.orb.orb->shutdown(false);
      runs_.join();
    }
    client.orb.destroy();
    server.destroy();
  }
  RecordedOrb client{{"-ORBThreads", GetParam(), "-ORBTransportPreference", "tcp"}};
  TestOrb server;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = asynctest::serve(server, client.orb, servant);
  const CORBA::object_reference<asynctest::Recorder> handler = CORBA::make_reference<asynctest::Recorder>();
  std::thread runs_;
};

TEST_P(AsyncClientInterceptors, AreCalledForTheRequestAndAgainForTheReply) {
  EXPECT_EQ(later->async_add(2, 3).get(), 5);
  EXPECT_THAT(
      client.log.take(),
      ElementsAre("A send_request add", "B send_request add", "B receive_other add", "A receive_other add",
                  "A send_request add", "B send_request add", "B receive_reply add", "A receive_reply add"));
}

TEST_P(AsyncClientInterceptors, PrecedeTheReplyHandler) {
  std::vector<std::string> before;
  handler->then = [&] { before = of_a(client.log.take()); };
  later->sendc_add(handler, 2, 3);
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre("add 5"));
  EXPECT_THAT(before,
              ElementsAre("send_request add", "receive_other add", "send_request add", "receive_reply add"));
}

TEST_P(AsyncClientInterceptors, PrecedeAPollerWithoutAWaitingThread) {
  const auto poller = later->sendp_add(2, 3);
  EXPECT_TRUE(becomes_true([&] { return poller->is_ready(0); }));
  std::int32_t sum = 0;
  poller->add(0, sum);
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(client.log.size(), 8u);
}

TEST_P(AsyncClientInterceptors, SeeRequestAndReply) {
  std::uint32_t id = 0;
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    id = info->request_id();
    EXPECT_FALSE(info->response_expected());
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TRANSPORT);
    EXPECT_EQ(info->reply_status(), pi::SUCCESSFUL);
    EXPECT_TRUE(info->target()->_is_equivalent(later));
  };
  client.client_a->on["receive_exception"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->request_id(), id);
    EXPECT_TRUE(info->response_expected());
    EXPECT_EQ(info->received_exception_id(), "IDL:AsyncTest/Refused:1.0");
  };
  auto refused = later->async_turn("", 1);
  EXPECT_THROW(refused.get(), AsyncTest::Refused);
  EXPECT_EQ(client.log.size(), 8u);
}

TEST_P(AsyncClientInterceptors, NeedNotTellRequestAndReplyApartToAddContexts) {
  std::uint8_t number = 0;  // of contexts; the first one is sent
  client.client_a->on["send_request"] = [&](const ClientInfo& info) {
    info->add_request_service_context(context(++number), false);
    EXPECT_THAT(info->get_request_service_context(kContext).context_data(), ElementsAre(1));
  };
  client.client_b->on["send_request"] = [&](const ClientInfo& info) {
    EXPECT_EQ(raised([&] { info->add_request_service_context(context(9), false); }),
              info->response_expected() ? "" : "BAD_INV_ORDER 15");
  };
  EXPECT_EQ(later->async_add(2, 3).get(), 5);
  EXPECT_EQ(number, 2);
}

TEST_P(AsyncClientInterceptors, PreventTheRequest) {
  client.client_b->on["send_request"] = [](const ClientInfo&) { throw CORBA::NO_PERMISSION(3); };
  EXPECT_EQ(raised([&] { (void)later->async_hold(5); }), "NO_PERMISSION 3");
  EXPECT_THAT(client.log.take(),
              ElementsAre("A send_request hold", "B send_request hold", "A receive_exception hold"));
  client.client_b->on.clear();
  EXPECT_EQ(later->add(1, 2), 3);
  EXPECT_TRUE(servant->take().empty());
}

TEST_P(AsyncClientInterceptors, ChangeTheResult) {
  client.client_b->on["receive_reply"] = [](const ClientInfo&) { throw CORBA::NO_PERMISSION(8); };
  auto future = later->async_add(1, 2);
  EXPECT_EQ(raised([&] { future.get(); }), "NO_PERMISSION 8");
  client.client_b->on.clear();
  client.client_b->on["receive_other"] = [](const ClientInfo&) { throw CORBA::NO_PERMISSION(9); };
  future = later->async_add(1, 2);
  EXPECT_EQ(raised([&] { future.get(); }), "NO_PERMISSION 9");
}

TEST_P(AsyncClientInterceptors, ForwardTheRequest) {
  const auto other = CORBA::make_reference<DeferringServant>();
  const LaterRef there = asynctest::serve(server, client.orb, other);
  int forwarded = 0;
  client.client_b->on["send_request"] = [&](const ClientInfo&) {
    if (forwarded++ == 0) throw pi::ForwardRequest(there);
  };
  auto future = later->async_hold(4);
  ASSERT_TRUE(other->holds(1));
  other->take().begin()->second.reply(44);
  EXPECT_EQ(future.get(), 44);
  EXPECT_THAT(of_a(client.log.take()),
              ElementsAre("send_request hold", "receive_other hold", "send_request hold",
                          "receive_other hold", "send_request hold", "receive_reply hold"));
}

TEST_P(AsyncClientInterceptors, SeeThatTheServantForwardsTheRequest) {
  const auto other = CORBA::make_reference<DeferringServant>();
  const LaterRef there = asynctest::serve(server, client.orb, other);
  std::vector<bool> forwards;
  client.client_a->on["receive_other"] = [&](const ClientInfo& info) {
    forwards.push_back(info->reply_status() == pi::LOCATION_FORWARD);
    if (forwards.back()) {
      EXPECT_TRUE(info->forward_reference()->_is_equivalent(there));
    }
  };
  auto future = later->async_hold(4);
  ASSERT_TRUE(servant->holds(1));
  servant->take().begin()->second.raise(PortableServer::ForwardRequest(there));
  ASSERT_TRUE(other->holds(1));
  other->take().begin()->second.reply(44);
  EXPECT_EQ(future.get(), 44);
  EXPECT_THAT(forwards, ElementsAre(false, true, false));
  EXPECT_THAT(
      of_a(client.log.take()),
      ElementsAre("send_request hold", "receive_other hold", "send_request hold", "receive_other hold",
                  "send_request hold", "receive_other hold", "send_request hold", "receive_reply hold"));
}

TEST_P(AsyncClientInterceptors, SeeThatACallIsCancelled) {
  client.client_a->on["receive_exception"] = [&](const ClientInfo& info) {
    EXPECT_EQ(info->received_exception_id(), "IDL:omg.org/CORBA/TRANSIENT:1.0");
  };
  auto future = later->async_hold(4);
  ASSERT_TRUE(servant->holds(1));
  future.cancel();
  EXPECT_THROW(future.get(), CORBA::TRANSIENT);
  EXPECT_EQ(of_a(client.log.take()).back(), "receive_exception hold");
}

TEST_P(AsyncClientInterceptors, MakeCallsOfTheSameConnection) {
  const auto call = [&](const ClientInfo& info) {
    if (info->operation() == "add") {
      EXPECT_EQ(later->twice(4), 8);
      EXPECT_EQ(later->async_twice(5).get(), 10);
    }
  };
  client.client_a->on["receive_other"] = call;
  client.client_a->on["receive_reply"] = call;
  EXPECT_EQ(later->async_add(2, 3).get(), 5);
  later->sendc_add(handler, 2, 3);
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre("add 5"));
}

TEST_P(AsyncClientInterceptors, AreCalledForAFutureThatAReplyHandlerAwaits) {
  handler->then = [&] { EXPECT_EQ(later->async_twice(21).get(), 42); };
  later->sendc_add(handler, 2, 3);
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre("add 5"));
  EXPECT_EQ(client.log.size(), 16u);
}

TEST_P(AsyncClientInterceptors, HaveTheSlotsOfTheCallingThread) {
  client.current()->set_slot(client.slot, any_of(77));
  std::vector<std::int32_t> seen;
  const auto look = [&](const ClientInfo& info) { seen.push_back(number_in(info->get_slot(client.slot))); };
  client.client_a->on["send_request"] = look;
  client.client_a->on["receive_reply"] = look;
  EXPECT_EQ(later->async_add(2, 3).get(), 5);
  EXPECT_THAT(seen, ElementsAre(77, 77, 77));
}

TEST_P(AsyncClientInterceptors, EndAllCallsOfALargeNumber) {
  constexpr int kCalls = 500;
  std::vector<orbweaver::Future<std::int32_t>> futures;
  for (int i = 0; i < kCalls; ++i) futures.push_back(later->async_add(i, 1));
  for (int i = 0; i < kCalls; ++i) ASSERT_EQ(futures[static_cast<std::size_t>(i)].get(), i + 1);
  EXPECT_EQ(client.log.size(), 8u * kCalls);
}

INSTANTIATE_TEST_SUITE_P(Threads, AsyncClientInterceptors,
                         ::testing::Values("connection", "single", "pool:2"),
                         [](const auto& each) { return std::string(each.param).substr(0, 4); });

/// Client and server with interceptors.
struct LaterReplies : ::testing::Test {
  RecordedOrb client;
  RecordedOrb server;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = asynctest::serve(server.orb, client.orb, servant);

  ~LaterReplies() override {
    client.orb.destroy();
    server.orb.destroy();
  }
  DeferringServant::Held held() {
    EXPECT_TRUE(servant->holds(1));
    return servant->take().begin()->second;
  }
};

TEST_F(LaterReplies, CarryServiceContexts) {
  client.client_a->on["send_request"] = [](const ClientInfo& info) {
    if (!info->response_expected()) info->add_request_service_context(context(1), false);
  };
  server.server_a->on["send_reply"] = [](const ServerInfo& info) {
    EXPECT_THAT(info->get_request_service_context(kContext).context_data(), ElementsAre(1));
    EXPECT_EQ(info->adapter_name(), std::vector<std::string>{"RootPOA"});
    EXPECT_FALSE(info->object_id().empty());
    info->add_reply_service_context(context(2), false);
  };
  std::vector<std::uint8_t> received;
  client.client_a->on["receive_reply"] = [&](const ClientInfo& info) {
    received = info->get_reply_service_context(kContext).context_data();
  };
  auto future = later->async_hold(4);
  const auto response = held();
  EXPECT_THAT(of_a(server.log.take()), ElementsAre("receive_contexts hold", "receive_request hold"));
  response.reply(44);
  EXPECT_EQ(future.get(), 44);
  EXPECT_THAT(received, ElementsAre(2));
  EXPECT_THAT(server.log.take(), ElementsAre("B send_reply hold", "A send_reply hold"));
}

TEST_F(LaterReplies, AreExceptionsToo) {
  server.server_a->on["send_exception"] = [](const ServerInfo& info) {
    EXPECT_EQ(info->reply_status(), pi::USER_EXCEPTION);
    info->add_reply_service_context(context(2), false);
  };
  std::vector<std::uint8_t> received;
  client.client_a->on["receive_exception"] = [&](const ClientInfo& info) {
    received = info->get_reply_service_context(kContext).context_data();
  };
  std::int32_t counter = 0;
  double half = 0;
  EXPECT_THROW(later->turn("", counter, half), AsyncTest::Refused);
  EXPECT_THAT(received, ElementsAre(2));
  EXPECT_THAT(of_a(server.log.take()),
              ElementsAre("receive_contexts turn", "receive_request turn", "send_exception turn"));
}

TEST_F(LaterReplies, AreReplacedByInterceptors) {
  server.server_a->on["send_reply"] = [](const ServerInfo&) { throw CORBA::NO_PERMISSION(5); };
  EXPECT_EQ(raised([&] { later->add(1, 2); }), "NO_PERMISSION 5");
  server.server_a->on.clear();
  EXPECT_EQ(later->add(1, 2), 3);
}

TEST_F(LaterReplies, HaveAnEndingPointIfTheyAreNeverGiven) {
  auto future = later->async_hold(4);
  { const auto dropped = held(); }
  EXPECT_THROW(future.get(), CORBA::NO_RESPONSE);
  EXPECT_EQ(of_a(server.log.take()).back(), "send_exception hold");
}

TEST_F(LaterReplies, OutliveTheOrb) {
  auto future = later->async_hold(4);
  const auto response = held();
  server.log.take();
  server.orb.destroy();
  EXPECT_THROW(future.get(), CORBA::COMM_FAILURE);
  response.reply(5);
  EXPECT_THAT(of_a(server.log.take()), ElementsAre("destroy", "destroy"));
}

TEST(CollocatedLaterReplies, AreIntercepted) {
  RecordedOrb both;
  const auto servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = asynctest::serve(both.orb, both.orb, servant);
  EXPECT_EQ(later->add(1, 2), 3);
  EXPECT_THAT(
      both.log.take(),
      ElementsAre("A send_request add", "B send_request add", "A receive_contexts add",
                  "B receive_contexts add", "A receive_request add", "B receive_request add",
                  "B send_reply add", "A send_reply add", "B receive_reply add", "A receive_reply add"));
  EXPECT_EQ(later->async_add(3, 4).get(), 7);
  both.orb.destroy();
}

}  // namespace
}  // namespace orbtest
