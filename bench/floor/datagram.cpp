// Floor over UDP: a request of the payload's size in one datagram, and a reply of one byte. An empty payload
// is sent as one byte; a datagram without bytes asks for the total.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "floors.h"
#include "socket.h"

namespace orbweaver::bench {
namespace {

constexpr std::size_t kLargestDatagram = 65'507;

std::size_t wire_bytes(const Case& c) { return c.bytes ? c.bytes : 1; }
int receive_flags(const Case& c) { return blocks(c.wait) ? 0 : MSG_DONTWAIT; }

void require(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void connect_to(const Socket& socket, const sockaddr_in& peer) {
  require(connect(socket.fd(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0, "connect");
}

/// Receives the first datagram, and connects the socket to its sender.
std::size_t receive_first(const Socket& socket, void* data, std::size_t limit) {
  sockaddr_in sender{};
  socklen_t length = sizeof sender;
  const ssize_t got = recvfrom(socket.fd(), data, limit, 0, reinterpret_cast<sockaddr*>(&sender), &length);
  require(got >= 0, "recvfrom");
  connect_to(socket, sender);
  return static_cast<std::size_t>(got);
}

}  // namespace

std::optional<std::string> cannot_datagram(const Case& c) {
  if (c.experiment != Experiment::twoway) return "UDP has no flow control: its floor is measured two-way";
  if (c.bytes > kLargestDatagram) return "it sends a payload in one datagram";
  return std::nullopt;
}

void serve_datagram(const ServerSide& side) {
  const Socket socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own = loopback(0);
  socklen_t length = sizeof own;
  require(bind(socket.fd(), reinterpret_cast<sockaddr*>(&own), length) == 0, "bind");
  require(getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &length) == 0, "getsockname");
  side.ready(std::to_string(ntohs(own.sin_port)));

  FlatPayload received(side.what);
  const std::size_t size = wire_bytes(side.what);
  const int waiting = receive_flags(side.what);
  double total = 0;
  for (std::size_t got = receive_first(socket, received.data(), size); got > 0;
       got = receive_some(socket, received.data(), size, waiting)) {
    if (got != size) throw std::runtime_error("a datagram of another size");
    total += received.read();
    const char done = 1;
    send_all(socket, &done, 1, waiting);
  }
  send_all(socket, &total, sizeof total, 0);
}

Summary call_datagram(const ClientSide& side) {
  const Socket socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  connect_to(socket, loopback(std::stoi(side.address)));
  FlatPayload sent(side.what);
  const std::size_t size = wire_bytes(side.what);
  const int waiting = receive_flags(side.what);
  std::uint64_t calls = 0;
  const Summary figures = measure_calls(side.loop, [&] {
    ++calls;
    char done = 0;
    send_all(socket, sent.data(), size, waiting);
    (void)receive_some(socket, &done, 1, waiting);
  });
  require(send(socket.fd(), nullptr, 0, MSG_NOSIGNAL) == 0, "send");
  double total = 0;
  if (receive_some(socket, &total, sizeof total, 0) != sizeof total)
    throw std::runtime_error("no total of the receiver");
  check_total(total, sent.read(), calls);
  return figures;
}

}  // namespace orbweaver::bench
