#include "platform/message_queue.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <numeric>
#include <thread>

#include "platform/testing/forked.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::platform {
namespace {

using testing::Forked;

constexpr QueueShape kSmall{4, 256};

Fd queue_of(const QueueShape& shape) {
  MessageQueue made = make_message_queue(shape);
  EXPECT_EQ(made.error, 0) << error_text(made.error);
  return std::move(made.reader);
}

Deadline passed() { return {now_ns() - 1}; }

TEST(MessageQueue, AMessageArrivesWholeAndInOrder) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 256> message, room;
  std::iota(message.begin(), message.end(), std::uint8_t{0});
  for (const std::size_t bytes : {256, 1, 100}) {
    const IoResult sent = send_message(queue, std::span(message).first(bytes), Deadline::never());
    ASSERT_EQ(sent.error, 0);
    ASSERT_EQ(sent.bytes, bytes);
  }
  for (const std::size_t bytes : {256, 1, 100}) {
    const IoResult got = receive_message(queue, room, Deadline::in_ms(120'000));
    ASSERT_EQ(got.error, 0);
    ASSERT_EQ(got.bytes, bytes);
    EXPECT_TRUE(std::equal(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(bytes), message.begin()));
  }
}

TEST(MessageQueue, WaitsUntilTheDeadlineAndNoLonger) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 256> room{};
  EXPECT_EQ(receive_message(queue, room, passed()).error, EAGAIN);
  const std::int64_t start = now_ns();
  EXPECT_EQ(receive_message(queue, room, Deadline::in_ms(20)).error, EAGAIN);
  EXPECT_GE(now_ns() - start, 20'000'000);
  for (std::size_t i = 0; i < kSmall.messages; ++i) ASSERT_EQ(send_message(queue, room, passed()).error, 0);
  EXPECT_EQ(send_message(queue, room, passed()).error, EAGAIN);
  EXPECT_EQ(send_message(queue, room, Deadline::in_ms(20)).error, EAGAIN);
}

TEST(MessageQueue, RoomWakesASenderThatWaits) {
  for (const Deadline until : {Deadline::never(), Deadline::in_ms(10'000)}) {
    const Fd queue = queue_of(kSmall);
    std::array<std::uint8_t, 256> room{};
    for (std::size_t i = 0; i < kSmall.messages; ++i) ASSERT_EQ(send_message(queue, room, passed()).error, 0);
    testing::OnceThisThreadWaits taking([&] {
      std::array<std::uint8_t, 256> taken;
      EXPECT_EQ(receive_message(queue, taken, passed()).error, 0);
    });
    EXPECT_EQ(send_message(queue, room, until).error, 0);
    taking.join();
  }
}

TEST(MessageQueue, RefusesAMessageAndARoomOfTheWrongSize) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 300> bytes{};
  EXPECT_EQ(send_message(queue, bytes, passed()).error, EMSGSIZE);
  EXPECT_EQ(receive_message(queue, std::span(bytes).first(255), passed()).error, EMSGSIZE);
}

TEST(MessageQueue, TellsItsShapeAndWhatIsNoQueue) {
  const Fd queue = queue_of(kSmall);
  EXPECT_EQ(shape_of(queue).shape.messages, kSmall.messages);
  EXPECT_EQ(shape_of(queue).shape.message_bytes, kSmall.message_bytes);
  const WakeUp other;
  EXPECT_EQ(shape_of(other.fd()).error, EBADF);
}

TEST(MessageQueue, TheLargestShapeCanBeHad) { EXPECT_TRUE(queue_of(largest_queue_shape())); }

TEST(MessageQueue, ReachesAnotherProcessAndHoldsWhatADeadOneSent) {
  const Fd queue = queue_of(kSmall);
  const std::array<std::uint8_t, 3> message{1, 2, 3};
  Forked child([&] {
    if (send_message(queue, message, Deadline::never()).error != 0) Forked::fail();
    Forked::die();
  });
  child.reap();
  std::array<std::uint8_t, 256> room;
  EXPECT_EQ(receive_message(queue, room, Deadline::in_ms(120'000)).bytes, message.size());
}

TEST(MessageQueue, BeyondTheUsersShareIsOneClearError) {
  Forked child([] {
    rlimit limit{};
    getrlimit(RLIMIT_MSGQUEUE, &limit);
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_MSGQUEUE, &limit);
    if (make_message_queue({10, 8192}).error != EMFILE) Forked::fail();
  });
  EXPECT_TRUE(child.reap());
}

/// With a name each, the second thousand could not be had: the system has room for a few hundred queues.
TEST(MessageQueue, IsGoneWithItsDescriptor) {
  for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(queue_of(kSmall));
}

}  // namespace
}  // namespace orbweaver::platform
