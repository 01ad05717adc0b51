#include "base/peer_address.h"

#include <string_view>

#include "platform/process_identity.h"

namespace orbweaver {

std::optional<platform::IpAddress> ip_address_of(const Peer& peer) {
  std::string_view host = peer.address;
  host = host.substr(0, host.rfind(':'));
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return platform::parse_ip_address(host);
}

bool is_local_user(const Peer& peer) { return peer.uid >= 0 && !ip_address_of(peer); }

std::string client_of(const Peer* peer) {
  if (peer == nullptr || peer->pid == platform::process_id()) return {};
  if (peer->pid > 0) return "pid " + std::to_string(peer->pid);
  return peer->address.substr(0, peer->address.rfind(':'));
}

}  // namespace orbweaver
