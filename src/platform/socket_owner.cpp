#include "platform/socket_owner.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "platform/ip_address.h"
#include "platform/system_call.h"

namespace orbweaver::platform {
namespace {

constexpr std::uint32_t kSequence = 1;
constexpr std::size_t kHeaderBytes = NLMSG_HDRLEN;
constexpr std::uint32_t kLoopbackInterface = 1;  // LOOPBACK_IFINDEX, in every network namespace
constexpr std::size_t kIpV4At = kIpV4PrefixBits / 8, kIpV4Bytes = sizeof(in_addr);

/// One end of a connection, as the kernel's tables have it.
struct End {
  IpAddress address;
  std::uint16_t port = 0;   // in network byte order
  std::uint32_t scope = 0;  // interface of a link-local address

  bool operator==(const End& other) const noexcept {
    return address.bytes == other.address.bytes && port == other.port;
  }
};

IpAddress mapped(const void* v4) noexcept {
  IpAddress address;
  address.bytes[10] = address.bytes[11] = 0xff;
  memcpy(address.bytes.data() + kIpV4At, v4, kIpV4Bytes);
  return address;
}

IpAddress ip_address(sa_family_t family, const void* bytes) noexcept {
  if (family == AF_INET) return mapped(bytes);
  IpAddress address;
  memcpy(address.bytes.data(), bytes, address.bytes.size());
  return address;
}

std::optional<End> end_of(const SocketAddress& of) noexcept {
  if (family(of) == AF_INET) {
    const auto& in = *reinterpret_cast<const sockaddr_in*>(of.storage);
    return End{mapped(&in.sin_addr), in.sin_port};
  }
  if (family(of) != AF_INET6) return {};
  const auto& in = *reinterpret_cast<const sockaddr_in6*>(of.storage);
  return End{ip_address(AF_INET6, &in.sin6_addr), in.sin6_port, in.sin6_scope_id};
}

bool is_loopback(const IpAddress& address) noexcept {
  if (address.is_v4()) return address.bytes[kIpV4At] == 127;
  return memcmp(address.bytes.data(), &in6addr_loopback, sizeof in6addr_loopback) == 0;
}

/// One request to the kernel and its answer. The kernel has answered when `send` returns, so that receiving
/// does not wait.
class SocketDiagnosis {
 public:
  /// Sends `request`, which begins with a nlmsghdr. Returns 0, or an errno value, also that of the answer.
  template <class Request>
  int ask(int protocol, Request& request) noexcept {
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.header.nlmsg_seq = kSequence;
    const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
    if (!socket) return errno;
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    const auto sent = retry_on_eintr([&] {
      return sendto(socket.get(), &request, sizeof request, 0, reinterpret_cast<sockaddr*>(&kernel),
                    sizeof kernel);
    });
    if (sent < 0) return errno;
    sockaddr_nl from{};
    socklen_t from_bytes = sizeof from;
    const auto got = retry_on_eintr([&] {
      return recvfrom(socket.get(), answer_.data(), answer_.size(), MSG_DONTWAIT,
                      reinterpret_cast<sockaddr*>(&from), &from_bytes);
    });
    if (got < 0) return errno;
    return read(static_cast<std::size_t>(got), from);
  }
  /// The beginning of the answer's payload; empty if it is shorter.
  template <class Payload>
  std::optional<Payload> payload() const noexcept {
    Payload result;
    if (payload_bytes_ < sizeof result) return {};
    memcpy(&result, answer_.data() + kHeaderBytes, sizeof result);
    return result;
  }

 private:
  int read(std::size_t bytes, const sockaddr_nl& from) noexcept {
    nlmsghdr header;
    if (bytes < sizeof header || from.nl_pid != 0) return EPROTO;
    memcpy(&header, answer_.data(), sizeof header);
    if (header.nlmsg_seq != kSequence || header.nlmsg_len < kHeaderBytes) return EPROTO;
    payload_bytes_ = std::min<std::size_t>(bytes, header.nlmsg_len) - kHeaderBytes;
    if (header.nlmsg_type != NLMSG_ERROR) return 0;
    const auto failure = payload<nlmsgerr>();
    return failure && failure->error < 0 ? -failure->error : EPROTO;
  }

