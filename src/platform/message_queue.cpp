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

std::size_t read_setting(const char* path, std::size_t otherwise) noexcept {
  const Fd file(open(path, O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (!file || read(file.get(), text, sizeof text - 1) <= 0) return otherwise;
  unsigned long value = 0;
  return sscanf(text, "%lu", &value) == 1 && value > 0 ? value : otherwise;
}

/// Waits with a deadline on the monotonic clock. The kernel's own time-outs for queues use the wall clock,
/// which may be set during the wait: this function polls instead, and makes each attempt with a time-out in
/// the past. O_NONBLOCK cannot be used: it belongs to the open queue, which two processes share.
template <class Attempt>
IoResult retry_until_deadline(const Fd& queue, unsigned wanted, Deadline deadline, Attempt attempt) noexcept {
  const timespec long_ago{};
  for (;;) {
    const ssize_t n = retry_on_eintr([&] { return attempt(deadline.is_never() ? nullptr : &long_ago); });
    if (n >= 0) return {static_cast<std::size_t>(n), 0};
    if (errno != ETIMEDOUT) return {0, errno};
    // Another thread may have used the queue between poll and the attempt.
    if (deadline.passed() || poll(queue, wanted, deadline) == 0) return {0, EAGAIN};
  }
}

}  // namespace

QueueAttributes max_queue_attributes() noexcept {
  return {read_setting("/proc/sys/fs/mqueue/msg_max", 10),
          read_setting("/proc/sys/fs/mqueue/msgsize_max", 8192)};
}

MessageQueue make_message_queue(const QueueAttributes& shape) noexcept {
  static std::atomic<unsigned> counter{0};  // for unique names only: relaxed
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
    // EEXIST: a process with the same id in another PID namespace, or one killed before mq_unlink, has this
    // name.
    if (errno != EEXIST && errno != EINTR) return {Fd(), Fd(), errno};
  }
}

QueueAttributesResult queue_attributes(const Fd& queue) noexcept {
  mq_attr attributes{};
  if (mq_getattr(queue.get(), &attributes) != 0) return {{}, false, errno};
  return {{static_cast<std::size_t>(attributes.mq_maxmsg), static_cast<std::size_t>(attributes.mq_msgsize)},
          (attributes.mq_flags & O_NONBLOCK) == 0,
          0};
}

IoResult send_message(const Fd& queue, std::span<const std::uint8_t> message, Deadline deadline) noexcept {
  IoResult sent =
      retry_until_deadline(queue, kWritable, deadline, [&](const timespec* until) noexcept -> ssize_t {
        return call_mq_send(queue.get(), message.data(), message.size(), until);
      });
  if (sent.error == 0) sent.bytes = message.size();
  return sent;
}

IoResult try_send_message(const Fd& writer, std::span<const std::uint8_t> message) noexcept {
  const IoResult sent = io_result(
      retry_on_eintr([&] { return call_mq_send(writer.get(), message.data(), message.size(), nullptr); }));
  return sent.error != 0 ? sent : IoResult{message.size(), 0};
}

IoResult receive_message(const Fd& queue, std::span<std::uint8_t> buffer, Deadline deadline) noexcept {
  return retry_until_deadline(queue, kReadable, deadline, [&](const timespec* until) noexcept -> ssize_t {
    return call_mq_receive(queue.get(), buffer.data(), buffer.size(), until);
  });
}

}  // namespace orbweaver::platform
