#pragma once

#include <cstddef>

#include "platform/fd.h"

/// Graceful shutdown of closed sockets with unsent data. A background thread waits for that data, for at most
/// 100 ms per socket, so that a closing thread does not wait.
namespace orbweaver::transport {

/// State of such a socket after its input was read and discarded.
enum class LingerStep : bool { done, in_progress };
/// Advances the shutdown of a socket. `timed_out`: its time is over.
LingerStep linger_step(const platform::Fd& socket, bool timed_out) noexcept;

/// Maximum number of lingering sockets: half of the descriptors that a server reserves by default
/// (-ORBTune reserved-descriptors), as each has one.
inline constexpr std::size_t kMaxLingering = 32;
/// Takes ownership of a stream socket whose sending side is shut. One thread serves all sockets of the
/// process and ends with the last. With kMaxLingering sockets already, or without a thread, the socket is
/// closed at once. Thread-safe.
void linger_in_background(platform::Fd socket) noexcept;

/// Waits until all sockets that linger at the call are closed: at most 100 ms.
void wait_for_lingering_sockets() noexcept;

/// Number of lingering sockets.
std::size_t lingering_count() noexcept;

}  // namespace orbweaver::transport
