#pragma once

#include "platform/fd.h"

/// An event shared with a process that is not trusted: each of the two can wake the other with it. Whatever
/// the other process does with its copy of the descriptor, signalling and clearing do not block, and closing
/// has no effect here. The other process can signal and clear it at any time.
namespace orbweaver::platform {

/// Returns an event that is not signalled; empty if the process had no descriptor left.
Fd make_peer_event() noexcept;
/// True if a descriptor that a peer has passed is an event. Does not block.
bool is_peer_event(const Fd& fd) noexcept;
/// Makes the event readable until it is cleared. Thread-safe.
void signal_peer_event(const Fd& event) noexcept;
/// Makes the event not readable. Thread-safe.
void clear_peer_event(const Fd& event) noexcept;

}  // namespace orbweaver::platform
