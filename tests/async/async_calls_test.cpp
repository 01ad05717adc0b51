// Asynchronous calls with reply handlers, pollers and futures.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/future.h>
#include <orbweaver/messaging.h>

#include <atomic>
#include <optional>

#include "later_servants.h"
#include "orb/minor_codes.h"
#include "testing/server_process.h"

namespace asynctest {
namespace {

using namespace std::chrono_literals;
namespace minor = orbweaver::minor;
using orbtest::raised_by;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The parameter is a transport, or "collocated": client and servant in one ORB. The rest of its words are
/// options of the client.
class AsyncCalls : public ::testing::TestWithParam<std::string> {
 protected:
  AsyncCalls() {
    if (words_[0] != "collocated") client_.emplace(options());
    later = serve(server, client(), servant);
  }
  ~AsyncCalls() override {
    for (auto& [n, held] : servant->take()) held.reply(n);
    if (client_) client_->destroy();
    server.destroy();
  }
  TestOrb& client() { return client_ ? *client_ : server; }
  Options options() const {
    Options all{"-ORBTransportPreference", words_[0]};
    all.insert(all.end(), words_.begin() + 1, words_.end());
    return all;
  }
  static Options split(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
  }
  void answer_held() {
    for (auto& [n, held] : servant->take()) held.reply(n);
  }
  LaterRef with_timeout(std::int64_t ms) {
    CORBA::Any value;
    value <<= static_cast<std::uint64_t>(ms * 10'000);
    const auto limited = later->_set_policy_overrides(
        {client().orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value)},
        CORBA::SetOverrideType::ADD_OVERRIDE);
    return LaterRef::adopt(AsyncTest::Later::_make(limited->_reference()));
  }

