#include "orb/client/connection_lease.h"

#include "orb/core.h"
#include "orb/server/upcall_scope.h"

namespace orbweaver::orb {

void ConnectionLease::avoid_outstanding_replies(Core& core, const Endpoint& endpoint,
                                                transport::Deadline deadline) {
  const bool nested = in_connection_upcall();
  const std::size_t max_connections =
      nested ? core.options().auxiliary_connections : core.options().connections_per_peer - 1;
  if (max_connections == 0 || connection_->is_opened_by_peer()) return;
  // The reply to an abandoned call may have arrived and not been read.
  connection_->reader().check_for_close();
  if (!connection_->replies().has_outstanding()) return;
  AuxiliaryConnections& auxiliary = core.connections().auxiliary();
  const Offer offer = connection_->sender().offers() ? Offer::yes : Offer::no;
  ClientConnection* const selected = nested
                                         ? &auxiliary.acquire(endpoint, max_connections, deadline, offer)
                                         : auxiliary.try_acquire(endpoint, max_connections, deadline, offer);
  if (selected == nullptr) return;
  connection_ = selected;
  owner_ = &auxiliary;
}

}  // namespace orbweaver::orb
