// What a process holds, as the kernel counts it: threads, descriptors, connections.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace orbweaver::bench {

/// Threads of a process; 0 if it does not exist.
std::uint64_t threads_of(pid_t process);
/// Open file descriptors of a process; 0 if it does not exist or cannot be read.
std::uint64_t descriptors_of(pid_t process);
/// Established TCP connections of this host whose local port is `port`: those of a server that listens there.
std::uint64_t connections_at(int port);
/// The port of the only TCP socket on which this process listens. Throws std::runtime_error if there is none,
/// or several.
int listening_port();
/// Raises the soft limit of descriptors to the hard one. Throws std::runtime_error, which names the limit, if
/// it is less than `needed`.
void allow_descriptors(std::uint64_t needed);

}  // namespace orbweaver::bench
