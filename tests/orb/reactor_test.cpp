// Turns of sources that park: none is lost, whenever the resumption comes.
#include "orb/reactor.h"

#include <gtest/gtest.h>

namespace orbtest {
namespace {

using orbweaver::orb::Reactor;
using orbweaver::orb::Source;
using orbweaver::platform::Deadline;

const Deadline kNow{0};

/// Parks at each turn; resumes itself during it where told to, as another thread may.
class Parking final : public Source {
 public:
  explicit Parking(Reactor& reactor) : reactor_(reactor) {}
  int descriptor() noexcept override { return bell_.fd().get(); }
  After turn() noexcept override {
    ++turns;
    if (resumed_during_turn) {
      resumed_during_turn = false;
      reactor_.resume(*this);
    }
    return After::parked;
  }
  void close_in_order(Deadline) noexcept override {}
  void give_up(Deadline) noexcept override {}

  int turns = 0;
  bool resumed_during_turn = false;

 private:
  Reactor& reactor_;
  orbweaver::platform::WakeUp bell_;
};

struct Turns : ::testing::Test {
  Reactor reactor;
  const std::shared_ptr<Parking> source = std::make_shared<Parking>(reactor);
};

TEST_F(Turns, OneThatHasParkedHasItsNextWhenItIsResumed) {
  ASSERT_TRUE(reactor.add(source));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
  reactor.resume(*source);
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
  EXPECT_EQ(source->turns, 2);
}

TEST_F(Turns, OneThatIsResumedWhileItParksHasAnother) {
  source->resumed_during_turn = true;
  ASSERT_TRUE(reactor.add(source));
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_TRUE(reactor.step(kNow)) << "what resumed it is still to be looked at";
  EXPECT_FALSE(reactor.step(kNow));
  EXPECT_EQ(source->turns, 2);
}

TEST_F(Turns, AllThatAreResumedWhileTheyParkHaveAnother) {
  ASSERT_TRUE(reactor.add(source));
  Source* const running = reactor.next(kNow);
  ASSERT_NE(running, nullptr);
  reactor.resume_all();
  reactor.run(*running);
  EXPECT_TRUE(reactor.step(kNow));
  EXPECT_FALSE(reactor.step(kNow));
}

}  // namespace
}  // namespace orbtest
