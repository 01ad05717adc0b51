#include "platform/alarm.h"

#include <gtest/gtest.h>

#include "platform/socket.h"

namespace orbweaver::platform {
namespace {

TEST(Alarm, RingsWhenItIsTimeUntilItIsSetAgain) {
  Alarm alarm;
  EXPECT_EQ(poll(alarm.fd(), kReadable, Deadline{0}), 0u);
  const std::int64_t start = now_ns();
  alarm.set(Deadline::in_ms(20));
  EXPECT_EQ(poll(alarm.fd(), kReadable, Deadline::in_ms(120'000)), static_cast<unsigned>(kReadable));
  EXPECT_GE(now_ns() - start, 19'000'000);
  alarm.set(Deadline::never());
  EXPECT_EQ(poll(alarm.fd(), kReadable, Deadline::in_ms(5)), 0u);
  alarm.set(Deadline{0});
  EXPECT_EQ(poll(alarm.fd(), kReadable, Deadline::in_ms(120'000)), static_cast<unsigned>(kReadable)) << "a time that has passed";
}

}  // namespace
}  // namespace orbweaver::platform
