#pragma once

#include "platform/socket.h"

/// UDP sockets, one datagram at a time or many by one system call. Functions keep what socket.h says of its own.
namespace orbweaver::platform {

/// A UDP socket bound to `local`; port 0 lets the system choose. Large buffers, as far as the system grants them.
FdResult bind_datagrams(const SocketAddress& local) noexcept;
/// A UDP socket that exchanges datagrams with `peer` alone. A peer's port that nobody has open shows as ECONNREFUSED,
/// once for each datagram sent there, in whatever call comes next.
FdResult connect_datagrams(const SocketAddress& peer) noexcept;
/// The same, at the address and port of `bound`, which keeps getting what comes from others. While this is made it may
/// get some of that, too.
FdResult share_port(const Fd& bound, const SocketAddress& peer) noexcept;
/// After shutdown_both: gives a UDP socket's port back. The descriptor stays reserved, and whoever waits at it wakes.
void release_port(const Fd& socket) noexcept;
/// One datagram to or from anybody; `from` is written on success alone. A longer one than the room is cut.
IoResult send_to(const Fd& socket, std::span<const std::uint8_t> bytes, const SocketAddress& to) noexcept;
IoResult recv_from(const Fd& socket, std::span<std::uint8_t> room, SocketAddress& from, Block block) noexcept;
struct Datagram {
  std::span<std::uint8_t> room;
  std::size_t bytes = 0;    ///< That arrived in `room`.
  std::size_t segment = 0;  ///< Not 0: several datagrams of so many bytes each, the last of them perhaps fewer.
  bool cut = false;         ///< There was more.
};
/// From now on recv_datagrams may give several datagrams of one sender in one room, where the system can (UDP_GRO).
void take_segments(const Fd& socket) noexcept;
/// As many datagrams as are there, at most 16 rooms full, in one system call that does not wait. `bytes` of the result
/// is the number of rooms filled.
IoResult recv_datagrams(const Fd& socket, std::span<Datagram> datagrams) noexcept;
/// Two pieces, of which the second may be empty.
struct OutgoingDatagram {
  std::span<const std::uint8_t> head, body;
};
/// At most 32 datagrams to a connected socket's peer, in one system call that does not wait. `bytes` of the result is
/// the number of those that left. Where `segmentation`, those of one length go as one that the system or the network
/// card cuts (UDP_SEGMENT); made false where it cannot.
IoResult send_datagrams(const Fd& socket, std::span<const OutgoingDatagram> datagrams, bool& segmentation) noexcept;

}  // namespace orbweaver::platform
