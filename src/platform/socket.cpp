#include "platform/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

namespace orbweaver::platform {
namespace {

const sockaddr* raw(const SocketAddress& a) noexcept { return reinterpret_cast<const sockaddr*>(a.storage); }
sockaddr* raw(SocketAddress& a) noexcept { return reinterpret_cast<sockaddr*>(a.storage); }
sa_family_t family(const SocketAddress& a) noexcept {
  return a.length < sizeof(sa_family_t) ? sa_family_t{AF_UNSPEC} : raw(a)->sa_family;
}

// Initial-exec: an add to a known place, where the usual model of a shared library calls a function.
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t calls = 0;

/// Repeats a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) noexcept {
  decltype(call()) result;
  do ++calls, result = call();
  while (result == -1 && errno == EINTR);
  return result;
}

FdResult failed() noexcept { return {Fd(), errno}; }
IoResult io_result(ssize_t n) noexcept {
  return n < 0 ? IoResult{0, errno} : IoResult{static_cast<std::size_t>(n), 0};
}
int wait_flag(Block block) noexcept { return block == Block::no ? MSG_DONTWAIT : 0; }

SocketAddress name_of(const Fd& socket, int (*ask)(int, sockaddr*, socklen_t*)) noexcept {
  SocketAddress address;
  socklen_t length = sizeof address.storage;
  if (ask(socket.get(), raw(address), &length) == 0) address.length = length;
  return address;
}

}  // namespace

FdResult listen_on(const SocketAddress& address, int backlog) noexcept {
  Fd fd(socket(family(address), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return failed();
  const int on = 1;
  // A server that restarts takes its port back at once, whatever its old connections still wait for.
  if (family(address) != AF_UNIX) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), raw(address), address.length) != 0) return failed();
  if (listen(fd.get(), backlog) != 0) return failed();
  return {std::move(fd), 0};
}

