#pragma once

#include <cstdint>

#include "platform/socket_address.h"

namespace orbweaver::platform {

/// Calls `use` with the TCP addresses of a host name or a numeric address, in the order in which to try them,
/// until it returns true. An empty `host` means all interfaces if `to_listen`, else loopback. Blocks as long
/// as the system's resolver does; resolver.h has a lookup with a deadline. Returns the resolver's message if
/// there is no address, else null. Any thread.
template <class Use>
const char* for_each_address(const char* host, std::uint16_t port, bool to_listen, Use use);

/// A function without its type, for the template above.
using UseAddress = bool (*)(void* closure, const SocketAddress& address);
const char* for_each_address(const char* host, std::uint16_t port, bool to_listen, UseAddress use,
                             void* closure);

template <class Use>
const char* for_each_address(const char* host, std::uint16_t port, bool to_listen, Use use) {
  return for_each_address(
      host, port, to_listen,
      [](void* closure, const SocketAddress& address) { return (*static_cast<Use*>(closure))(address); },
      &use);
}

}  // namespace orbweaver::platform
