#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/socket_address.h"

/// Stream sockets, TCP and Unix-domain, and UDP sockets, as thin as they can be made. Functions report errno values
/// (compare with <cerrno>) and allocate nothing. All of them may be called from any thread, go on after a
/// signal, and never raise SIGPIPE.
namespace orbweaver::platform {

FdResult listen_on(const SocketAddress& address, int backlog) noexcept;
/// ETIMEDOUT at the deadline. The socket comes back in blocking mode.
FdResult connect_to(const SocketAddress& address, Deadline deadline) noexcept;
/// EAGAIN at the deadline; EINVAL after `shutdown` of the listening socket, from whatever thread.
FdResult accept_from(const Fd& listener, Deadline deadline) noexcept;

SocketAddress local_address(const Fd& socket) noexcept;
SocketAddress peer_address(const Fd& socket) noexcept;
/// Small frames leave at once (TCP_NODELAY), and a peer's host that vanished is noticed (keep-alive).
void tune_tcp(const Fd& socket) noexcept;
/// Ends sending: the peer reads what was sent, then the end. Wakes whoever waits to send.
void shutdown_sending(const Fd& socket) noexcept;
/// Ends both directions and wakes everybody who waits on the socket; the descriptor stays reserved.
void shutdown_both(const Fd& socket) noexcept;
/// Ends a TCP connection with a reset: a peer that waits to send fails at once. The descriptor stays reserved.
void abort_tcp(const Fd& socket) noexcept;
/// Bytes accepted by `send` that the peer's host has not taken yet for want of room (TCP; 0 elsewhere).
std::size_t unsent(const Fd& socket) noexcept;

enum class Block : bool { no, yes };

/// Bytes moved, or an errno value; EAGAIN where a call with Block::no would have had to wait.
struct IoResult {
  std::size_t bytes = 0;  ///< 0 without an error, from recv: the peer has ended its side.
  int error = 0;
};
IoResult send(const Fd& socket, std::span<const std::uint8_t> bytes, Block block) noexcept;
/// One gathered write of at most 64 pieces.
IoResult send(const Fd& socket, std::span<const std::span<const std::uint8_t>> pieces, Block block) noexcept;
IoResult recv(const Fd& socket, std::span<std::uint8_t> room, Block block) noexcept;

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

/// System calls that send, receive or wait which the calling thread has made through this header.
std::uint64_t calls_made() noexcept;

/// Sends `bytes` (at least one) and, with the first of them, copies of at most 8 descriptors. Unix sockets.
IoResult send_fds(const Fd& socket, std::span<const std::uint8_t> bytes, std::span<const int> fds,
                  Block block) noexcept;
/// Receives bytes and the descriptors that came with them into `fds`, from the front. EPROTO where the peer
/// passed more than fit: then none is kept.
IoResult recv_fds(const Fd& socket, std::span<std::uint8_t> room, std::span<Fd> fds, Block block) noexcept;

/// Two connected Unix sockets. `error` is 0, or an errno value.
struct SocketPair {
  Fd here, there;
  int error = 0;
};
SocketPair make_socket_pair() noexcept;

/// The process at the other end of a Unix socket, as the kernel saw it when it connected.
struct PeerCredentials {
  std::int64_t pid = -1, uid = -1, gid = -1;  ///< -1 where not known.
};
PeerCredentials peer_credentials(const Fd& socket) noexcept;

enum Ready : unsigned { kReadable = 1, kWritable = 2, kHungUp = 4 };
struct PollItem {
  int fd = -1;
  unsigned wanted = kReadable;
  unsigned ready = 0;  ///< kHungUp is reported whether wanted or not.
};
/// Waits until something wanted is ready (of at most 16 items). The number of ready items, 0 at the deadline.
int poll(std::span<PollItem> items, Deadline deadline) noexcept;
/// What is ready on one descriptor, 0 at the deadline.
unsigned poll(const Fd& fd, unsigned wanted, Deadline deadline) noexcept;

/// A descriptor that is readable from `notify` until `drain`: wakes a thread out of poll.
class WakeUp {
 public:
  WakeUp() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty where the process has no descriptors left.
  void notify() noexcept;
  void drain() noexcept;

 private:
  Fd fd_;
};

}  // namespace orbweaver::platform
