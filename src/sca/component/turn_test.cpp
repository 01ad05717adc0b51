// The turns of a component's own thread and of the senders of its direct inputs.
#include <orbweaver/sca/detail/turn.h>

#include <gtest/gtest.h>

#include <atomic>

#include "platform/testing/waiting_thread.h"

namespace orbweaver::sca::detail {
namespace {

using platform::testing::WaitingThread;

/// A turn whose senders are admitted.
struct OpenTurn : Turn {
  OpenTurn() {
    enable();
    admit_senders(true);
  }
};

TEST(Turn, IsTheOwnThreadsAfterASenderThatWantsItAgain) {
  OpenTurn turn;
  ASSERT_TRUE(turn.take_as_sender());
  std::atomic<bool> had_turn{false};
  WaitingThread own([&] {
    turn.take();
    had_turn = true;
    turn.release();
  });
  ASSERT_TRUE(own.waits());
  turn.release_as_sender();
  ASSERT_TRUE(turn.take_as_sender());  // at once: it would precede the thread that is to be woken
  EXPECT_TRUE(had_turn);
  turn.release_as_sender();
}

TEST(Turn, IsASendersAfterTheOwnThreadThatWantsItAgain) {
  OpenTurn turn;
  turn.take();
  std::atomic<int> sent{0};
  {
    WaitingThread sender([&] {
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(turn.take_as_sender());
        ++sent;
        turn.release_as_sender();
      }
    });
    ASSERT_TRUE(sender.waits());
    turn.pass();
    EXPECT_GE(sent, 1);
    turn.release();
  }
  EXPECT_EQ(sent, 3);
}

TEST(Turn, IsTheOwnThreadsIfSendersAreNotAdmittedOrClosed) {
  OpenTurn turn;
  turn.take();
  {
    WaitingThread sender([&] { EXPECT_FALSE(turn.take_as_sender()); });
    ASSERT_TRUE(sender.waits());
    turn.admit_senders(false);
    turn.pass();
    turn.admit_senders(true);
    turn.close();
  }
  turn.pass();
  turn.release();
}

}  // namespace
}  // namespace orbweaver::sca::detail
