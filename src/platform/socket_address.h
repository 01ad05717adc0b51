#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

/// The address of a Unix socket: "@name" is abstract and has no file; with an empty name, bind lets the
/// kernel choose an abstract name. `length` is 0 if the name is too long.
SocketAddress unix_address(std::string_view name) noexcept;

}  // namespace orbweaver::platform
