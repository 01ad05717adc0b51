#include "platform/message_queue.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
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

QueueName::QueueName(unsigned number) noexcept {
  snprintf(text, sizeof text, "/orbweaver-%ld-%u", static_cast<long>(geteuid()), number);
}

namespace {

/// Opens a new queue twice and removes its name. EEXIST: the name is taken. ENOENT: another process has taken
/// this process for dead and has removed the name.
MessageQueue make_named_queue(const char* name, const QueueAttributes& shape) noexcept {
  mq_attr attributes{};
  attributes.mq_maxmsg = static_cast<long>(shape.messages);
  attributes.mq_msgsize = static_cast<long>(shape.message_bytes);
  const auto create = [&] {
    return mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR, &attributes);
  };
  Fd queue(retry_on_eintr(create));
  if (!queue) return {Fd(), Fd(), errno};
  Fd writer(mq_open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  const int error = writer ? 0 : errno;
  struct stat made {
  }, named{};
  if (error == 0 &&
      (fstat(queue.get(), &made) != 0 || fstat(writer.get(), &named) != 0 || made.st_ino != named.st_ino))
    return {Fd(), Fd(), ENOENT};  // the name belongs to another process by now
  if (error != ENOENT) mq_unlink(name);
  if (error == EACCES) return {Fd(), Fd(), ENOENT};  // as above: of another user
  if (error != 0) return {Fd(), Fd(), error};
  return {std::move(queue), std::move(writer), 0};
}

/// Removes the names that queues of this user have had for `stale_ns`. A new queue that takes such a name at
/// the same moment may lose it; its creator then uses another.
void remove_stale_queues(std::int64_t stale_ns) noexcept {
  for (unsigned number = 0; number < kQueueNames; ++number) {
    const QueueName name(number);
    struct stat made {};
    timespec now{};
    const Fd queue(mq_open(name.text, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!queue || fstat(queue.get(), &made) != 0 || made.st_uid != geteuid()) continue;
    clock_gettime(CLOCK_REALTIME, &now);  // of the file's time
    const auto ns_of = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
    if (ns_of(now) - ns_of(made.st_ctim) >= stale_ns) mq_unlink(name.text);
  }
}

}  // namespace

/// Beyond them, creating a queue fails with the error of the last name.
constexpr unsigned kMaxQueueNameAttempts = 1000;

MessageQueue make_message_queue(const QueueAttributes& shape, std::int64_t stale_ns) noexcept {
  static std::atomic<unsigned> counter{0};  // for unique names only: relaxed
  bool removed_stale = false;
  for (unsigned attempt = 0;; ++attempt) {
    const unsigned number = counter.fetch_add(1, std::memory_order_relaxed);
    QueueName name(number % kQueueNames);
    // All names are in use, or belong to queues of another user.
    if (attempt > 2 * kQueueNames)
      snprintf(name.text, sizeof name.text, "/orbweaver-%ld-%ld-%u", static_cast<long>(geteuid()),
               static_cast<long>(getpid()), number);
    MessageQueue queue = make_named_queue(name.text, shape);
    if (queue) return queue;
    const bool other_name =
        (queue.error == EEXIST || queue.error == ENOENT) && attempt < kMaxQueueNameAttempts;
    const bool no_room = queue.error == EMFILE || queue.error == ENOSPC;
    if (removed_stale && no_room) return queue;
    if (!other_name && !no_room) return queue;
    if (!removed_stale) remove_stale_queues(stale_ns);
    removed_stale = true;
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
