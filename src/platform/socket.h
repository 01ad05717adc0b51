#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/socket_address.h"

/// Stream sockets, TCP and Unix-domain, as thin as they can be made; datagrams are in datagram.h. Functions report errno
/// values (compare with <cerrno>) and allocate nothing. All of them may be called from any thread, go on after a
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

/// Bytes given to `send` that the peer's host has not acknowledged (TCP; 0 elsewhere). Still tells after the connection has
/// ended, until this end shuts anything down.
std::size_t unacknowledged(const Fd& socket) noexcept;

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

/// System calls that send, receive or wait which the calling thread has made through this header, datagram.h and
/// message_queue.h.
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
