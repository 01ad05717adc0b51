// Frames larger than all buffers: cut off by a deadline, or by a receiver that takes no such frames.
#include <gtest/gtest.h>

#include "transport/testing/ends.h"
#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {
namespace {

class LargeFrame : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "mqueue" && !MqueueFixture::unavailable().empty()) GTEST_SKIP() << MqueueFixture::unavailable();
  }
  static Transport& transport() {
    for (Transport* each : {&inproc(), &shm(), &mqueue(), &unix_sockets()}) {
      if (GetParam() == each->name()) return *each;
    }
    return tcp();
  }
};

TEST_P(LargeFrame, ThatIsHalfSentAtItsDeadlineEndsTheChannel) {
  for (const Wait wait : kEveryWait) {
    SCOPED_TRACE(word_for(wait));
    Ends ends = connect_ends(transport(), "", options_for(wait), options_for(wait));
    // More than all buffers hold, and nobody reads.
    EXPECT_TRUE(fails_with(Remedy::wait, send_frame(*ends.near, kMaxFrameBytes - 1024, 0, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(Remedy::reconnect, send_frame(*ends.near, 500, 1, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(hang_deadline())));
  }
}

TEST_P(LargeFrame, BeyondItsReceiversLimitIsNotTakenToItsEnd) {
  ChannelOptions strict = options_for();
  strict.max_frame_bytes = 100'000;
  Ends ends = connect_ends(transport(), "", options_for(), strict);
  std::thread receiving([&] { EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(hang_deadline()))); });
  EXPECT_TRUE(fails_with(Remedy::reconnect, send_frame(*ends.near, kMaxFrameBytes, 0, hang_deadline())));
  receiving.join();
}

INSTANTIATE_TEST_SUITE_P(Roads, LargeFrame, ::testing::Values("inproc", "shm", "mqueue", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbweaver::transport::testing