  const Options words_ = split(GetParam());
  TestOrb server{words_[0] == "mqueue" ? Options{"-ORBListen", "mqueue"} : Options{}};
  std::optional<TestOrb> client_;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  LaterRef later;
  const CORBA::object_reference<Recorder> handler = CORBA::make_reference<Recorder>();
};

TEST_P(AsyncCalls, PassResultsAndExceptionsToTheHandlerInOrder) {
  later->sendc_add(handler, 2, 3);
  later->sendc_turn(handler, "abc", 5);
  later->sendc_turn(handler, "", 5);
  const std::vector<double> samples{1, 2, 4};
  later->sendc_sum(handler, samples);
  later->sendc_nothing(handler);
  later->sendc_set_level(handler, 7);
  later->sendc_get_level(handler);
  later->sendc_get_name(handler);
  later->sendc_echo(handler, AsyncTest::Octets(100'000));
  later->sendc_echo(handler, AsyncTest::Octets(3'000'000));
  EXPECT_THAT(handler->arrivals.wait_for(10),
              ElementsAre("add 5", "turn cba 6 2.500000", "refused nothing to turn", "sum 7.000000",
                          "nothing", "level set", "level 7", "name later", "echo 100000", "echo 3000000"));
}

TEST_P(AsyncCalls, ReturnFutures) {
  auto sum = later->async_add(20, 22);
  auto turned = later->async_turn("xy", 3);
  orbweaver::Future<void> nothing = later->async_nothing();
  auto refused = later->async_turn("", 1);
  EXPECT_EQ(sum.get(), 42);
  EXPECT_FALSE(sum.valid());
  EXPECT_EQ(turned.get(), std::make_tuple(std::string("yx"), 4, 1.5));
  nothing.get();
  EXPECT_THROW(refused.get(), AsyncTest::Refused);
  EXPECT_THROW(sum.get(), CORBA::BAD_INV_ORDER);
}

TEST_P(AsyncCalls, LetSynchronousCallsPass) {
  auto held = later->async_hold(1);
  ASSERT_TRUE(servant->holds(1));
  EXPECT_EQ(later->add(1, 2), 3);
  EXPECT_FALSE(held.wait_for(1ms));
  answer_held();
  EXPECT_TRUE(held.wait_for(std::chrono::hours::max()));
  EXPECT_EQ(held.get(), 1);
}

TEST_P(AsyncCalls, ReturnPollers) {
  const auto poller = later->sendp_hold(9);
  std::int32_t result = 0;
  ASSERT_TRUE(servant->holds(1));
  EXPECT_FALSE(poller->is_ready(0));
  EXPECT_EQ(poller->operation_name(), "hold");
  EXPECT_THAT(raised_by<CORBA::NO_RESPONSE>([&] { poller->hold(0, result); }, minor::kNoResponseYet),
              HasSubstr("no reply to hold"));
  EXPECT_THAT(raised_by<CORBA::TIMEOUT>([&] { poller->hold(1, result); }, minor::kPollTimeout),
              HasSubstr("within 1 ms"));
  EXPECT_THAT(raised_by<CORBA::BAD_OPERATION>([&] { poller->add(0, result); }, minor::kOtherOperation),
              HasSubstr("hold, not of add"));
  answer_held();
  EXPECT_TRUE(poller->is_ready(0xffffffff));
  poller->hold(0, result);
  EXPECT_EQ(result, 9);
  EXPECT_THAT(raised_by<CORBA::OBJECT_NOT_EXIST>([&] { poller->hold(0, result); }, minor::kResultsTaken),
              HasSubstr("have been taken"));
}

TEST_P(AsyncCalls, EndAtTheirDeadline) {
  const LaterRef limited = with_timeout(50);
  limited->sendc_hold(handler, 1);
  auto future = limited->async_hold(2);
  EXPECT_THROW(future.get(), CORBA::TIMEOUT);
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre("TIMEOUT maybe"));
  // Their replies are ignored when they arrive.
  ASSERT_TRUE(servant->holds(2));
  answer_held();
  EXPECT_EQ(later->add(1, 1), 2);
  EXPECT_EQ(later->async_add(2, 2).get(), 4);
}

TEST_P(AsyncCalls, AreCancelled) {
  auto future = later->async_hold(1);
  ASSERT_TRUE(servant->holds(1));
  future.cancel();
  EXPECT_TRUE(future.is_ready());
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { future.get(); }, minor::kCallCancelled),
              HasSubstr("cancelled"));
  answer_held();
  EXPECT_EQ(later->async_add(2, 2).get(), 4);
}

TEST_P(AsyncCalls, MayBeMadeInHandlers) {
  // Each handler makes the next asynchronous call, a synchronous one, and waits for a future.
  std::atomic<int> left{20};
  handler->then = [&] {
    if (left.fetch_sub(1) <= 0) return;
    EXPECT_EQ(later->add(1, 1), 2);
    EXPECT_EQ(later->async_add(2, 2).get(), 4);
    later->sendc_add(handler, 3, 3);
  };
  later->sendc_add(handler, 3, 3);
  EXPECT_THAT(handler->arrivals.wait_for(21), Each("add 6"));
}

TEST_P(AsyncCalls, ThrowAboveTheLimit) {
  TestOrb limited({"-ORBTransportPreference", words_[0] == "collocated" ? "inproc" : words_[0], "-ORBTune",
                   "async-calls=2"});
  const auto object = limited.orb->string_to_object(client().orb->object_to_string(later));
  const LaterRef ref = LaterRef::adopt(AsyncTest::Later::_make(object->_reference()));
  auto first = ref->async_hold(1);
  auto second = ref->async_hold(2);
  EXPECT_THAT(
      raised_by<CORBA::TRANSIENT>([&] { static_cast<void>(ref->async_hold(3)); }, minor::kTooManyAsyncCalls),
      HasSubstr("-ORBTune async-calls"));
  ASSERT_TRUE(servant->holds(2));
  answer_held();
  EXPECT_EQ(first.get() + second.get(), 3);
  EXPECT_EQ(ref->async_add(1, 2).get(), 3);
}

TEST_P(AsyncCalls, EndWhenTheirOrbIsDestroyed) {
  auto future = later->async_hold(1);
  later->sendc_hold(handler, 2);
  ASSERT_TRUE(servant->holds(2));
  client().destroy();
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre(HasSubstr("COMM_FAILURE")));
  EXPECT_TRUE(future.is_ready());
  EXPECT_THROW(future.get(), CORBA::COMM_FAILURE);
}

