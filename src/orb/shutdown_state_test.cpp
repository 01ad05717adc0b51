// Progress of the shutdown of an ORB.
#include "orb/shutdown_state.h"

#include <gtest/gtest.h>
#include <orbweaver/exception.h>

#include <thread>

namespace orbweaver::orb {
namespace {

TEST(ShutdownState, RunsUntilTheShutdownIsRequested) {
  ShutdownState state;
  EXPECT_TRUE(state.running());
  EXPECT_NO_THROW(state.check_running());
  state.request();
  state.request();
  EXPECT_FALSE(state.running());
  EXPECT_THROW(state.check_running(), CORBA::BAD_INV_ORDER);
  state.wait();  // returns at once
}

TEST(ShutdownState, WakesAWaitingThread) {
  ShutdownState state;
  std::thread waiting([&] { state.wait(); });
  state.request();
  waiting.join();
}

TEST(ShutdownState, LetsOneThreadFinishAndTheOthersWaitForIt) {
  ShutdownState state;
  state.request();
  ASSERT_TRUE(state.begin_finish());
  bool is_complete = false, was_complete = false;
  std::thread second([&] {
    EXPECT_FALSE(state.begin_finish());
    was_complete = is_complete;
  });
  is_complete = true;
  state.end_finish();
  second.join();
  EXPECT_TRUE(was_complete);
  EXPECT_FALSE(state.begin_finish());
}

}  // namespace
}  // namespace orbweaver::orb
