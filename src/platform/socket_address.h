#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Socket addresses: TCP, UDP and Unix.
namespace orbweaver::platform {

/// A socket address of any family, as the kernel's sockaddr.
struct SocketAddress {
  alignas(8) unsigned char storage[128] = {};
  std::uint32_t length = 0;

  /// "127.0.0.1:4711", "[::1]:4711", "@name" for an abstract Unix name, else the path.
  std::string text() const;
  std::uint16_t port() const noexcept;  ///< In host byte order; 0 if the family has no ports.
};

/// The result of resolve_tcp.
struct ResolvedAddresses {
  std::vector<SocketAddress> addresses;  ///< In the order in which to try them.
  std::string problem;                   ///< The resolver's error message; empty on success.
  bool temporary = false;  ///< The name server did not answer (EAI_AGAIN): a later call may succeed.
};
/// Resolves a host name or a numeric address to TCP addresses, which are valid for UDP as well. May block on
/// the name server. An empty `host` means all interfaces if `to_listen`, else loopback.
ResolvedAddresses resolve_tcp(const std::string& host, std::uint16_t port, bool to_listen);
/// The address of a Unix socket: "@name" is abstract and has no file; with an empty name, bind lets the
/// kernel choose an abstract name. `length` is 0 if the name is too long.
SocketAddress unix_address(std::string_view name) noexcept;

}  // namespace orbweaver::platform
