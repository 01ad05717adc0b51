#pragma once

#include <cstdint>

#include "platform/fd.h"
#include "platform/socket_address.h"

/// The user at the other end of a connection over TCP or UDP within this host (NETLINK_SOCK_DIAG).
namespace orbweaver::platform {

/// Protocols whose sockets the kernel identifies.
enum class IpProtocol : std::uint8_t { tcp, udp };

/// What the kernel tells of the user at the other end of a connection.
struct SocketOwner {
  enum class Kind : std::uint8_t {
    remote,   ///< The other end is not an address of this host, as seen from its network namespace.
    known,    ///< `uid` has created the socket at the other end.
    none,     ///< No process has a socket for the other end: it was closed, or its packets are redirected.
    unknown,  ///< The kernel does not answer: see `error`.
  };
  Kind kind = Kind::remote;
  std::int64_t uid = -1;  ///< Of `known`, as seen from this process' user namespace.
  /// Of `unknown`, an errno value: ENOENT if the kernel has no inet_diag for this protocol, or this process
  /// is not in the network namespace of its socket.
  int error = 0;
};

/// Asks for the owner of the socket at the other end of `socket`, which is connected to `peer`. The request
/// names that socket exactly, so that the answer is one small message. At most 14 system calls, which do
/// not wait; at most one descriptor at a time; no memory is allocated. Any thread.
SocketOwner owner_of_peer(const Fd& socket, const SocketAddress& peer, IpProtocol protocol) noexcept;

/// Whether the other end of a stream socket has been closed, and everything it sent has been received. Does
/// not wait.
bool is_at_end(const Fd& socket) noexcept;

/// Whether the kernel delivers packets to this IP address within this host. False if it does not answer.
bool is_address_of_this_host(const SocketAddress& address) noexcept;

}  // namespace orbweaver::platform
