#include "socket.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace orbweaver::bench {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

sockaddr_un local(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("socket path too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

void no_delay(const Socket& s) {
  const int on = 1;
  if (setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("TCP_NODELAY");
}

}  // namespace

Socket::Socket(int fd) : fd_(fd) {
  if (fd_ < 0) fail("socket");
}

void send_all(const Socket& to, const void* data, std::size_t bytes, int how) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(to.fd(), next, bytes, MSG_NOSIGNAL | how);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent < 0) fail("send");
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

std::size_t receive_some(const Socket& from, void* data, std::size_t limit, int how) {
  for (;;) {
    const ssize_t got = recv(from.fd(), data, limit, how);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0) fail("recv");
    return static_cast<std::size_t>(got);
  }
}

bool receive_all(const Socket& from, void* data, std::size_t bytes, int how) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const std::size_t got = receive_some(from, next, bytes, how);
    if (got == 0) return false;
    next += got;
    bytes -= got;
  }
  return true;
}

Socket accept_one(const ServerSide& side) {
  const bool tcp = side.what.transport != "unix";  // also for TLS
  Socket listener(socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::string address = side.scratch + "/floor";
  if (tcp) {
    sockaddr_in in = loopback(0);
    socklen_t length = sizeof in;
    if (bind(listener.fd(), reinterpret_cast<sockaddr*>(&in), length) != 0) fail("bind");
    if (getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&in), &length) != 0) fail("getsockname");
    address = std::to_string(ntohs(in.sin_port));
  } else {
    const sockaddr_un un = local(address);
    if (bind(listener.fd(), reinterpret_cast<const sockaddr*>(&un), sizeof un) != 0) fail("bind");
  }
  if (listen(listener.fd(), 1) != 0) fail("listen");
  side.ready(address);
  Socket caller(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (tcp) no_delay(caller);
  return caller;
}

Socket connected(const ClientSide& side) {
  const bool tcp = side.what.transport != "unix";  // also for TLS
  Socket s(socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int result = 0;
  if (tcp) {
    const sockaddr_in in = loopback(std::stoi(side.address));
    result = connect(s.fd(), reinterpret_cast<const sockaddr*>(&in), sizeof in);
    no_delay(s);
  } else {
    const sockaddr_un un = local(side.address);
    result = connect(s.fd(), reinterpret_cast<const sockaddr*>(&un), sizeof un);
  }
  if (result != 0) fail("connect");
  return s;
}

}  // namespace orbweaver::bench
