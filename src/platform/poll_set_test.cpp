#include "platform/poll_set.h"

#include <gtest/gtest.h>

#include <array>

#include "platform/socket.h"

namespace orbweaver::platform {
namespace {

std::size_t ready_now(PollSet& set) {
  std::array<std::uint64_t, 4> tags{};
  return set.wait(tags, Deadline{0});
}

TEST(PollSet, ReturnsTagsOfReadyDescriptors) {
  PollSet set;
  WakeupFd one, two;
  ASSERT_EQ(set.add(one.fd().get(), 1, PollSet::Trigger::level), 0);
  ASSERT_EQ(set.add(two.fd().get(), 2, PollSet::Trigger::level), 0);
  EXPECT_EQ(ready_now(set), 0u);
  two.notify();
  std::array<std::uint64_t, 4> tags{};
  ASSERT_EQ(set.wait(tags, Deadline::never()), 1u);
  EXPECT_EQ(tags[0], 2u);
  EXPECT_EQ(ready_now(set), 1u) << "level-triggered: reported while ready";
  set.remove(two.fd().get());
  EXPECT_EQ(ready_now(set), 0u);
}

TEST(PollSet, ReportsAOneshotDescriptorAfterRearm) {
  PollSet set;
  WakeupFd wake;
  ASSERT_EQ(set.add(wake.fd().get(), 7, PollSet::Trigger::oneshot), 0);
  wake.notify();
  EXPECT_EQ(ready_now(set), 1u);
  EXPECT_EQ(ready_now(set), 0u);
  EXPECT_EQ(set.rearm(wake.fd().get(), 7), 0);
  EXPECT_EQ(ready_now(set), 1u);
}

TEST(PollSet, WaitsForWritability) {
  PollSet set;
  const SocketPair pair = make_socket_pair();
  ASSERT_EQ(set.add(pair.first.get(), 7, PollSet::Trigger::level), 0);
  EXPECT_EQ(ready_now(set), 0u);
  ASSERT_EQ(set.want(pair.first.get(), 7, true), 0);
  EXPECT_EQ(ready_now(set), 1u);
  ASSERT_EQ(set.want(pair.first.get(), 7, false), 0);
  EXPECT_EQ(ready_now(set), 0u);
}

TEST(PollSet, CanBePolled) {
  PollSet set;
  WakeupFd wake;
  ASSERT_EQ(set.add(wake.fd().get(), 7, PollSet::Trigger::level), 0);
  EXPECT_EQ(poll(set.fd(), kReadable, Deadline{0}), 0u);
  wake.notify();
  EXPECT_EQ(poll(set.fd(), kReadable, Deadline{0}), static_cast<unsigned>(kReadable));
}

TEST(PollSet, StopsWaitingAtTheDeadline) {
  PollSet set;
  std::array<std::uint64_t, 1> tags{};
  const Deadline deadline = Deadline::in_ms(3);
  EXPECT_EQ(set.wait(tags, deadline), 0u);
  EXPECT_TRUE(deadline.passed());
}

}  // namespace
}  // namespace orbweaver::platform
