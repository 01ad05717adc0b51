#include "platform/socket.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "platform/system_call.h"

namespace orbweaver::platform {

constinit thread_local std::uint64_t system_calls = 0;

namespace {

SocketAddress query_address(const Fd& socket, int (*ask)(int, sockaddr*, socklen_t*)) noexcept {
  SocketAddress address;
  socklen_t length = sizeof address.storage;
  if (ask(socket.get(), as_sockaddr(address), &length) == 0) address.length = length;
  return address;
}

}  // namespace

FdResult listen_on(const SocketAddress& address, int backlog) noexcept {
  Fd fd(socket(family(address), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno_result();
  const int on = 1;
  // A restarted server can bind its port at once, while old connections are in TIME_WAIT.
  if (family(address) != AF_UNIX) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), as_sockaddr(address), address.length) != 0) return errno_result();
  if (listen(fd.get(), backlog) != 0) return errno_result();
  return {std::move(fd), 0};
}

FdResult connect_to(const SocketAddress& address, Deadline deadline, const SocketAddress* own) noexcept {
  Fd fd(socket(family(address), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno_result();
  if (own != nullptr && bind(fd.get(), as_sockaddr(*own), own->length) != 0) return errno_result();
  int connected = connect(fd.get(), as_sockaddr(address), address.length);
  // A Unix listener whose backlog is full gives EAGAIN, and poll cannot wait for it: try again.
  while (connected != 0 && errno == EAGAIN && family(address) == AF_UNIX && !deadline.passed()) {
    usleep(1000);
    connected = connect(fd.get(), as_sockaddr(address), address.length);
  }
  if (connected != 0) {
    if (errno == EAGAIN && family(address) == AF_UNIX) return {Fd(), ETIMEDOUT};
    if (errno != EINPROGRESS && errno != EINTR) return errno_result();
    if (poll(fd, kWritable, deadline) == 0) return {Fd(), ETIMEDOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno_result();
    if (error != 0) return {Fd(), error};
  }
  if (fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK) != 0) return errno_result();
  return {std::move(fd), 0};
}

FdResult accept_from(const Fd& listener, Deadline deadline, SocketAddress* peer) noexcept {
  // The peer may disconnect between poll and accept, which then waits for the next connection.
  if (!deadline.is_never() && poll(listener, kReadable, deadline) == 0) return {Fd(), EAGAIN};
  SocketAddress from;
  socklen_t length = sizeof from.storage;
  const int fd =
      retry_on_eintr([&] { return accept4(listener.get(), as_sockaddr(from), &length, SOCK_CLOEXEC); });
  if (fd < 0) return errno_result();
  from.length = length;
  if (peer != nullptr) *peer = from;
  return {Fd(fd), 0};
}

SocketAddress local_address(const Fd& socket) noexcept { return query_address(socket, getsockname); }
SocketAddress peer_address(const Fd& socket) noexcept { return query_address(socket, getpeername); }

void set_tcp_options(const Fd& socket) noexcept {
  const auto set = [&](int level, int option, int value) {
    setsockopt(socket.get(), level, option, &value, sizeof value);  // optional: affects speed only
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);  // seconds; a vanished host is given up after about a minute
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void shutdown_both(const Fd& socket) noexcept { shutdown(socket.get(), SHUT_RDWR); }
void shutdown_receiving(const Fd& socket) noexcept { shutdown(socket.get(), SHUT_RD); }
void shutdown_sending(const Fd& socket) noexcept { shutdown(socket.get(), SHUT_WR); }

void abort_tcp(const Fd& socket) noexcept {
  sockaddr unspecified{};
  unspecified.sa_family = AF_UNSPEC;  // connect(2) to AF_UNSPEC resets a TCP connection
  // Not by connect(): ThreadSanitizer treats it as the creation of the descriptor, which other threads use.
  syscall(SYS_connect, socket.get(), &unspecified, sizeof unspecified);
}

std::size_t unsent(const Fd& socket) noexcept {
  int bytes = 0;
  return ioctl(socket.get(), SIOCOUTQNSD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::size_t unacknowledged_bytes(const Fd& socket) noexcept {
  int bytes = 0;
  // SIOCOUTQNSD excludes Unix sockets: they support SIOCOUTQ as well, where it counts memory.
  if (ioctl(socket.get(), SIOCOUTQNSD, &bytes) != 0 || ioctl(socket.get(), SIOCOUTQ, &bytes) != 0) return 0;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

IoResult send(const Fd& socket, std::span<const std::uint8_t> bytes, Blocking block) noexcept {
  return io_result(retry_on_eintr([&] {
    return call_send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | dontwait_flag(block));
  }));
}

IoResult send(const Fd& socket, std::span<const std::span<const std::uint8_t>> pieces,
              Blocking block) noexcept {
  std::array<iovec, 64> vectors;
  assert(pieces.size() <= vectors.size());
  std::transform(pieces.begin(), pieces.end(), vectors.begin(), [](std::span<const std::uint8_t> piece) {
    return iovec{const_cast<std::uint8_t*>(piece.data()), piece.size()};
  });
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = pieces.size();
  return io_result(
      retry_on_eintr([&] { return sendmsg(socket.get(), &message, MSG_NOSIGNAL | dontwait_flag(block)); }));
}

IoResult recv(const Fd& socket, std::span<std::uint8_t> buffer, Blocking block) noexcept {
  return io_result(retry_on_eintr(
      [&] { return call_recv(socket.get(), buffer.data(), buffer.size(), dontwait_flag(block)); }));
}

std::uint64_t system_calls_made() noexcept { return system_calls; }

namespace {

union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxPassedFds)];
};

}  // namespace

IoResult send_fds(const Fd& socket, std::span<const std::uint8_t> bytes, std::span<const int> fds,
                  Blocking block) noexcept {
  assert(fds.size() <= kMaxPassedFds && !bytes.empty());
  if (fds.empty()) return send(socket, bytes, block);
  iovec vector{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  return io_result(
      retry_on_eintr([&] { return sendmsg(socket.get(), &message, MSG_NOSIGNAL | dontwait_flag(block)); }));
}

IoResult recv_fds(const Fd& socket, std::span<std::uint8_t> buffer, std::span<Fd> fds,
                  Blocking block) noexcept {
  iovec vector{buffer.data(), buffer.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t n = retry_on_eintr(
      [&] { return recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | dontwait_flag(block)); });
  if (n < 0) return {0, errno};
  // All received descriptors must be closed, including unexpected ones: own them before any check.
  std::array<Fd, kMaxPassedFds> arrived;
  std::size_t count = 0;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t fd_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < fd_count && count < kMaxPassedFds; ++i) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      arrived[count++] = Fd(fd);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0 || count > fds.size()) return {0, EPROTO};
  std::move(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(count), fds.begin());
  return {static_cast<std::size_t>(n), 0};
}

SocketPair make_socket_pair() noexcept {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return {Fd(), Fd(), errno};
  return {Fd(fds[0]), Fd(fds[1]), 0};
}

PeerCredentials peer_credentials(const Fd& socket) noexcept {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  if (credentials.pid == 0)
    return {-1, credentials.uid, credentials.gid};  // outside of this process's PID namespace
  return {credentials.pid, credentials.uid, credentials.gid};
}

int poll(std::span<PollItem> items, Deadline deadline) noexcept {
  std::array<pollfd, 16> fds;
  assert(items.size() <= fds.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    fds[i] = {items[i].fd,
              static_cast<short>(((items[i].wanted & kReadable) != 0 ? POLLIN : 0) |
                                 ((items[i].wanted & kWritable) != 0 ? POLLOUT : 0)),
              0};
  }
  int ready = -1;
  do {
    timespec left{};
    if (!deadline.is_never()) {
      const std::int64_t ns = std::max<std::int64_t>(0, deadline.ns - now_ns());
      left = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    }
    ++system_calls;
    ready = ppoll(fds.data(), items.size(), deadline.is_never() ? nullptr : &left, nullptr);
  } while (ready < 0 && errno == EINTR);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const int events = ready > 0 ? fds[i].revents : 0;
    items[i].ready = ((events & POLLIN) != 0 ? kReadable : 0U) | ((events & POLLOUT) != 0 ? kWritable : 0U) |
                     ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0 ? kHungUp : 0U);
  }
  return std::max(ready, 0);
}

unsigned poll(const Fd& fd, unsigned wanted, Deadline deadline) noexcept {
  PollItem item{fd.get(), wanted, 0};
  poll(std::span(&item, 1), deadline);
  return item.ready;
}

WakeupFd::WakeupFd() noexcept : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
void WakeupFd::notify() noexcept {
  if (fd_) eventfd_write(fd_.get(), 1);
}
void WakeupFd::drain() noexcept {
  eventfd_t count = 0;
  if (fd_) eventfd_read(fd_.get(), &count);
}

}  // namespace orbweaver::platform
