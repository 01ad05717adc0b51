#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/socket_address.h"

/// Stream sockets, TCP and Unix-domain, as a thin layer over the system calls; UDP is in udp_socket.h.
/// Functions report errno values (compare with <cerrno>) and allocate no memory. All of them may be called
/// from any thread, continue after a signal, and never raise SIGPIPE.
namespace orbweaver::platform {

/// A listening socket bound to `address`, with SO_REUSEADDR except for Unix sockets.
FdResult listen_on(const SocketAddress& address, int backlog) noexcept;
/// Connects a new socket, which is returned in blocking mode. ETIMEDOUT at the deadline. `own`: the address
/// of the new socket, EADDRINUSE if another one has it; null: the kernel chooses it.
FdResult connect_to(const SocketAddress& address, Deadline deadline,
                    const SocketAddress* own = nullptr) noexcept;
/// Accepts one connection. EAGAIN at the deadline; EINVAL after any thread shut down the listening socket.
/// `peer` receives the peer's address, unlike peer_address also after the peer has reset the connection.
FdResult accept_from(const Fd& listener, Deadline deadline, SocketAddress* peer = nullptr) noexcept;

/// The addresses of the two ends of a socket; `length` 0 on failure.
SocketAddress local_address(const Fd& socket) noexcept;
SocketAddress peer_address(const Fd& socket) noexcept;
/// Sets TCP_NODELAY, so that small frames are sent at once, and keep-alive, which detects a lost host after
/// about a minute.
void set_tcp_options(const Fd& socket) noexcept;
/// Shuts down sending: the peer reads the bytes sent, then end of file. Wakes threads that wait to send.
void shutdown_sending(const Fd& socket) noexcept;
/// Shuts down receiving and wakes threads that wait to receive: they read the bytes that have arrived, then
/// end of file.
void shutdown_receiving(const Fd& socket) noexcept;
/// Shuts down both directions and wakes all threads that wait on the socket; the descriptor stays open.
void shutdown_both(const Fd& socket) noexcept;
/// Resets a TCP connection: a peer that waits to send fails at once. The descriptor stays open.
void abort_tcp(const Fd& socket) noexcept;
/// Bytes accepted by `send` that have not been sent to the peer's host yet (TCP; 0 for other sockets).
std::size_t unsent(const Fd& socket) noexcept;

/// Bytes accepted by `send` that the peer's host has not acknowledged (TCP; 0 for other sockets). Also valid
/// after the connection has ended, until this end shuts down a direction.
std::size_t unacknowledged_bytes(const Fd& socket) noexcept;

/// Whether a call may wait.
enum class Blocking : bool { no, yes };

/// The number of bytes sent or received, or an errno value; EAGAIN if a call with Blocking::no would have to
/// wait.
struct IoResult {
  std::size_t bytes = 0;  ///< 0 without an error, from recv: the peer has shut down sending.
  int error = 0;
};
/// Sends bytes; possibly only the first of them.
IoResult send(const Fd& socket, std::span<const std::uint8_t> bytes, Blocking block) noexcept;
/// Sends at most 64 pieces by one gathering write.
IoResult send(const Fd& socket, std::span<const std::span<const std::uint8_t>> pieces,
              Blocking block) noexcept;
/// Receives bytes, at most the size of `buffer`.
IoResult recv(const Fd& socket, std::span<std::uint8_t> buffer, Blocking block) noexcept;

/// The number of system calls to send, receive or wait that the calling thread has made through this header,
/// udp_socket.h and message_queue.h.
std::uint64_t system_calls_made() noexcept;

/// Maximum number of descriptors passed at once.
inline constexpr std::size_t kMaxPassedFds = 19;
/// Sends `bytes` (at least one) and, with the first of them, copies of at most kMaxPassedFds descriptors.
/// Unix sockets.
IoResult send_fds(const Fd& socket, std::span<const std::uint8_t> bytes, std::span<const int> fds,
                  Blocking block) noexcept;
/// Receives bytes, and the descriptors passed with them into the first elements of `fds`. EPROTO if the peer
/// passed more than fit: then all of them are closed.
IoResult recv_fds(const Fd& socket, std::span<std::uint8_t> buffer, std::span<Fd> fds,
                  Blocking block) noexcept;

/// Two connected Unix sockets. `error` is 0, or an errno value.
struct SocketPair {
  Fd first, second;
  int error = 0;
};
/// Makes two connected Unix stream sockets.
SocketPair make_socket_pair() noexcept;

/// The process at the other end of a Unix socket, as the kernel saw it when it connected.
struct PeerCredentials {
  std::int64_t pid = -1, uid = -1, gid = -1;  ///< -1: not known.
};
/// The credentials of the peer of a Unix socket.
PeerCredentials peer_credentials(const Fd& socket) noexcept;

/// Bits of the events of a descriptor.
enum Ready : unsigned { kReadable = 1, kWritable = 2, kHungUp = 4 };
/// A descriptor for poll.
struct PollItem {
  int fd = -1;
  unsigned wanted = kReadable;
  unsigned ready = 0;  ///< kHungUp is reported whether wanted or not.
};
/// Waits until one of at most 16 items is ready. Returns the number of ready items, 0 at the deadline.
int poll(std::span<PollItem> items, Deadline deadline) noexcept;
/// Waits for one descriptor. Returns its Ready bits, 0 at the deadline.
unsigned poll(const Fd& fd, unsigned wanted, Deadline deadline) noexcept;

/// A descriptor that is readable from `notify` until `drain` (eventfd): wakes a thread that waits in poll.
class WakeupFd {
 public:
  WakeupFd() noexcept;
  const Fd& fd() const noexcept { return fd_; }  ///< Empty if the process had no descriptor left.
  void notify() noexcept;
  void drain() noexcept;

 private:
  Fd fd_;
};

}  // namespace orbweaver::platform
