#include "platform/socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>

#include "platform/fd.h"
#include "platform/system_call.h"

namespace orbweaver::platform {

static_assert(sizeof(SocketAddress::storage) >= sizeof(sockaddr_storage));

std::string SocketAddress::text() const {
  char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "?";
  switch (as_sockaddr(*this)->sa_family) {
    case AF_INET:
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(storage)->sin_addr, host, sizeof host);
      return std::string(host) + ":" + std::to_string(port());
    case AF_INET6:
      // getnameinfo, not inet_ntop: a link-local address needs its interface.
      getnameinfo(as_sockaddr(*this), length, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
      return std::string("[").append(host).append("]:").append(std::to_string(port()));
    case AF_UNIX: {
      constexpr std::size_t before = offsetof(sockaddr_un, sun_path);
      const char* path = reinterpret_cast<const sockaddr_un*>(storage)->sun_path;
      if (length <= before) return "(unnamed)";
      if (path[0] == '\0') return std::string("@").append(path + 1, length - before - 1);
      return std::string(path, strnlen(path, length - before));
    }
    default: return "(unknown)";
  }
}

std::uint16_t SocketAddress::port() const noexcept {
  switch (as_sockaddr(*this)->sa_family) {
    case AF_INET: return ntohs(reinterpret_cast<const sockaddr_in*>(storage)->sin_port);
    case AF_INET6: return ntohs(reinterpret_cast<const sockaddr_in6*>(storage)->sin6_port);
    default: return 0;
  }
}

SocketAddress unix_address(std::string_view name) noexcept {
  SocketAddress address;
  auto* un = reinterpret_cast<sockaddr_un*>(address.storage);
  if (name.size() >= sizeof un->sun_path) return address;
  un->sun_family = AF_UNIX;
  memcpy(un->sun_path, name.data(), name.size());
  const bool abstract = !name.empty() && name.front() == '@';
  if (abstract) un->sun_path[0] = '\0';
  // An abstract name is not terminated; a path includes its NUL; an empty name makes bind choose one.
  const std::size_t extra = name.empty() || abstract ? 0 : 1;
  address.length = static_cast<std::uint32_t>(offsetof(sockaddr_un, sun_path) + name.size() + extra);
  return address;
}

}  // namespace orbweaver::platform
