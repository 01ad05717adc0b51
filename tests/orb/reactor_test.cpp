// Turns of event handlers that park: no resumption is lost.
#include "orb/server/reactor.h"

#include <gtest/gtest.h>

#include <thread>

namespace orbtest {
namespace {

using orbweaver::orb::EventHandler;
using orbweaver::orb::Reactor;
using orbweaver::platform::Deadline;

const Deadline kNow{0};

/// Parks at each turn, or as `result` says. If `resumed_during_turn` is set, resumes itself during the turn,
/// as another thread may.
class ParkingHandler final : public EventHandler {
 public:
  explicit ParkingHandler(Reactor& reactor) : reactor_(reactor) {}
  int descriptor() noexcept override { return wakeup_.fd().get(); }
  TurnResult handle_event() noexcept override {
    ++turns;
    if (resumed_during_turn) {
      resumed_during_turn = false;
      reactor_.resume(*this);
    }
    return result;
  }
  void close_orderly(Deadline) noexcept override {}
  void close_by(Deadline) noexcept override {}

  TurnResult result = TurnResult::parked;
  int turns = 0;
  bool resumed_during_turn = false;

 private:
  Reactor& reactor_;
  orbweaver::platform::WakeupFd wakeup_;
};

/// Leaves work for after its first turn; during that work, another thread has the next turn.
class DetachingHandler final : public EventHandler {
 public:
  explicit DetachingHandler(Reactor& reactor) : reactor_(reactor) {}
  int descriptor() noexcept override { return wakeup_.fd().get(); }
  TurnResult handle_event() noexcept override {
    return ++turns == 1 ? TurnResult::detached : TurnResult::remove;
  }
  void run_detached() noexcept override {
    std::thread([this] { reactor_.step(Deadline::never()); }).join();
    turns_during_work = turns;
  }
  void close_orderly(Deadline) noexcept override {}
  void close_by(Deadline) noexcept override {}

  int turns = 0, turns_during_work = 0;

 private:
  Reactor& reactor_;
  orbweaver::platform::WakeupFd wakeup_;
};

struct ReactorTurns : ::testing::Test {
  Reactor reactor;
  const std::shared_ptr<ParkingHandler> handler = std::make_shared<ParkingHandler>(reactor);
};

TEST_F(ReactorTurns, RunsTheNextTurnDuringDetachedWork) {
  auto detaching = std::make_shared<DetachingHandler>(reactor);
  ASSERT_TRUE(reactor.add(detaching));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_EQ(detaching->turns_during_work, 2) << "removed by its second turn, and not destroyed meanwhile";
  EXPECT_EQ(detaching.use_count(), 1);
}

TEST_F(ReactorTurns, RunsAgainWhenResumedAfterParking) {
  ASSERT_TRUE(reactor.add(handler));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
  reactor.resume(*handler);
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
  EXPECT_EQ(handler->turns, 2);
}

TEST_F(ReactorTurns, RunsAgainWhenResumedWhileParking) {
  handler->resumed_during_turn = true;
  ASSERT_TRUE(reactor.add(handler));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_TRUE(reactor.step(kNow)) << "the resumption during the turn was lost";
  EXPECT_FALSE(reactor.step(kNow));
  EXPECT_EQ(handler->turns, 2);
}

TEST_F(ReactorTurns, RunsAgainWhenResumedWhileItBeginsToWait) {
  handler->result = EventHandler::TurnResult::wait;
  handler->resumed_during_turn = true;
  ASSERT_TRUE(reactor.add(handler));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_TRUE(reactor.step(kNow)) << "the resumption during the turn was lost";
  EXPECT_FALSE(reactor.step(kNow));
  EXPECT_EQ(handler->turns, 2);
}

TEST_F(ReactorTurns, RunsAllHandlersResumedWhileParking) {
  ASSERT_TRUE(reactor.add(handler));
  EventHandler* const running = reactor.next(kNow);
  ASSERT_NE(running, nullptr);
  reactor.resume_all();
  reactor.run(*running);
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
}

}  // namespace
}  // namespace orbtest