FdResult connect_to(const SocketAddress& address, Deadline deadline) noexcept {
  Fd fd(socket(family(address), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failed();
  int connected = connect(fd.get(), raw(address), address.length);
  // A Unix listener whose backlog is full says EAGAIN, and cannot be polled for: ask again.
  while (connected != 0 && errno == EAGAIN && family(address) == AF_UNIX && !deadline.passed()) {
    usleep(1000);
    connected = connect(fd.get(), raw(address), address.length);
  }
  if (connected != 0) {
    if (errno == EAGAIN && family(address) == AF_UNIX) return {Fd(), ETIMEDOUT};
    if (errno != EINPROGRESS && errno != EINTR) return failed();
    if (poll(fd, kWritable, deadline) == 0) return {Fd(), ETIMEDOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return failed();
    if (error != 0) return {Fd(), error};
  }
  if (fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK) != 0) return failed();
  return {std::move(fd), 0};
}

FdResult accept_from(const Fd& listener, Deadline deadline) noexcept {
  // Ready by poll is no promise: the peer may be gone again before accept, which then waits for the next.
  if (!deadline.is_never() && poll(listener, kReadable, deadline) == 0) return {Fd(), EAGAIN};
  const int fd = uninterrupted([&] { return accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC); });
  if (fd < 0) return failed();
  return {Fd(fd), 0};
}

SocketAddress local_address(const Fd& socket) noexcept { return name_of(socket, getsockname); }
SocketAddress peer_address(const Fd& socket) noexcept { return name_of(socket, getpeername); }

void tune_tcp(const Fd& socket) noexcept {
  const auto set = [&](int level, int option, int value) {
    setsockopt(socket.get(), level, option, &value, sizeof value);  // on failure slower, never wrong
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);  // seconds; a vanished host is given up after about a minute
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void shutdown_both(const Fd& socket) noexcept { shutdown(socket.get(), SHUT_RDWR); }
void shutdown_sending(const Fd& socket) noexcept { shutdown(socket.get(), SHUT_WR); }

void abort_tcp(const Fd& socket) noexcept {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;  // connecting to nowhere: a TCP socket drops its connection, and resets it
  // Not by connect(): the race detector would take that for the making of a descriptor others are using.
  syscall(SYS_connect, socket.get(), &nowhere, sizeof nowhere);
}

std::size_t unsent(const Fd& socket) noexcept {
  int bytes = 0;
  return ioctl(socket.get(), SIOCOUTQNSD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

IoResult send(const Fd& socket, std::span<const std::uint8_t> bytes, Block block) noexcept {
  return io_result(uninterrupted(
      [&] { return ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | wait_flag(block)); }));
}

IoResult send(const Fd& socket, std::span<const std::span<const std::uint8_t>> pieces, Block block) noexcept {
  std::array<iovec, 64> vectors;
  assert(pieces.size() <= vectors.size());
  std::transform(pieces.begin(), pieces.end(), vectors.begin(), [](std::span<const std::uint8_t> piece) {
    return iovec{const_cast<std::uint8_t*>(piece.data()), piece.size()};
  });
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = pieces.size();
  return io_result(
      uninterrupted([&] { return sendmsg(socket.get(), &message, MSG_NOSIGNAL | wait_flag(block)); }));
}

IoResult recv(const Fd& socket, std::span<std::uint8_t> room, Block block) noexcept {
  return io_result(
      uninterrupted([&] { return ::recv(socket.get(), room.data(), room.size(), wait_flag(block)); }));
}

namespace {

FdResult datagram_socket(sa_family_t of) noexcept {
  Fd fd(socket(of, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return failed();
  const int buffer = 4 << 20;  // the system cuts it to what it allows (net.core.rmem_max)
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  return {std::move(fd), 0};
}

}  // namespace

FdResult bind_datagrams(const SocketAddress& local) noexcept {
  FdResult made = datagram_socket(family(local));
  if (made && bind(made.fd.get(), raw(local), local.length) != 0) return failed();
  return made;
}

FdResult connect_datagrams(const SocketAddress& peer) noexcept {
  FdResult made = datagram_socket(family(peer));
  if (made && connect(made.fd.get(), raw(peer), peer.length) != 0) return failed();
  return made;
}

FdResult share_port(const Fd& bound, const SocketAddress& peer) noexcept {
  const SocketAddress local = local_address(bound);
  FdResult made = datagram_socket(family(local));
  if (!made) return made;
  const int on = 1;
  // Set on the first socket only after it was bound: then a port that another has is refused, as ever.
  for (const int each : {bound.get(), made.fd.get()}) {
    if (setsockopt(each, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) return failed();
  }
  if (bind(made.fd.get(), raw(local), local.length) != 0) return failed();
  if (connect(made.fd.get(), raw(peer), peer.length) != 0) return failed();
  return made;
}

void release_port(const Fd& socket) noexcept {
  const Fd ended(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ended && shutdown(ended.get(), SHUT_RDWR) == 0) {
    // Not by dup3(), as in abort_tcp.
    if (syscall(SYS_dup3, ended.get(), socket.get(), O_CLOEXEC) >= 0) return;
  }
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;  // no descriptor left for that: a port that the system chose goes by this, too
  syscall(SYS_connect, socket.get(), &nowhere, sizeof nowhere);
}

IoResult send_to(const Fd& socket, std::span<const std::uint8_t> bytes, const SocketAddress& to) noexcept {
  return io_result(uninterrupted(
      [&] { return sendto(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL, raw(to), to.length); }));
}

IoResult recv_from(const Fd& socket, std::span<std::uint8_t> room, SocketAddress& from, Block block) noexcept {
  socklen_t length = sizeof from.storage;
  const IoResult got = io_result(uninterrupted(
      [&] { return recvfrom(socket.get(), room.data(), room.size(), wait_flag(block), raw(from), &length); }));
  if (got.error == 0) from.length = length;
  return got;
}

namespace {

/// One number beside a datagram: the length of its segments.
template <class Number>
union SegmentControl {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(Number))];
};

std::size_t segment_of(msghdr& message) noexcept {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_UDP || header->cmsg_type != UDP_GRO) continue;
    int bytes = 0;
    memcpy(&bytes, CMSG_DATA(header), sizeof bytes);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }
  return 0;
}

}  // namespace

void take_segments(const Fd& socket) noexcept {
  const int on = 1;
  setsockopt(socket.get(), SOL_UDP, UDP_GRO, &on, sizeof on);  // on failure slower, never wrong
}

IoResult recv_datagrams(const Fd& socket, std::span<Datagram> datagrams) noexcept {
  constexpr std::size_t kMost = 16;
  std::array<mmsghdr, kMost> messages;
  std::array<iovec, kMost> vectors;
  std::array<SegmentControl<int>, kMost> controls;
  assert(datagrams.size() <= kMost);
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    vectors[i] = {datagrams[i].room.data(), datagrams[i].room.size()};
    messages[i] = {};
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_control = controls[i].bytes;
    messages[i].msg_hdr.msg_controllen = sizeof controls[i].bytes;
  }
  const int n = uninterrupted([&] {
    return recvmmsg(socket.get(), messages.data(), static_cast<unsigned>(datagrams.size()), MSG_DONTWAIT, nullptr);
  });
  for (int i = 0; i < n; ++i) {
    datagrams[i].bytes = messages[i].msg_len;
    datagrams[i].segment = segment_of(messages[i].msg_hdr);
    datagrams[i].cut = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
  }
  return io_result(n);
}

IoResult send_datagrams(const Fd& socket, std::span<const OutgoingDatagram> datagrams, bool& segmentation) noexcept {
  constexpr std::size_t kMost = 32, kMostSegments = 64, kMostBytes = 65'000;
  std::array<mmsghdr, kMost> messages;
  std::array<iovec, 2 * kMost> vectors;
  std::array<SegmentControl<std::uint16_t>, kMost> controls;
  std::array<std::size_t, kMost> ends;  // of each message: the datagram after its last
  assert(!datagrams.empty() && datagrams.size() <= kMost);
  const auto bytes = [&](std::size_t i) { return datagrams[i].head.size() + datagrams[i].body.size(); };
  for (;;) {
    std::size_t n = 0, vector = 0;
    for (std::size_t i = 0; i < datagrams.size(); ++n) {
      msghdr& message = messages[n].msg_hdr;
      message = {};
      message.msg_iov = &vectors[vector];
      const std::size_t first = i;
      std::size_t sum = 0;
      do {
        for (const auto piece : {datagrams[i].head, datagrams[i].body}) {
          if (!piece.empty()) vectors[vector++] = {const_cast<std::uint8_t*>(piece.data()), piece.size()};
        }
        sum += bytes(i++);
      } while (segmentation && i < datagrams.size() && i - first < kMostSegments && bytes(i - 1) == bytes(first) &&
               bytes(i) <= bytes(first) && sum + bytes(i) <= kMostBytes);
      message.msg_iovlen = static_cast<std::size_t>(&vectors[vector] - message.msg_iov);
      ends[n] = i;
      if (i - first < 2) continue;
      message.msg_control = controls[n].bytes;
      message.msg_controllen = sizeof controls[n].bytes;
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_UDP;
      header->cmsg_type = UDP_SEGMENT;
      header->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
      const auto segment = static_cast<std::uint16_t>(bytes(first));
      memcpy(CMSG_DATA(header), &segment, sizeof segment);
    }
    const int sent = uninterrupted([&] {
      return sendmmsg(socket.get(), messages.data(), static_cast<unsigned>(n), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent > 0) return {ends[static_cast<std::size_t>(sent) - 1], 0};
    const bool was_cut = messages[0].msg_hdr.msg_controllen != 0;
    if (!was_cut || (errno != EINVAL && errno != EIO && errno != EMSGSIZE && errno != EOPNOTSUPP)) return {0, errno};
    segmentation = false;  // the link takes no such length, or the kernel no such request
  }
}

std::uint64_t calls_made() noexcept { return calls; }

namespace {

constexpr std::size_t kMaxFds = 8;
union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxFds)];
};

}  // namespace

