#include "platform/message_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <numeric>
#include <thread>

#include "platform/testing/forked_process.h"
#include "platform/testing/waiting_thread.h"

namespace orbweaver::platform {
namespace {

using testing::ForkedProcess;

constexpr QueueAttributes kSmall{4, 256};

Fd queue_of(const QueueAttributes& shape) {
  MessageQueue result = make_message_queue(shape);
  EXPECT_EQ(result.error, 0) << error_text(result.error);
  return std::move(result.reader);
}

Deadline passed() { return {now_ns() - 1}; }

TEST(MessageQueue, DeliversMessagesInOrder) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 256> message, buffer;
  std::iota(message.begin(), message.end(), std::uint8_t{0});
  for (const std::size_t bytes : {256, 1, 100}) {
    const IoResult sent = send_message(queue, std::span(message).first(bytes), Deadline::never());
    ASSERT_EQ(sent.error, 0);
    ASSERT_EQ(sent.bytes, bytes);
  }
  for (const std::size_t bytes : {256, 1, 100}) {
    const IoResult got = receive_message(queue, buffer, Deadline::in_ms(120'000));
    ASSERT_EQ(got.error, 0);
    ASSERT_EQ(got.bytes, bytes);
    EXPECT_TRUE(
        std::equal(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(bytes), message.begin()));
  }
}

TEST(MessageQueue, WaitsUntilTheDeadline) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 256> buffer{};
  EXPECT_EQ(receive_message(queue, buffer, passed()).error, EAGAIN);
  const std::int64_t start = now_ns();
  EXPECT_EQ(receive_message(queue, buffer, Deadline::in_ms(20)).error, EAGAIN);
  EXPECT_GE(now_ns() - start, 20'000'000);
  for (std::size_t i = 0; i < kSmall.messages; ++i) ASSERT_EQ(send_message(queue, buffer, passed()).error, 0);
  EXPECT_EQ(send_message(queue, buffer, passed()).error, EAGAIN);
  EXPECT_EQ(send_message(queue, buffer, Deadline::in_ms(20)).error, EAGAIN);
}

TEST(MessageQueue, WakesABlockedSender) {
  for (const Deadline until : {Deadline::never(), Deadline::in_ms(10'000)}) {
    const Fd queue = queue_of(kSmall);
    std::array<std::uint8_t, 256> buffer{};
    for (std::size_t i = 0; i < kSmall.messages; ++i)
      ASSERT_EQ(send_message(queue, buffer, passed()).error, 0);
    testing::CallWhenThisThreadWaits taking([&] {
      std::array<std::uint8_t, 256> taken;
      EXPECT_EQ(receive_message(queue, taken, passed()).error, 0);
    });
    EXPECT_EQ(send_message(queue, buffer, until).error, 0);
    taking.join();
  }
}

TEST(MessageQueue, RejectsWrongMessageAndBufferSizes) {
  const Fd queue = queue_of(kSmall);
  std::array<std::uint8_t, 300> bytes{};
  EXPECT_EQ(send_message(queue, bytes, passed()).error, EMSGSIZE);
  EXPECT_EQ(receive_message(queue, std::span(bytes).first(255), passed()).error, EMSGSIZE);
}

TEST(MessageQueue, ReportsItsAttributes) {
  const Fd queue = queue_of(kSmall);
  EXPECT_EQ(queue_attributes(queue).shape.messages, kSmall.messages);
  EXPECT_EQ(queue_attributes(queue).shape.message_bytes, kSmall.message_bytes);
  const WakeupFd other;
  EXPECT_EQ(queue_attributes(other.fd()).error, EBADF);
}

TEST(MessageQueue, CanBeMadeWithTheMaximumAttributes) { EXPECT_TRUE(queue_of(max_queue_attributes())); }

TEST(MessageQueue, KeepsMessagesOfADeadProcess) {
  const Fd queue = queue_of(kSmall);
  const std::array<std::uint8_t, 3> message{1, 2, 3};
  ForkedProcess child([&] {
    if (send_message(queue, message, Deadline::never()).error != 0) ForkedProcess::fail();
    ForkedProcess::die();
  });
  child.reap();
  std::array<std::uint8_t, 256> buffer;
  EXPECT_EQ(receive_message(queue, buffer, Deadline::in_ms(120'000)).bytes, message.size());
}

TEST(MessageQueue, FailsBeyondRlimitMsgqueue) {
  ForkedProcess child([] {
    rlimit limit{};
    getrlimit(RLIMIT_MSGQUEUE, &limit);
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_MSGQUEUE, &limit);
    if (make_message_queue({10, 8192}).error != EMFILE) ForkedProcess::fail();
  });
  EXPECT_TRUE(child.reap());
}

/// The names of queues, all of which belong to a queue of this object.
class TakenNames {
 public:
  TakenNames() {
    mq_attr attributes{};
    attributes.mq_maxmsg = 1;
    attributes.mq_msgsize = 16;
    for (unsigned i = 0; i < kQueueNames; ++i) {
      const QueueName name(i);
      mq_unlink(name.text);
      queues_[i] = Fd(mq_open(name.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes));
      EXPECT_TRUE(queues_[i]) << error_text(errno);
    }
  }
  ~TakenNames() {
    for (unsigned i = 0; i < kQueueNames; ++i) mq_unlink(QueueName(i).text);
  }
  /// The number of names that still belong to them, and not to a queue of another process.
  int left() const {
    int count = 0;
    for (unsigned i = 0; i < kQueueNames; ++i) {
      const Fd named(mq_open(QueueName(i).text, O_RDONLY | O_CLOEXEC));
      struct stat own {
      }, other{};
      fstat(queues_[i].get(), &own);
      count += named && fstat(named.get(), &other) == 0 && own.st_ino == other.st_ino;
    }
    return count;
  }

 private:
  std::array<Fd, kQueueNames> queues_;
};

/// As the queues of processes that were killed between creating them and removing their names.
TEST(MessageQueue, RemovesTheNamesOfQueuesWithoutACreator) {
  const TakenNames killed;
  EXPECT_TRUE(make_message_queue(kSmall, 0));
  EXPECT_EQ(killed.left(), 0);
}

TEST(MessageQueue, LeavesTheNamesOfNewQueuesToTheirCreators) {
  const TakenNames others;
  EXPECT_TRUE(make_message_queue(kSmall, std::int64_t{3600} * 1'000'000'000));
  EXPECT_EQ(others.left(), static_cast<int>(kQueueNames));
}

TEST(MessageQueue, IsMadeWhileAnotherProcessRemovesItsName) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      for (unsigned i = 0; i < kQueueNames; ++i) mq_unlink(QueueName(i).text);
    }
  });
  std::array<std::uint8_t, 256> message{};
  for (int i = 0; i < 3'000; ++i) {
    const MessageQueue queue = make_message_queue(kSmall);
    EXPECT_TRUE(queue) << error_text(queue.error);
    if (!queue) break;
    EXPECT_EQ(try_send_message(queue.writer, message).bytes, message.size());
    EXPECT_EQ(receive_message(queue.reader, message, passed()).bytes, message.size());
  }
  done = true;
  other.join();
}

/// The system allows a few hundred queues (queues_max): 2,000 can be made only if each is removed.
TEST(MessageQueue, IsRemovedWithItsDescriptor) {
  for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(queue_of(kSmall));
}

}  // namespace
}  // namespace orbweaver::platform
