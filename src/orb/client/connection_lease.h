#pragma once

#include "orb/client/auxiliary_connections.h"

namespace orbweaver::orb {

class Core;

/// The connection of one attempt of a call: that of the binding, or an auxiliary one, which the destructor
/// returns for reuse.
class ConnectionLease {
 public:
  explicit ConnectionLease(ClientConnection& shared) noexcept : connection_(&shared) {}
  ~ConnectionLease() {
    if (owner_ != nullptr) owner_->release(*connection_);
  }
  ConnectionLease(const ConnectionLease&) = delete;
  ConnectionLease& operator=(const ConnectionLease&) = delete;

  /// Selects an auxiliary connection if a two-way call would wait behind the outstanding reply of the shared
  /// one. Not in place of a connection that the peer has opened, over which it serves several at a time.
  void avoid_outstanding_replies(Core& core, const Endpoint& endpoint, transport::Deadline deadline);
  ClientConnection& operator*() const noexcept { return *connection_; }
  ClientConnection* operator->() const noexcept { return connection_; }

 private:
  ClientConnection* connection_;
  AuxiliaryConnections* owner_ = nullptr;
};

}  // namespace orbweaver::orb
