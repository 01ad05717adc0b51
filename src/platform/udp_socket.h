#pragma once

#include "platform/socket.h"

/// UDP sockets: one datagram, or several with one system call. The contract of socket.h applies: errno
/// values, no allocation, any thread.
namespace orbweaver::platform {

/// A UDP socket bound to `local`; port 0 lets the system choose. It has buffers of 4 MiB, or the system's
/// maximum.
FdResult bind_udp(const SocketAddress& local) noexcept;
/// A UDP socket that exchanges datagrams with `peer` only. If the peer's port is closed, each datagram sent
/// makes a later call fail once with ECONNREFUSED.
FdResult connect_udp(const SocketAddress& peer) noexcept;
/// As connect_udp, sharing the address and port of `bound`, which still receives the datagrams of other
/// peers. The new socket may receive some of them while it is being connected.
FdResult connect_udp_sharing_port(const Fd& bound, const SocketAddress& peer) noexcept;
/// Releases the port of a UDP socket, after shutdown_both. The descriptor stays open, and threads that wait
/// for it wake up.
void release_port(const Fd& socket) noexcept;
/// Sends one datagram to `to`.
IoResult send_to(const Fd& socket, std::span<const std::uint8_t> bytes, const SocketAddress& to) noexcept;
/// Receives one datagram of any sender, truncated to `buffer`. `from` is written on success only.
IoResult recv_from(const Fd& socket, std::span<std::uint8_t> buffer, SocketAddress& from,
                   Blocking block) noexcept;
/// A receive buffer of recv_datagrams.
struct Datagram {
  std::span<std::uint8_t> buffer;  ///< The buffer.
  std::size_t bytes = 0;           ///< Bytes received in `buffer`.
  std::size_t segment_bytes =
      0;                   ///< Not 0: several datagrams of this length each, the last one possibly shorter.
  bool truncated = false;  ///< The datagram was longer than `buffer` and has been truncated.
};
/// Lets recv_datagrams return several datagrams of one sender in one buffer, if the system supports it
/// (UDP_GRO).
void enable_gro(const Fd& socket) noexcept;
/// Limits how long a blocking receive waits (SO_RCVTIMEO). `limit_ns`: in nanoseconds, rounded down to whole
/// microseconds.
void limit_blocking_receive(const Fd& socket, std::int64_t limit_ns) noexcept;
/// Receives the available datagrams, into at most 16 buffers, with one system call. `bytes` of the result is
/// the number of buffers filled. With Blocking::yes it waits for the first datagram, at most for the time of
/// limit_blocking_receive. A shutdown of the socket ends the wait; the first buffer is then one of 0 bytes.
IoResult recv_datagrams(const Fd& socket, std::span<Datagram> datagrams, Blocking block) noexcept;
/// A datagram in two pieces, of which the second may be empty.
struct OutgoingDatagram {
  std::span<const std::uint8_t> head, body;
};
/// Sends at most 32 datagrams to a connected socket's peer, with one system call and without waiting. `bytes`
/// of the result is the number of datagrams sent. With `segmentation`, datagrams of equal length are passed
/// as one that the kernel or the network card splits (UDP_SEGMENT); set to false, and not used, if that is
/// not supported.
IoResult send_datagrams(const Fd& socket, std::span<const OutgoingDatagram> datagrams,
                        bool& segmentation) noexcept;

}  // namespace orbweaver::platform
