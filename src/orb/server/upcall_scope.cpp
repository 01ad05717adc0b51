#include "orb/server/upcall_scope.h"

#include <utility>

#include "orb/server/object_finder.h"
#include "orb/server/request_header_cache.h"
#include "platform/process_identity.h"
#include "transport/transport.h"

namespace orbweaver::orb {
namespace {
thread_local int upcall_depth = 0;      // upcalls of connections
thread_local int collocated_depth = 0;  // collocated calls in progress, since the innermost upcall began
thread_local const Peer* current_peer = nullptr;  // other end of the connection
// The innermost servant that is pinned without a hint, since the innermost UpcallScope began; kNoObject
// and kManager: none of an operation.
thread_local const ServantPin* current_pin = nullptr;
thread_local const DispatchCache* current_hints = nullptr;  // of the innermost UpcallScope
constexpr ServantPin kNoObject, kManager;
}  // namespace

bool in_upcall() noexcept { return upcall_depth > 0 || collocated_depth > 0 || current_pin == &kManager; }
bool in_connection_upcall() noexcept { return upcall_depth > 0; }
void begin_collocated_call(ServantPin& pin) noexcept {
  ++collocated_depth;
  pin.outer = std::exchange(current_pin, &pin);
}
void end_collocated_call(const ServantPin& pin) noexcept {
  --collocated_depth;
  current_pin = pin.outer;
}

CurrentObject current_object() noexcept {
  if (current_pin != nullptr) return {current_pin->slot, current_pin->unmapped};
  if (current_hints != nullptr) return {current_hints->slot_hint.slot, nullptr};
  return {};
}

bool executes(const ServantSlot& slot) noexcept {
  for (const ServantPin* pin = current_pin; pin != nullptr; pin = pin->outer) {
    if (pin->slot == &slot) return true;
  }
  return current_hints != nullptr && current_hints->slot_hint.slot == &slot;
}

UpcallScope::UpcallScope(const Peer& peer, const DispatchCache* hints) noexcept
    : peer_before_(std::exchange(current_peer, &peer)),
      collocated_depth_before_(std::exchange(collocated_depth, 0)),
      pin_before_(std::exchange(current_pin, nullptr)), hints_before_(std::exchange(current_hints, hints)) {
  ++upcall_depth;
}

UpcallScope::~UpcallScope() {
  --upcall_depth;
  current_peer = peer_before_;
  collocated_depth = collocated_depth_before_;
  current_pin = pin_before_;
  current_hints = hints_before_;
}

PinScope::PinScope(ServantPin& pin) noexcept : pin_(pin) { pin.outer = std::exchange(current_pin, &pin); }
PinScope::~PinScope() { current_pin = pin_.outer; }

NoObjectScope::NoObjectScope(Calls calls) noexcept
    : before_(std::exchange(current_pin, calls == Calls::manager ? &kManager : &kNoObject)) {}
NoObjectScope::~NoObjectScope() { current_pin = before_; }

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
