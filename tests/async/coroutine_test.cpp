// Futures that coroutines await.
#include <gmock/gmock.h>

#include <orbweaver/future.h>

#include <coroutine>

#include "later_servants.h"

namespace asynctest {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// A coroutine that starts at once, and that nobody waits for.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { std::terminate(); }
  };
};

Detached add_up(LaterRef later, int calls, Arrivals& done) {
  std::int32_t sum = 0;
  for (int i = 0; i < calls; ++i) sum = co_await later->async_add(sum, 1);
  done.add(std::to_string(sum));
}

Detached turn(LaterRef later, std::string text, Arrivals& done) {
  try {
    const auto [turned, counter, half] = co_await later->async_turn(text, 3);
    done.add(turned);
  } catch (const AsyncTest::Refused& e) {
    done.add("refused " + e.why());
  }
}

Detached hold(LaterRef later, orbweaver::Future<std::int32_t>& future, Arrivals& done) {
  try {
    future = later->async_hold(1);
    done.add(std::to_string(co_await future));
  } catch (const CORBA::TRANSIENT&) {
    done.add("cancelled");
  }
}

/// The parameter is the options of the client.
class Coroutines : public ::testing::TestWithParam<const char*> {
 protected:
  Coroutines() : client(GetParam() == std::string() ? Options{} : Options{"-ORBThreads", GetParam()}) {}
  ~Coroutines() override {
    client.destroy();
    server.destroy();
  }
  TestOrb server, client;
  const CORBA::servant_reference<DeferringServant> servant = CORBA::make_reference<DeferringServant>();
  const LaterRef later = serve(server, client, servant);
  Arrivals done;
};

TEST_P(Coroutines, ContinueWithTheResultOfEachCall) {
  for (int i = 0; i < 50; ++i) add_up(later, 20, done);
  const auto all = done.wait_for(50);
  EXPECT_EQ(all.size(), 50u);
  EXPECT_THAT(all, Each("20"));
}

TEST_P(Coroutines, CatchTheExceptionOfTheCall) {
  turn(later, "abc", done);
  turn(later, "", done);
  EXPECT_THAT(done.wait_for(2), ElementsAre("cba", "refused nothing to turn"));
}

TEST_P(Coroutines, AreResumedWhenTheCallIsCancelled) {
  orbweaver::Future<std::int32_t> future;
  hold(later, future, done);
  ASSERT_TRUE(servant->holds(1));
  future.cancel();
  EXPECT_THAT(done.wait_for(1), ElementsAre("cancelled"));
}

INSTANTIATE_TEST_SUITE_P(Threads, Coroutines, ::testing::Values("", "pool:2"), [](const auto& test) {
  return std::string(test.param).empty() ? std::string("connection") : std::string("pool");
});

}  // namespace
}  // namespace asynctest
