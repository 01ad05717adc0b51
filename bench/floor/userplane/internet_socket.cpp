#include "internet_socket.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace orbweaver::bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Address {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address loopback(const UserplaneSettings& settings, std::uint16_t port) {
  Address address;
  if (settings.ip == 6) {
    auto& in6 = reinterpret_cast<sockaddr_in6&>(address.storage);
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(port);
    in6.sin6_addr = in6addr_loopback;
    address.length = sizeof in6;
  } else {
    auto& in = reinterpret_cast<sockaddr_in&>(address.storage);
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.length = sizeof in;
  }
  return address;
}

/// UDP sockets have the buffers of Orbweaver's: 4 MiB, as far as the kernel allows.
Socket new_socket(const UserplaneSettings& settings) {
  const bool udp = settings.transport == "udp";
  Socket s(socket(settings.ip == 6 ? AF_INET6 : AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
  const int buffer = 4 << 20;
  if (udp) {
    setsockopt(s.fd(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(s.fd(), SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  }
  return s;
}

}  // namespace

Socket bound_socket(const UserplaneSettings& settings) {
  Socket s = new_socket(settings);
  Address address = loopback(settings, 0);
  if (bind(s.fd(), address.raw(), address.length) != 0) fail("bind");
  return s;
}

std::uint16_t port_of(const Socket& s) {
  Address address;
  if (getsockname(s.fd(), address.raw(), &address.length) != 0) fail("getsockname");
  return ntohs(address.storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address.storage).sin_port);
}

Socket connected_socket(const UserplaneSettings& settings, std::uint16_t port) {
  Socket s = new_socket(settings);
  Address address = loopback(settings, port);
  if (connect(s.fd(), address.raw(), address.length) != 0) fail("connect");
  const int on = 1;
  if (settings.transport == "tcp" && setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
    fail("TCP_NODELAY");
  return s;
}

Socket accepted_socket(const Socket& listener) {
  return Socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace orbweaver::bench
