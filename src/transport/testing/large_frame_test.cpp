// Frames larger than all buffers: cut off by a deadline, or by a receiver that takes no such frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "transport/testing/ends.h"
#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {
namespace {

/// More than the kernel keeps for a connection whose other end does not read, whatever this machine allows.
std::size_t more_than_the_kernel_holds() {
  std::size_t total = kMaxFrameBytes;
  for (const char* limit : {"/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"}) {
    std::size_t least = 0, usual = 0, most = 0;
    std::ifstream(limit) >> least >> usual >> most;
    total += most;
  }
  return total;
}

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
    ChannelOptions options = options_for(wait);
    options.max_frame_bytes = more_than_the_kernel_holds();
    Ends ends = connect_ends(transport(), "", options, options);
    // Nobody reads. The frame is made before its deadline begins, so that some of it leaves on the slowest machine.
    Result<MutableBytes> room = ends.near->claim(options.max_frame_bytes, Deadline::never());
    ASSERT_TRUE(ok(room));
    write_header(room->data(), options.max_frame_bytes, 0);
    EXPECT_TRUE(fails_with(Remedy::wait, ends.near->commit(options.max_frame_bytes, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(Remedy::reconnect, send_frame(*ends.near, 500, 1, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(hang_deadline())));
  }
}

TEST_P(LargeFrame, BeyondItsReceiversLimitIsNotTakenToItsEnd) {
  ChannelOptions strict = options_for();
  strict.max_frame_bytes = 100'000;
  Ends ends = connect_ends(transport(), "", options_for(), strict);
  std::thread receiving([&] { EXPECT_TRUE(fails_with(Remedy::reconnect, ends.far->receive(hang_deadline()))); });
  // The kernel may take all of a frame whose receiver takes none, and of the next: a few come to an end.
  const Deadline hang = hang_deadline();
  Result<void> sent = send_frame(*ends.near, kMaxFrameBytes, 0, hang);
  while (sent && !hang.passed()) sent = send_frame(*ends.near, kMaxFrameBytes, 1, hang);
  EXPECT_TRUE(fails_with(Remedy::reconnect, sent));
  receiving.join();
}

INSTANTIATE_TEST_SUITE_P(Roads, LargeFrame, ::testing::Values("inproc", "shm", "mqueue", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbweaver::transport::testing
