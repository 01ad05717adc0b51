#pragma once

#include <cstdint>

namespace orbweaver::streams {

/// The result of pushing a packet to a queue, a reorder buffer, a port or an input. Only `accepted` moves
/// from a packet that is passed by rvalue reference.
enum class PushResult : std::uint8_t {
  accepted,     ///< The queue or the function of the port has the packet.
  dropped,      ///< Dropped as configured: WhenFull::drop_newest, or a number that is late or a duplicate.
  queue_full,   ///< No space for the packet, which may be pushed again later.
  timed_out,    ///< No space until the deadline.
  interrupted,  ///< No space, and interrupt() has been called.
  closed,       ///< The queue, port or input is closed: no packet will be accepted any more.
  too_large,    ///< Larger than the limit in bytes or than the largest payload: can never be accepted.
};

namespace detail {

/// Raises the exception of a result other than `accepted` and `dropped`.
[[noreturn]] void raise_rejection(PushResult result);

}  // namespace detail

/// Reports a result to the sender of a packet, in the upcall of a servant: returns for `accepted` and
/// `dropped`. Raises, with COMPLETED_NO, CORBA::TRANSIENT (0x4f570022) for `queue_full`, `timed_out` and
/// `interrupted`, CORBA::TRANSIENT (0x4f570023) for `closed`, and CORBA::IMP_LIMIT (0x4f57007f) for
/// `too_large`, which the sender does not repeat. Any thread.
inline void raise_if_rejected(PushResult result) {
  if (result != PushResult::accepted && result != PushResult::dropped) detail::raise_rejection(result);
}

}  // namespace orbweaver::streams
