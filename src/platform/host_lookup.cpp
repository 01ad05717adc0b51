#include "platform/host_lookup.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include <charconv>

namespace orbweaver::platform {

const char* for_each_address(const char* host, std::uint16_t port, bool to_listen, UseAddress use,
                             void* closure) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  char service[6];
  *std::to_chars(service, service + 5, port).ptr = '\0';
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(*host == '\0' ? nullptr : host, service, &hints, &found);
  if (problem != 0) return gai_strerror(problem);
  bool used = false;
  for (const addrinfo* a = found; a != nullptr && !used; a = a->ai_next) {
    SocketAddress address;
    memcpy(address.storage, a->ai_addr, a->ai_addrlen);
    address.length = a->ai_addrlen;
    used = use(closure, address);
  }
  freeaddrinfo(found);
  return nullptr;
}

}  // namespace orbweaver::platform
