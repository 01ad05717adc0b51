#include "platform/message_queue.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "platform/system_call.h"

namespace orbweaver::platform {
namespace {

std::size_t setting(const char* path, std::size_t otherwise) noexcept {
  const Fd file(open(path, O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (!file || read(file.get(), text, sizeof text - 1) <= 0) return otherwise;
  unsigned long value = 0;
  return sscanf(text, "%lu", &value) == 1 && value > 0 ? value : otherwise;
}

/// The kernel measures a queue's waiting by the wall clock, which may be set meanwhile. So a wait of a limited
/// length is a poll, by the monotonic clock, and then an attempt whose time has passed long ago. A flag would
/// not do: it belongs to the open queue, which two processes share.
template <class Attempt>
IoResult attempt_until(const Fd& queue, unsigned wanted, Deadline deadline, Attempt attempt) noexcept {
  const timespec long_ago{};
  for (;;) {
    const ssize_t n = uninterrupted([&] { return attempt(deadline.is_never() ? nullptr : &long_ago); });
    if (n >= 0) return {static_cast<std::size_t>(n), 0};
    if (errno != ETIMEDOUT) return {0, errno};
    // Ready by poll is no promise: another thread may be faster.
    if (deadline.passed() || poll(queue, wanted, deadline) == 0) return {0, EAGAIN};
  }
}

}  // namespace

QueueShape largest_queue_shape() noexcept {
  return {setting("/proc/sys/fs/mqueue/msg_max", 10), setting("/proc/sys/fs/mqueue/msgsize_max", 8192)};
}

MessageQueue make_message_queue(const QueueShape& shape) noexcept {
  static std::atomic<unsigned> counter{0};  // names only: it orders nothing
  mq_attr attributes{};
  attributes.mq_maxmsg = static_cast<long>(shape.messages);
  attributes.mq_msgsize = static_cast<long>(shape.message_bytes);
  for (;;) {
    char name[64];
    const unsigned number = counter.fetch_add(1, std::memory_order_relaxed);
    snprintf(name, sizeof name, "/orbweaver-%ld-%u", static_cast<long>(getpid()), number);
    Fd queue(mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR, &attributes));
    if (queue) {
      Fd writer(mq_open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      const int error = writer ? 0 : errno;
      mq_unlink(name);
      if (error != 0) return {Fd(), Fd(), error};
      return {std::move(queue), std::move(writer), 0};
    }
    // A process of the same number, in another name space or killed just here, may have that name: the next.
    if (errno != EEXIST && errno != EINTR) return {Fd(), Fd(), errno};
  }
}

QueueShapeResult shape_of(const Fd& queue) noexcept {
  mq_attr attributes{};
  if (mq_getattr(queue.get(), &attributes) != 0) return {{}, false, errno};
  return {{static_cast<std::size_t>(attributes.mq_maxmsg), static_cast<std::size_t>(attributes.mq_msgsize)},
          (attributes.mq_flags & O_NONBLOCK) == 0,
          0};
}

IoResult send_message(const Fd& queue, std::span<const std::uint8_t> message, Deadline deadline) noexcept {
  IoResult sent = attempt_until(queue, kWritable, deadline, [&](const timespec* until) noexcept -> ssize_t {
    return call_mq_send(queue.get(), message.data(), message.size(), until);
  });
  if (sent.error == 0) sent.bytes = message.size();
  return sent;
}

IoResult try_send_message(const Fd& writer, std::span<const std::uint8_t> message) noexcept {
  const IoResult sent = io_result(
      uninterrupted([&] { return call_mq_send(writer.get(), message.data(), message.size(), nullptr); }));
  return sent.error != 0 ? sent : IoResult{message.size(), 0};
}

IoResult receive_message(const Fd& queue, std::span<std::uint8_t> room, Deadline deadline) noexcept {
  return attempt_until(queue, kReadable, deadline, [&](const timespec* until) noexcept -> ssize_t {
    return call_mq_receive(queue.get(), room.data(), room.size(), until);
  });
}

}  // namespace orbweaver::platform
