// Servants that answer later.
#include <gmock/gmock.h>

#include <orbweaver/future.h>
#include <orbweaver/response.h>

#include <future>
#include <thread>

#include "later_servants.h"
#include "orb/minor_codes.h"
#include "platform/testing/waiting_thread.h"

namespace asynctest {
namespace {

namespace minor = orbweaver::minor;
using orbtest::raised_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The parameter is the thread policy of the server.
class Responses : public ::testing::TestWithParam<const char*> {
 protected:
  Responses() {
    if (std::string(GetParam()) == "single") runs_ = std::thread([this] { server.orb->run(); });
  }
  ~Responses() override {
    client.destroy();
    stop_server();
  }
  void stop_server() {
    if (runs_.joinable()) {
      server.orb->shutdown(false);
      runs_.join();
    }
    server.destroy();
  }
  /// The one call that is held.
  DeferringServant::Held held() {
    EXPECT_TRUE(servant->holds(1));
    return servant->take().begin()->second;
  }

  TestOrb server{{"-ORBThreads", GetParam()}};
  TestOrb client;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(server, client, servant);
  std::thread runs_;
};

TEST_P(Responses, AreSentByAnyThreadInAnyOrder) {
  constexpr int kCalls = 2'000;
  std::vector<orbweaver::Future<std::int32_t>> futures;
  for (int i = 0; i < kCalls; ++i) futures.push_back(later->async_hold(i));
  EXPECT_EQ(later->add(1, 2), 3);  // the server's thread serves others meanwhile
  ASSERT_TRUE(servant->holds(kCalls));
  auto all = servant->take();
  std::thread other([&] {
    for (auto at = all.rbegin(); at != all.rend(); ++at) at->second.reply(-at->first);
  });
  for (int i = 0; i < kCalls; ++i) ASSERT_EQ(futures[i].get(), -i);
  other.join();
}

TEST_P(Responses, ReachSynchronousCallers) {
  std::thread caller([&] { EXPECT_EQ(later->hold(4), 40); });
  held().reply(40);
  caller.join();
}

TEST_P(Responses, AreGivenOnce) {
  auto future = later->async_hold(1);
  const auto response = held();
  EXPECT_TRUE(response.is_awaited());
  response.reply(2);
  EXPECT_FALSE(response.is_awaited());
  EXPECT_THAT(raised_by<CORBA::BAD_INV_ORDER>([&] { response.reply(3); }, minor::kAnsweredTwice),
              HasSubstr("hold has a reply already"));
  EXPECT_EQ(future.get(), 2);
}

TEST_P(Responses, ToCancelledCallsLeaveTheOthersOutstanding) {
  auto cancelled = later->async_hold(1), other = later->async_hold(2);
  ASSERT_TRUE(servant->holds(2));
  cancelled.cancel();
  auto all = servant->take();
  for (auto& [n, response] : all)
    response.reply(10 * n);  // in this order: the reply of the other one is last
  EXPECT_EQ(other.get(), 20);
  EXPECT_EQ(later->add(1, 2), 3);
}

TEST_P(Responses, MayBeExceptions) {
  auto future = later->async_hold(1);
  held().raise(CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_NO, "not today"));
  EXPECT_THAT(raised_by<CORBA::NO_PERMISSION>([&] { future.get(); }, 7), HasSubstr("not today"));
  // hold does not declare it.
  auto undeclared = later->async_hold(1);
  held().raise(AsyncTest::Refused("no"));
  EXPECT_THROW(undeclared.get(), CORBA::UNKNOWN);
  std::int32_t counter = 0;
  double half = 0;
  EXPECT_THROW(later->turn("", counter, half), AsyncTest::Refused);
}

TEST_P(Responses, AreExceptionsIfTheyAreDropped) {
  auto future = later->async_hold(1);
  ASSERT_TRUE(servant->holds(1));
  servant->take();
  EXPECT_THAT(raised_by<CORBA::NO_RESPONSE>([&] { future.get(); }, minor::kNoReplyGiven),
              HasSubstr("no reply to hold"));
}

TEST_P(Responses, HaveNoEffectWhenTheClientHasGone) {
  auto future = later->async_hold(1);
  const auto response = held();
  client.destroy();
  EXPECT_TRUE(becomes_true([&] { return !response.is_awaited(); }));
  response.reply(1);
}

TEST_P(Responses, AreCommFailureWhenTheServerShutsDown) {
  auto future = later->async_hold(1);
  const auto response = held();
  stop_server();
  EXPECT_THROW(future.get(), CORBA::COMM_FAILURE);
  response.reply(1);
}

// The end of the last request in progress closes the connection, and answers the others.
TEST_P(Responses, AreCommFailureWhenARequestEndsAtTheShutdown) {
  std::promise<void> entered, may_leave;
  servant->in_note = [&, leave = may_leave.get_future().share()] {
    entered.set_value();
    leave.wait();
  };
  auto first = later->async_hold(1), second = later->async_hold(2);
  ASSERT_TRUE(servant->holds(2));
  later->note(3);
  entered.get_future().wait();
  orbweaver::platform::testing::WaitingThread stopping([this] { stop_server(); });
  EXPECT_TRUE(stopping.waits()) << "for the request";
  may_leave.set_value();
  stopping.join();
  EXPECT_THROW(first.get(), CORBA::COMM_FAILURE);
  EXPECT_THROW(second.get(), CORBA::COMM_FAILURE);
  for (auto& [n, held] : servant->take()) held.reply(n);
}

INSTANTIATE_TEST_SUITE_P(Threads, Responses,
                         ::testing::Values("connection", "pool:2", "unordered:1", "unordered:2", "single"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, ':');
                           return name;
                         });

TEST(DeferredRequests, AreRejectedAboveTheLimit) {
  TestOrb server({"-ORBTune", "deferred-requests=2"}), client;
  const auto servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(server, client, servant);
  auto first = later->async_hold(1), second = later->async_hold(2), third = later->async_hold(3);
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { third.get(); }, minor::kServiceBudgetExceeded),
              HasSubstr("deferred-requests"));
  for (auto& [n, held] : servant->take()) held.reply(n);
  EXPECT_EQ(first.get() + second.get(), 3);
  EXPECT_EQ(later->async_add(1, 1).get(), 2);
  client.destroy();
}

TEST(DeferredRequests, OfTheSameOrbTakeATransport) {
  TestOrb orb;
  const auto servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(orb, orb, servant);
  std::thread caller([&] { EXPECT_EQ(later->hold(1), 5); });
  ASSERT_TRUE(servant->holds(1));
  servant->take().begin()->second.reply(5);
  caller.join();
}

}  // namespace
}  // namespace asynctest
