#include "platform/udp_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cassert>

#include "platform/system_call.h"

namespace orbweaver::platform {
namespace {

FdResult make_udp_socket(sa_family_t of) noexcept {
  Fd fd(socket(of, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno_result();
  const int buffer = 4 << 20;  // the kernel limits it to net.core.rmem_max and net.core.wmem_max
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  return {std::move(fd), 0};
}

}  // namespace

FdResult bind_udp(const SocketAddress& local) noexcept {
  FdResult created = make_udp_socket(family(local));
  if (created && bind(created.fd.get(), as_sockaddr(local), local.length) != 0) return errno_result();
  return created;
}

FdResult connect_udp(const SocketAddress& peer) noexcept {
  FdResult created = make_udp_socket(family(peer));
  if (created && connect(created.fd.get(), as_sockaddr(peer), peer.length) != 0) return errno_result();
  return created;
}

FdResult connect_udp_sharing_port(const Fd& bound, const SocketAddress& peer) noexcept {
  const SocketAddress local = local_address(bound);
  FdResult created = make_udp_socket(family(local));
  if (!created) return created;
  const int on = 1;
  // Set on `bound` only after its bind, which therefore failed if another process had the port.
  for (const int fd : {bound.get(), created.fd.get()}) {
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) return errno_result();
  }
  if (bind(created.fd.get(), as_sockaddr(local), local.length) != 0) return errno_result();
  if (connect(created.fd.get(), as_sockaddr(peer), peer.length) != 0) return errno_result();
  return created;
}

void release_port(const Fd& socket) noexcept {
  const Fd ended(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ended && shutdown(ended.get(), SHUT_RDWR) == 0) {
    // Not by dup3(), for the same reason as in abort_tcp.
    if (syscall(SYS_dup3, ended.get(), socket.get(), O_CLOEXEC) >= 0) return;
  }
  sockaddr unspecified{};
  unspecified.sa_family = AF_UNSPEC;  // no descriptor left: this also releases a port, if the system chose it
  syscall(SYS_connect, socket.get(), &unspecified, sizeof unspecified);
}

IoResult send_to(const Fd& socket, std::span<const std::uint8_t> bytes, const SocketAddress& to) noexcept {
  return io_result(retry_on_eintr([&] {
    return sendto(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL, as_sockaddr(to), to.length);
  }));
}

IoResult recv_from(const Fd& socket, std::span<std::uint8_t> buffer, SocketAddress& from,
                   Blocking block) noexcept {
  socklen_t length = sizeof from.storage;
  const IoResult got = io_result(retry_on_eintr([&] {
    return recvfrom(socket.get(), buffer.data(), buffer.size(), dontwait_flag(block), as_sockaddr(from),
                    &length);
  }));
  if (got.error == 0) from.length = length;
  return got;
}

namespace {

/// A control message that holds one number: the length of a datagram's segments.
template <class Number>
union SegmentControlMessage {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(Number))];
};

std::size_t gro_segment_bytes(msghdr& message) noexcept {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_UDP || header->cmsg_type != UDP_GRO) continue;
    int bytes = 0;
    memcpy(&bytes, CMSG_DATA(header), sizeof bytes);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }
  return 0;
}

}  // namespace

void enable_gro(const Fd& socket) noexcept {
  const int on = 1;
  setsockopt(socket.get(), SOL_UDP, UDP_GRO, &on, sizeof on);  // optional: affects speed only
}

void limit_blocking_receive(const Fd& socket, std::int64_t limit_ns) noexcept {
  const timeval limit{.tv_sec = static_cast<time_t>(limit_ns / 1'000'000'000),
                      .tv_usec = static_cast<suseconds_t>(limit_ns % 1'000'000'000 / 1000)};
  [[maybe_unused]] const int result = setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  assert(result == 0);
}

IoResult recv_datagrams(const Fd& socket, std::span<Datagram> datagrams, Blocking block) noexcept {
  constexpr std::size_t kMaxDatagrams = 16;
  std::array<mmsghdr, kMaxDatagrams> messages;
  std::array<iovec, kMaxDatagrams> vectors;
  std::array<SegmentControlMessage<int>, kMaxDatagrams> controls;
  assert(datagrams.size() <= kMaxDatagrams);
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    vectors[i] = {datagrams[i].buffer.data(), datagrams[i].buffer.size()};
    messages[i] = {};
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_control = controls[i].bytes;
    messages[i].msg_hdr.msg_controllen = sizeof controls[i].bytes;
  }
  const int n = retry_on_eintr([&] {
    return recvmmsg(socket.get(), messages.data(), static_cast<unsigned>(datagrams.size()),
                    block == Blocking::yes ? MSG_WAITFORONE : MSG_DONTWAIT, nullptr);
  });
  for (int i = 0; i < n; ++i) {
    datagrams[i].bytes = messages[i].msg_len;
    datagrams[i].segment_bytes = gro_segment_bytes(messages[i].msg_hdr);
    datagrams[i].truncated = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
  }
  return io_result(n);
}

IoResult send_datagrams(const Fd& socket, std::span<const OutgoingDatagram> datagrams,
                        bool& segmentation) noexcept {
  constexpr std::size_t kMaxDatagrams = 32, kMaxSegments = 64, kMaxBytes = 65'000;
  std::array<mmsghdr, kMaxDatagrams> messages;
  std::array<iovec, 2 * kMaxDatagrams> vectors;
  std::array<SegmentControlMessage<std::uint16_t>, kMaxDatagrams> controls;
  std::array<std::size_t, kMaxDatagrams> ends;  // of each message: the index after its last datagram
  assert(!datagrams.empty() && datagrams.size() <= kMaxDatagrams);
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
      } while (segmentation && i < datagrams.size() && i - first < kMaxSegments &&
               bytes(i - 1) == bytes(first) && bytes(i) <= bytes(first) && sum + bytes(i) <= kMaxBytes);
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
    const int sent = retry_on_eintr([&] {
      return sendmmsg(socket.get(), messages.data(), static_cast<unsigned>(n), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent > 0) return {ends[static_cast<std::size_t>(sent) - 1], 0};
    const bool was_cut = messages[0].msg_hdr.msg_controllen != 0;
    if (!was_cut || (errno != EINVAL && errno != EIO && errno != EMSGSIZE && errno != EOPNOTSUPP))
      return {0, errno};
    segmentation = false;  // not supported by the kernel, or not for this length by the network
  }
}

}  // namespace orbweaver::platform