  alignas(8) std::array<std::uint8_t, 4096> answer_;  // what exceeds it is not used
  std::size_t payload_bytes_ = 0;
};

struct DiagRequest {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

void put(const IpAddress& address, bool v4, __be32 (&to)[4]) noexcept {
  const std::size_t from = v4 ? kIpV4At : 0;
  memcpy(to, address.bytes.data() + from, address.bytes.size() - from);
}

/// Asks for the socket whose own end is `own` and whose peer is `other`. Returns 0, or an errno value.
int find_socket(const End& own, const End& other, IpProtocol protocol, inet_diag_msg& found) noexcept {
  DiagRequest request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  const bool v4 = own.address.is_v4() && other.address.is_v4();
  request.body.sdiag_family = v4 ? AF_INET : AF_INET6;
  request.body.sdiag_protocol = protocol == IpProtocol::tcp ? IPPROTO_TCP : IPPROTO_UDP;
  request.body.idiag_states = ~0U;
  inet_diag_sockid& id = request.body.id;
  // For UDP, the kernel takes the source of the packets that the socket receives.
  const End& source = protocol == IpProtocol::tcp ? own : other;
  const End& destination = protocol == IpProtocol::tcp ? other : own;
  id.idiag_sport = source.port;
  id.idiag_dport = destination.port;
  put(source.address, v4, id.idiag_src);
  put(destination.address, v4, id.idiag_dst);
  // Finds sockets that are bound to no interface, and those bound to this one.
  id.idiag_if = own.scope != 0 ? own.scope : kLoopbackInterface;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  SocketDiagnosis query;
  if (const int error = query.ask(NETLINK_SOCK_DIAG, request); error != 0) return error;
  const auto answer = query.payload<inet_diag_msg>();
  if (!answer) return EPROTO;
  found = *answer;
  return 0;
}

/// Whether the socket found is connected as asked for: the kernel also finds one that listens at `own`.
bool is_connected(const inet_diag_msg& found, const End& own, const End& other) noexcept {
  switch (found.idiag_state) {
    case TCP_ESTABLISHED:
    case TCP_FIN_WAIT1:
    case TCP_FIN_WAIT2:
    case TCP_CLOSE_WAIT:
    case TCP_LAST_ACK:
    case TCP_CLOSING: break;
    default: return false;
  }
  return End{ip_address(found.idiag_family, found.id.idiag_src), found.id.idiag_sport} == own &&
         End{ip_address(found.idiag_family, found.id.idiag_dst), found.id.idiag_dport} == other;
}

/// Whether a TCP connection has been reset, after which another socket may use the peer's port.
bool has_been_reset(const Fd& socket) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 || info.tcpi_state == TCP_CLOSE;
}

bool is_of_this_host(const IpAddress& address) noexcept {
  if (is_loopback(address)) return true;
  struct {
    nlmsghdr header{};
    rtmsg body{};
    rtattr attribute{};
    std::array<std::uint8_t, 16> destination{};
  } request;
  const bool v4 = address.is_v4();
  const std::size_t from = v4 ? kIpV4At : 0, bytes = address.bytes.size() - from;
  request.header.nlmsg_type = RTM_GETROUTE;
  request.body.rtm_family = v4 ? AF_INET : AF_INET6;
  request.body.rtm_dst_len = static_cast<unsigned char>(bytes * 8);
  request.attribute.rta_type = RTA_DST;
  request.attribute.rta_len = static_cast<unsigned short>(RTA_LENGTH(bytes));
  memcpy(request.destination.data(), address.bytes.data() + from, bytes);
  SocketDiagnosis query;
  if (query.ask(NETLINK_ROUTE, request) != 0) return false;
  const auto route = query.payload<rtmsg>();
  return route && route->rtm_type == RTN_LOCAL;
}

}  // namespace

bool is_at_end(const Fd& socket) noexcept {
  char octet;
  return retry_on_eintr([&] { return ::recv(socket.get(), &octet, 1, MSG_PEEK | MSG_DONTWAIT); }) == 0;
}

bool is_address_of_this_host(const SocketAddress& address) noexcept {
  const auto end = end_of(address);
  return end && is_of_this_host(end->address);
}

SocketOwner owner_of_peer(const Fd& socket, const SocketAddress& peer, IpProtocol protocol) noexcept {
  using Kind = SocketOwner::Kind;
  const auto other = end_of(peer), own = end_of(local_address(socket));
  if (!other) return {};
  const bool is_here = own && (other->address.bytes == own->address.bytes || is_loopback(own->address));
  if (!is_here && !is_of_this_host(other->address)) return {};
  if (!own) return {Kind::none};
  inet_diag_msg found{};
  const int error = find_socket(*other, *own, protocol, found);
  const bool tcp = protocol == IpProtocol::tcp;
  if (error == 0) {
    // A socket that its process has closed has no inode, and its uid may be 0. The connection is checked
    // after the query: as long as it exists, no other socket can be connected with these addresses.
    if (!is_connected(found, *other, *own) || found.idiag_inode == 0 || (tcp && has_been_reset(socket)))
      return {Kind::none};
    return {Kind::known, found.idiag_uid};
  }
  if (error != ENOENT) return {Kind::unknown, -1, error};
  // Also the answer of a kernel without inet_diag: one that has it finds this end.
  const int own_error = find_socket(*own, *other, protocol, found);
  if (own_error == 0 || (tcp && has_been_reset(socket))) return {Kind::none};
  return {Kind::unknown, -1, own_error};
}

}  // namespace orbweaver::platform
