// Sockets on the loopback address, of either version of the Internet Protocol.
#pragma once

#include <cstdint>

#include "bench/floor/socket.h"
#include "bench/userplane/settings.h"

namespace orbweaver::bench {

// All functions throw std::system_error.

/// A UDP or TCP socket, bound to a free port.
Socket bound_socket(const UserplaneSettings&);
/// Its port.
std::uint16_t port_of(const Socket&);
/// A socket that is connected to that port. TCP: without delay of small segments.
Socket connected_socket(const UserplaneSettings&, std::uint16_t port);
/// The next connection of a bound TCP socket that listens.
Socket accepted_socket(const Socket& listener);

}  // namespace orbweaver::bench
