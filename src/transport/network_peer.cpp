#include "transport/network_peer.h"

#include <cerrno>

#include "base/log.h"

namespace orbweaver::transport {
namespace {

std::string reason(const platform::SocketOwner& owner) {
  if (owner.kind == platform::SocketOwner::Kind::none)
    return "no process has its socket: it was closed at once, or its packets are redirected";
  return "the kernel does not tell: " + (owner.error == ENOENT
                                             ? std::string("it has no inet_diag for this protocol, or the "
                                                           "socket is of another network namespace")
                                             : platform::error_text(owner.error));
}

}  // namespace

Peer network_peer(const platform::Fd& socket, const platform::SocketAddress& address,
                  platform::IpProtocol protocol) {
  using Kind = platform::SocketOwner::Kind;
  Peer peer;
  peer.address = address.text();
  const platform::SocketOwner owner = platform::owner_of_peer(socket, address, protocol);
  if (owner.kind == Kind::remote) return peer;
  peer.pid = 0;
  peer.uid = owner.uid;
  if (owner.kind != Kind::known) {
    log::write_limited(log::Level::info, "unknown user", log::origin(peer), [&] {
      return "the user of " + peer.address + ", on this host, is unknown: " + reason(owner);
    });
  }
  return peer;
}

}  // namespace orbweaver::transport
