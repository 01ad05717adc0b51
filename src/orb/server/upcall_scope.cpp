#include "orb/server/upcall_scope.h"

#include <utility>

#include "platform/process_identity.h"
#include "transport/transport.h"

namespace orbweaver::orb {
namespace {
thread_local int upcall_depth = 0;      // upcalls of connections
thread_local int collocated_depth = 0;  // collocated calls in progress, since the innermost upcall began
thread_local const Peer* current_peer = nullptr;  // other end of the connection
}  // namespace

bool in_upcall() noexcept { return upcall_depth > 0 || collocated_depth > 0; }
bool in_connection_upcall() noexcept { return upcall_depth > 0; }
void begin_collocated_call() noexcept { ++collocated_depth; }
void end_collocated_call() noexcept { --collocated_depth; }

UpcallScope::UpcallScope(const Peer& peer) noexcept
    : peer_before_(std::exchange(current_peer, &peer)),
      collocated_depth_before_(std::exchange(collocated_depth, 0)) {
  ++upcall_depth;
}

UpcallScope::~UpcallScope() {
  --upcall_depth;
  current_peer = peer_before_;
  collocated_depth = collocated_depth_before_;
}

}  // namespace orbweaver::orb

namespace orbweaver {

const Peer* peer() noexcept {
  if (orb::collocated_depth == 0) return orb::current_peer;  // counted within the current upcall
  // Never destroyed: threads of an ORB may still use it while the program ends.
  static const Peer& ourselves = *new Peer{"this process",
                                           platform::process_id(),
                                           platform::user_id(),
                                           {},
                                           {},
                                           transport::inproc_transport().name()};
  return &ourselves;
}

}  // namespace orbweaver