IoResult send_fds(const Fd& socket, std::span<const std::uint8_t> bytes, std::span<const int> fds,
                  Block block) noexcept {
  assert(fds.size() <= kMaxFds && !bytes.empty());
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
      uninterrupted([&] { return sendmsg(socket.get(), &message, MSG_NOSIGNAL | wait_flag(block)); }));
}

IoResult recv_fds(const Fd& socket, std::span<std::uint8_t> room, std::span<Fd> fds, Block block) noexcept {
  iovec vector{room.data(), room.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t n = uninterrupted(
      [&] { return recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | wait_flag(block)); });
  if (n < 0) return {0, errno};
  // Whatever arrived is ours to close, wanted or not: first own all of it, then judge.
  std::array<Fd, kMaxFds> arrived;
  std::size_t count = 0;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < here && count < kMaxFds; ++i) {
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
  if (credentials.pid == 0) return {-1, credentials.uid, credentials.gid};  // outside our PID namespace
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
    ++calls;
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

WakeUp::WakeUp() noexcept : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
void WakeUp::notify() noexcept {
  if (fd_) eventfd_write(fd_.get(), 1);
}
void WakeUp::drain() noexcept {
  eventfd_t count = 0;
  if (fd_) eventfd_read(fd_.get(), &count);
}

}  // namespace orbweaver::platform
