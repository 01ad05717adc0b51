#pragma once

#include "platform/socket.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {

/// Checks that queued frames are sent by one system call and received by one, and that a receiver does not
/// poll before all of them are received.
inline void expect_one_system_call_each_way(Ends& ends, std::uint32_t frames, std::size_t bytes) {
  std::uint64_t before = platform::system_calls_made();
  for (std::uint32_t i = 0; i < frames; ++i) ASSERT_TRUE(ok(queue_frame(*ends.near, bytes + i, i)));
  EXPECT_EQ(platform::system_calls_made() - before, 0u);
  ASSERT_TRUE(ok(flush(*ends.near, Deadline::never())));
  EXPECT_EQ(platform::system_calls_made() - before, 1u);
  before = platform::system_calls_made();
  for (std::uint32_t i = 0; i < frames; ++i) {
    ASSERT_TRUE(receives(*ends.far, bytes + i, i, Deadline::never()));
    EXPECT_EQ(readiness(*ends.far).arm(), i + 1 == frames) << "frame " << i;
  }
  EXPECT_EQ(platform::system_calls_made() - before, 1u);
}

}  // namespace orbweaver::transport::testing
