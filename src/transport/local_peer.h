#pragma once

#include <string>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/transport.h"

/// Who is at the other end of a Unix socket, for the transports that stay on one machine.
namespace orbweaver::transport {

inline std::string describe(const platform::PeerCredentials& peer) {
  return "process " + std::to_string(peer.pid) + " of user " + std::to_string(peer.uid);
}

inline Peer local_peer(const platform::PeerCredentials& peer) {
  Peer result;
  result.address = describe(peer);
  result.pid = peer.pid;
  result.uid = peer.uid;
  return result;
}

/// May this process exchange calls with that one over a local transport? As the ORB's access rules say; without any,
/// the same user may, and root.
inline bool permitted(const platform::PeerCredentials& peer, const ChannelOptions& options) {
  if (peer.uid < 0) return false;
  return options.admits ? options.admits(local_peer(peer)) : peer.uid == platform::user_id() || peer.uid == 0;
}

}  // namespace orbweaver::transport
