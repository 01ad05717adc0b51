#include "platform/timer_fd.h"

#include <gtest/gtest.h>

#include "platform/socket.h"

namespace orbweaver::platform {
namespace {

TEST(TimerFd, BecomesReadableAtItsTime) {
  TimerFd timer;
  EXPECT_EQ(poll(timer.fd(), kReadable, Deadline{0}), 0u);
  const std::int64_t start = now_ns();
  timer.set(Deadline::in_ms(20));
  EXPECT_EQ(poll(timer.fd(), kReadable, Deadline::in_ms(120'000)), static_cast<unsigned>(kReadable));
  EXPECT_GE(now_ns() - start, 19'000'000);
  timer.set(Deadline::never());
  EXPECT_EQ(poll(timer.fd(), kReadable, Deadline::in_ms(5)), 0u);
  timer.set(Deadline{0});
  EXPECT_EQ(poll(timer.fd(), kReadable, Deadline::in_ms(120'000)), static_cast<unsigned>(kReadable))
      << "a time in the past";
}

}  // namespace
}  // namespace orbweaver::platform
