#include "sca/cf41/caller.h"

#include "base/peer_address.h"
#include "platform/process_identity.h"

namespace orbweaver::sca {

Caller caller_of(const Peer* peer) {
  if (client_of(peer).empty()) return {{}, true};
  const bool is_administrator = peer->uid == 0 || peer->uid == platform::user_id();
  if (!peer->subject.empty()) return {"subject:" + peer->subject, is_administrator};
  if (peer->uid >= 0) return {"user:" + std::to_string(peer->uid), is_administrator};
  return {"net:" + client_of(peer), is_administrator};
}

}  // namespace orbweaver::sca
