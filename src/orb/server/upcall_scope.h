#pragma once

#include <orbweaver/peer.h>

namespace orbweaver::orb {

/// Whether the calling thread executes a servant's method, for a connection or a collocated call. It must not
/// wait for the completion of requests then: it would deadlock.
bool in_upcall() noexcept;
/// Whether the calling thread executes an upcall of a connection.
bool in_connection_upcall() noexcept;
/// Mark the beginning and the end of a collocated call in the calling thread. May be nested.
void begin_collocated_call() noexcept;
void end_collocated_call() noexcept;

/// Marks the calling thread as executing an upcall, from construction to destruction. `peer` is the other end
/// of the connection and outlives this object. May be nested.
class UpcallScope {
 public:
  explicit UpcallScope(const Peer& peer) noexcept;
  ~UpcallScope();
  UpcallScope(const UpcallScope&) = delete;
  UpcallScope& operator=(const UpcallScope&) = delete;

 private:
  const Peer* const peer_before_;
  const int collocated_depth_before_;
};

}  // namespace orbweaver::orb