TEST_P(AsyncCalls, AreNotExecutedWithinTheFunctionThatSendsThem) {
  EXPECT_EQ(later->async_add(1, 1).get(), 2);
  EXPECT_NE(servant->add_thread(), std::this_thread::get_id());
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Transports, AsyncCalls,
                         ::testing::Values("collocated", "inproc", "shm", "shm -ORBWait spin",
                                           "shm -ORBWait block", "mqueue", "unix", "tcp",
                                           "shm -ORBThreads pool:2", "unix -ORBThreads pool:2",
                                           "tcp -ORBThreads unordered:2"),
                         test_name);

/// 100,000 calls on one connection.
class ManyAsyncCalls : public AsyncCalls {};

TEST_P(ManyAsyncCalls, AreOutstandingWithoutAThreadForEach) {
  constexpr std::size_t kCalls = 100'000;
  later->async_add(1, 1).get();  // starts the threads of the connection
  auto last = later->async_hold(-1);
  ASSERT_TRUE(servant->holds(1));
  const std::size_t threads = orbtest::threads();
  for (std::size_t i = 0; i < kCalls; ++i) later->sendc_hold(handler, static_cast<std::int32_t>(i));
  ASSERT_TRUE(servant->holds(kCalls + 1));
  EXPECT_LE(orbtest::threads(), threads + 1);  // one that sends what needs a wait
  EXPECT_EQ(handler->arrivals.number(), 0u);
  answer_held();
  EXPECT_EQ(last.get(), -1);
  const auto all = handler->arrivals.wait_for(kCalls);
  ASSERT_EQ(all.size(), kCalls);
  for (std::size_t i = 0; i < kCalls; ++i) ASSERT_EQ(all[i], "hold " + std::to_string(i));
}

