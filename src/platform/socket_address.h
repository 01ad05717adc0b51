#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Where a socket listens or connects.
namespace orbweaver::platform {

/// A socket's address of any family, in the kernel's own form.
struct SocketAddress {
  alignas(8) unsigned char storage[128] = {};
  std::uint32_t length = 0;

  /// "127.0.0.1:4711", "[::1]:4711", "@name" for an abstract Unix name, else the path.
  std::string text() const;
  std::uint16_t port() const noexcept;  ///< 0 where the family has none.
};

struct Resolved {
  std::vector<SocketAddress> addresses;  ///< In the order in which they should be tried.
  std::string problem;                   ///< Why there are none, in the resolver's words.
  bool temporary = false;                ///< The name server did not answer: later it may.
};
/// TCP addresses, which are UDP's as well, of a host name or a numeric address. May block on the name server.
/// An empty `host` means every interface when `to_listen`, else loopback.
Resolved resolve_tcp(const std::string& host, std::uint16_t port, bool to_listen);
/// The address of a Unix socket: "@name" is abstract and leaves no file; empty with bind lets the kernel
/// choose an abstract name. `length` is 0 where the name is too long.
SocketAddress unix_address(std::string_view name) noexcept;

}  // namespace orbweaver::platform
