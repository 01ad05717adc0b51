#pragma once

#include <cstddef>

#include "platform/fd.h"

/// Sockets that are closed but have not sent all: a thread of their own lets them, for 100 ms each at most, so that
/// whoever closes waits for none.
namespace orbweaver::transport {

/// What one look at such a socket found, after what came meanwhile was taken in and thrown away.
enum class Lingering : bool { over, under_way };
/// `enough`: the time is over.
Lingering look_after(const platform::Fd& socket, bool enough) noexcept;

/// Half of the descriptors that a server keeps by default (-ORBReservedDescriptors): each that lingers has
/// one.
inline constexpr std::size_t kMostLingering = 32;
/// Takes over a descriptor of a stream socket whose sending end is shut. One thread serves all of the
/// process, and ends with the last. Where there are kMostLingering already, or no thread can be made, it is
/// closed at once. Any thread.
void let_linger(platform::Fd socket) noexcept;

/// Returns when all that linger now are done: 100 ms later at most.
void wait_for_lingering() noexcept;

/// How many linger.
std::size_t lingering() noexcept;

}  // namespace orbweaver::transport