TEST_P(ManyAsyncCalls, AreSentWhileAHandlerWaitsForTheSender) {
  // The handlers wait for a lock that the sending thread holds. The server answers until its replies fill the
  // transport, and then reads no more requests.
  constexpr int kCalls = 3'000;
  std::mutex mutex;
  handler->then = [&] { const std::lock_guard lock(mutex); };
  {
    const std::lock_guard lock(mutex);
    const AsyncTest::Octets data(4'000);
    for (int i = 0; i < kCalls; ++i) later->sendc_echo(handler, data);
  }
  EXPECT_THAT(handler->arrivals.wait_for(kCalls), Each("echo 4000"));
}

INSTANTIATE_TEST_SUITE_P(Transports, ManyAsyncCalls,
                         ::testing::Values("inproc", "shm", "mqueue", "unix", "tcp",
                                           "unix -ORBThreads pool:2"),
                         test_name);

/// A client with one thread, which serves the ORB while it waits.
TEST(SingleThreadedClient, RunsHandlersInItsThread) {
  for (const char* transport : {"shm", "unix", "tcp", "inproc"}) {
    SCOPED_TRACE(transport);
    TestOrb server, client({"-ORBThreads", "single", "-ORBTransportPreference", transport});
    const auto servant = CORBA::make_reference<DeferringServant>();
    const LaterRef later = serve(server, client, servant);
    const auto handler = CORBA::make_reference<Recorder>();
    std::vector<std::thread::id> ran_in;
    handler->then = [&] {
      ran_in.push_back(std::this_thread::get_id());
      EXPECT_EQ(later->async_add(2, 2).get(), 4);
    };
    const AsyncTest::Octets data(4'000);
    constexpr std::size_t kCalls = 1'000;
    for (std::size_t i = 0; i < kCalls; ++i) later->sendc_echo(handler, data);
    EXPECT_EQ(later->async_add(1, 2).get(), 3);
    EXPECT_TRUE(becomes_true([&] {
      client.orb->perform_work();
      return handler->arrivals.number() == kCalls;
    }));
    EXPECT_THAT(ran_in, Each(std::this_thread::get_id()));
    client.destroy();
  }
}

TEST(SingleThreadedClient, RunsHandlersWhileItWaitsForAFutureBeforeRun) {
  for (const char* transport : {"shm", "unix", "tcp"}) {
    SCOPED_TRACE(transport);
    TestOrb server, client({"-ORBThreads", "single", "-ORBTransportPreference", transport});
    const auto servant = CORBA::make_reference<DeferringServant>();
    const LaterRef later = serve(server, client, servant);
    const auto handler = CORBA::make_reference<Recorder>();
    handler->then = [&] {
      for (auto& [number, held] : servant->take()) held.reply(number + 1);
    };
    auto awaited = later->async_hold(5);
    ASSERT_TRUE(servant->holds(1));
    later->sendc_add(handler, 1, 2);
    ASSERT_TRUE(awaited.wait_for(kHangTimeout)) << "the handler was not called, which lets the call end";
    EXPECT_EQ(awaited.get(), 6);
    client.destroy();
  }
}

TEST(SingleThreadedClient, LeavesHandlersToItsThreadWhenAnotherWaitsForAFuture) {
  TestOrb server, client({"-ORBThreads", "single"});
  const LaterRef later = serve(server, client, CORBA::make_reference<DeferringServant>());
  const auto handler = CORBA::make_reference<Recorder>();
  std::thread::id ran_in;
  handler->then = [&] { ran_in = std::this_thread::get_id(); };
  std::thread([&] {
    later->sendc_add(handler, 1, 2);
    EXPECT_EQ(later->async_add(2, 2).get(), 4);
  }).join();
  EXPECT_EQ(handler->arrivals.number(), 0u);
  EXPECT_TRUE(becomes_true([&] {
    client.orb->perform_work();
    return handler->arrivals.number() == 1;
  }));
  EXPECT_EQ(ran_in, std::this_thread::get_id());
}

struct AsyncCallsOfADeadServer : ::testing::TestWithParam<const char*> {};

TEST_P(AsyncCallsOfADeadServer, EndWithCommFailure) {
  const std::string transport = GetParam();
  orbtest::ServerProcess server({"-ORBListen", transport == "tcp" ? "tcp:127.0.0.1:0" : transport});
  TestOrb client({"-ORBTransportPreference", transport});
  const auto object = client.orb->string_to_object(server.transient());
  const auto later = LaterRef::adopt(AsyncTest::Later::_make(object->_reference()));
  const auto handler = CORBA::make_reference<Recorder>();
  EXPECT_EQ(later->async_twice(4).get(), 8);
  later->sendc_wait_at_gate(handler, 1);
  auto future = later->async_wait_at_gate(2);
  server.kill();
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre(HasSubstr("COMM_FAILURE maybe")));
  EXPECT_THROW(future.get(), CORBA::SystemException);
}
INSTANTIATE_TEST_SUITE_P(Transports, AsyncCallsOfADeadServer,
                         ::testing::Values("shm", "mqueue", "unix", "tcp"),
                         [](const auto& transport) { return std::string(transport.param); });

TEST(AsyncCallsOfAForwardedObject, AreSentToItsNewPlace) {
  TestOrb first, second, client({"-ORBTransportPreference", "tcp"});
  const auto old_servant = CORBA::make_reference<DeferringServant>();
  const auto new_servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(first, client, old_servant);
  const LaterRef moved = serve(second, first, new_servant);
  const auto handler = CORBA::make_reference<Recorder>();
  auto future = later->async_hold(5);
  later->sendc_hold(handler, 6);
  ASSERT_TRUE(old_servant->holds(2));
  for (auto& [n, held] : old_servant->take()) held.raise(PortableServer::ForwardRequest(moved));
  ASSERT_TRUE(new_servant->holds(2));
  for (auto& [n, held] : new_servant->take()) held.reply(10 * n);
  EXPECT_EQ(future.get(), 50);
  EXPECT_THAT(handler->arrivals.wait_for(1), ElementsAre("hold 60"));
  EXPECT_EQ(later->async_add(1, 1).get(), 2);
}

}  // namespace
}  // namespace asynctest
