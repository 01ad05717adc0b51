#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/socket.h"

/// Anonymous POSIX message queues. A queue is a descriptor: it can be polled (platform/socket.h) and passed
/// over a Unix socket, and is removed with its last descriptor. Functions report errno values, allocate no
/// memory, may be called from any thread, and continue after a signal.
namespace orbweaver::platform {

/// The capacity of a queue: at most `messages`, each of at most `message_bytes`.
struct QueueAttributes {
  std::size_t messages = 0;
  std::size_t message_bytes = 0;
};

/// The maximum for a process without privileges (/proc/sys/fs/mqueue/msg_max and msgsize_max); the kernel's
/// defaults, 10 and 8192, if these files cannot be read.
QueueAttributes max_queue_attributes() noexcept;

/// A queue opened twice, once for each end. O_NONBLOCK belongs to an open file description, which may be
/// passed to another process but is not shared with the other end.
struct MessageQueue {
  Fd reader;  ///< Blocking. Also writable, to wake a thread that waits in receive_message.
  Fd writer;  ///< Non-blocking: see try_send_message.
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
/// The age from which a queue that still has a name has lost its creator. A creator that was stopped
/// meanwhile uses another name afterwards.
inline constexpr std::int64_t kStaleQueueNs = 10'000'000'000;
/// Makes a queue with mode 0600 and removes its name, so that a process that dies leaves no queue behind. A
/// queue whose creator was killed before it removed the name is removed by a later call in a process of the
/// same user: names are taken from kQueueNames per user, and queues of `stale_ns` or more lose theirs when a
/// name is taken or no queue can be made.
/// EMFILE if this user's queues reach RLIMIT_MSGQUEUE bytes (or no descriptor is free), ENOSPC if the system
/// has queues_max queues, EINVAL for attributes beyond the maximum.
MessageQueue make_message_queue(const QueueAttributes& shape, std::int64_t stale_ns = kStaleQueueNs) noexcept;
inline constexpr unsigned kQueueNames = 16;
/// One of these names. `number` is less than kQueueNames.
struct QueueName {
  explicit QueueName(unsigned number) noexcept;
  char text[64];
};

/// The attributes of a queue, or an errno value.
struct QueueAttributesResult {
  QueueAttributes shape;
  bool waits = false;  ///< Whether a call without a deadline blocks (no O_NONBLOCK).
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
/// The attributes of a queue, for example one received from a peer. EBADF if the descriptor is not a queue.
QueueAttributesResult queue_attributes(const Fd& queue) noexcept;

/// Sends one message. EAGAIN if the queue is still full at the deadline, EMSGSIZE if the message is too
/// large. A waiting thread is not notified when the receiver closes its descriptor: use a deadline, or poll.
IoResult send_message(const Fd& queue, std::span<const std::uint8_t> message, Deadline deadline) noexcept;
/// As send_message, without waiting: EAGAIN if the queue is full. `writer` must be non-blocking.
IoResult try_send_message(const Fd& writer, std::span<const std::uint8_t> message) noexcept;
/// Receives the oldest message. EAGAIN if the queue is still empty at the deadline; EMSGSIZE if `buffer` is
/// smaller than the queue's message_bytes.
IoResult receive_message(const Fd& queue, std::span<std::uint8_t> buffer, Deadline deadline) noexcept;

}  // namespace orbweaver::platform
