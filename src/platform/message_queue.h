#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/socket.h"

/// POSIX message queues without names. A queue is a descriptor: it can be polled (platform/socket.h), handed
/// over a Unix socket, and is gone with its last descriptor. Functions report errno values and allocate
/// nothing, may be called from any thread, and go on after a signal.
namespace orbweaver::platform {

/// What a queue holds: at most `messages`, each of at most `message_bytes`.
struct QueueShape {
  std::size_t messages = 0;
  std::size_t message_bytes = 0;
};

/// The largest shape that a process without privileges may ask for (/proc/sys/fs/mqueue/msg_max and
/// msgsize_max); the kernel's defaults, 10 and 8192, where the system does not tell.
QueueShape largest_queue_shape() noexcept;

/// A queue opened twice, for two ends. What a descriptor says of waiting belongs to its opening, which may be handed to
/// another process but is not shared with the other end.
struct MessageQueue {
  Fd reader;  ///< May be written, too: to wake the one who waits there.
  Fd writer;  ///< Never waits by itself: see try_send_message.
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
/// A new queue that only this user could have opened, and that has no name any more: a process that dies
/// leaves none behind. EMFILE where this user's queues hold as many bytes as RLIMIT_MSGQUEUE allows (or there
/// are no descriptors), ENOSPC where the system has as many queues as queues_max allows, EINVAL for a shape
/// beyond the largest.
MessageQueue make_message_queue(const QueueShape& shape) noexcept;

struct QueueShapeResult {
  QueueShape shape;
  bool waits = false;  ///< Does a call without a deadline wait at this descriptor?
  int error = 0;
  explicit operator bool() const noexcept { return error == 0; }
};
/// The shape of a queue, of one that a peer handed over for example: EBADF where it is none.
QueueShapeResult shape_of(const Fd& queue) noexcept;

/// Sends one message. EAGAIN where the queue is still full at the deadline, EMSGSIZE where it is too large.
/// Nothing tells a waiting thread that the receiver has gone: whoever must know waits for a time, or polls.
IoResult send_message(const Fd& queue, std::span<const std::uint8_t> message, Deadline deadline) noexcept;
/// The same at a writer, and EAGAIN at once where the queue is full: by the cheapest call there is.
IoResult try_send_message(const Fd& writer, std::span<const std::uint8_t> message) noexcept;
/// The oldest message. EAGAIN where there is still none at the deadline; EMSGSIZE where `room` is smaller than
/// the queue's message_bytes.
IoResult receive_message(const Fd& queue, std::span<std::uint8_t> room, Deadline deadline) noexcept;

}  // namespace orbweaver::platform
