#pragma once

#include <string>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/transport.h"

/// Identity and admission of the peer of a Unix socket, for local transports.
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

/// True if `peer` may exchange calls with this process over a local transport: by the ORB's access rules;
/// without any, processes of the same user and of root may.
inline bool permitted(const platform::PeerCredentials& peer, const ChannelOptions& options) {
  if (peer.uid < 0) return false;
  return options.admits ? options.admits(local_peer(peer)) : peer.uid == platform::user_id() || peer.uid == 0;
}

}  // namespace orbweaver::transport
