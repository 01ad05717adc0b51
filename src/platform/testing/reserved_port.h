#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace orbweaver::platform::testing {

/// Binds a stream socket to the address and returns its descriptor, or -1.
inline int bound_socket(const void* address, socklen_t length, int family) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, static_cast<const sockaddr*>(address), length) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/// Reserves a TCP port of the loopback interface without a listener. No other test process gets it until this
/// process ends: an abstract Unix socket whose name contains the number reserves it. The port is below the
/// kernel's range of ephemeral ports. Throws std::runtime_error if there is none.
inline std::string reserve_port() {
  constexpr int kFirst = 10'000;
  int end = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> end;
  if (end < kFirst + 1'000) end = 30'000;
  const int ports = end - kFirst;
  const int start = static_cast<int>(std::random_device{}() % static_cast<unsigned>(ports));
  for (int i = 0; i < ports; ++i) {
    const int port = kFirst + (start + i) % ports;
    const std::string name = "orbweaver-test-port-" + std::to_string(port);
    sockaddr_un holder{};
    holder.sun_family = AF_UNIX;
    std::memcpy(holder.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int held = bound_socket(&holder, length, AF_UNIX);  // until the process ends
    if (held < 0) continue;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int probe = bound_socket(&address, sizeof address, AF_INET);
    if (probe >= 0) {
      close(probe);
      return std::to_string(port);
    }
    close(held);
  }
  throw std::runtime_error("no free port on the loopback interface below " + std::to_string(end));
}

}  // namespace orbweaver::platform::testing
