// Tests of frames larger than all buffers: cut off by a deadline, or rejected by the receiver's limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "transport/testing/ends.h"
#include "transport/testing/fixtures.h"

namespace orbweaver::transport::testing {
namespace {

/// Returns more bytes than the kernel buffers for a connection whose other end does not read, on any
/// configuration.
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
    if (GetParam() == "mqueue" && !MqueueFixture::unavailable().empty())
      GTEST_SKIP() << MqueueFixture::unavailable();
  }
  static Transport& transport() {
    for (Transport* each : {&inproc_transport(), &shm_transport(), &mqueue_transport(), &unix_transport()}) {
      if (GetParam() == each->name()) return *each;
    }
    return tcp_transport();
  }
};

TEST_P(LargeFrame, ClosesTheChannelWhenHalfSentAtTheDeadline) {
  for (const WaitStrategy wait : kEveryWait) {
    SCOPED_TRACE(to_string(wait));
    ChannelOptions options = options_for(wait);
    options.max_frame_bytes = more_than_the_kernel_holds();
    Ends ends = connect_ends(transport(), "", options, options);
    // No thread reads. The frame is written before its deadline begins, so that part of it is sent on the
    // slowest machine.
    Result<MutableBytes> room = ends.near->claim(options.max_frame_bytes, Deadline::never());
    ASSERT_TRUE(ok(room));
    write_header(room->data(), options.max_frame_bytes, 0);
    EXPECT_TRUE(
        fails_with(ErrorKind::timed_out, ends.near->commit(options.max_frame_bytes, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, send_frame(*ends.near, 500, 1, Deadline::in_ms(100))));
    EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline())));
  }
}

TEST_P(LargeFrame, StopsReceivingBeyondTheLimit) {
  ChannelOptions strict = options_for();
  strict.max_frame_bytes = 100'000;
  Ends ends = connect_ends(transport(), "", options_for(), strict);
  std::thread receiving(
      [&] { EXPECT_TRUE(fails_with(ErrorKind::disconnected, ends.far->receive(hang_deadline()))); });
  // The kernel may buffer all of a frame that is not received, and of the next: several are sent until one
  // fails.
  const Deadline hang = hang_deadline();
  Result<void> sent = send_frame(*ends.near, kMaxFrameBytes, 0, hang);
  while (sent && !hang.passed()) sent = send_frame(*ends.near, kMaxFrameBytes, 1, hang);
  EXPECT_TRUE(fails_with(ErrorKind::disconnected, sent));
  receiving.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, LargeFrame, ::testing::Values("inproc", "shm", "mqueue", "unix", "tcp"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbweaver::transport::testing
