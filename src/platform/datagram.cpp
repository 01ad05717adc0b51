#include "platform/datagram.h"

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

}  // namespace orbweaver::platform
