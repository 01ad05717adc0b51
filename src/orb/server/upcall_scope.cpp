#include "orb/server/upcall_scope.h"

#include <utility>

#include "orb/server/object_finder.h"
#include "orb/server/request_header_cache.h"
#include "platform/process_identity.h"
#include "transport/transport.h"

namespace orbweaver::orb {
namespace {
/// What a thread executes.
struct Execution {
  int upcall_depth = 0;        // upcalls of connections
  int collocated_depth = 0;    // collocated calls in progress, since the innermost upcall began
  const Peer* peer = nullptr;  // other end of the connection
  // The innermost servant that is pinned without a hint, since the innermost UpcallScope began; kNoObject
  // and kManager: none of an operation.
  const ServantPin* pin = nullptr;
  const DispatchCache* hints = nullptr;  // of the innermost UpcallScope
  UpcallScope* scope = nullptr;          // the innermost
};
/// Of this thread. Every call uses it. Initial-exec TLS: a fixed offset; the default model of a shared
/// library calls a function.
[[gnu::tls_model("initial-exec")]] constinit thread_local Execution execution;
constexpr ServantPin kNoObject, kManager;
}  // namespace

bool in_upcall() noexcept {
  return execution.upcall_depth > 0 || execution.collocated_depth > 0 || execution.pin == &kManager;
}
bool in_connection_upcall() noexcept { return execution.upcall_depth > 0; }
void begin_collocated_call(ServantPin& pin) noexcept {
  ++execution.collocated_depth;
  pin.outer = std::exchange(execution.pin, &pin);
}
void end_collocated_call(const ServantPin& pin) noexcept {
  --execution.collocated_depth;
  execution.pin = pin.outer;
}

CurrentObject current_object() noexcept {
  if (execution.pin != nullptr) return {execution.pin->slot, execution.pin->unmapped};
  if (execution.hints != nullptr) return {execution.hints->slot_hint.slot, nullptr};
  return {};
}

bool executes(const ServantSlot& slot) noexcept {
  for (const ServantPin* pin = execution.pin; pin != nullptr; pin = pin->outer) {
    if (pin->slot == &slot) return true;
  }
  return execution.hints != nullptr && execution.hints->slot_hint.slot == &slot;
}

PriorityToRestore exchange_priority_to_restore(const PriorityToRestore& next) noexcept {
  if (execution.scope == nullptr) return {};
  UpcallScope& scope = *execution.scope;
  if (scope.is_plain_ != nullptr && next.restore != nullptr) *scope.is_plain_ = false;
  return std::exchange(scope.to_restore_, next);
}

void restore_priority() noexcept {
  if (execution.scope == nullptr || execution.scope->to_restore_.restore == nullptr) return;
  const PriorityToRestore last = std::exchange(execution.scope->to_restore_, {});
  last.restore(last.priority);
}

UpcallScope::UpcallScope(const Peer& peer, const DispatchCache* hints, bool* is_plain) noexcept
    : peer_before_(std::exchange(execution.peer, &peer)),
      collocated_depth_before_(std::exchange(execution.collocated_depth, 0)),
      pin_before_(std::exchange(execution.pin, nullptr)),
      hints_before_(std::exchange(execution.hints, hints)), outer_(std::exchange(execution.scope, this)),
      is_plain_(is_plain) {
  ++execution.upcall_depth;
}

UpcallScope::~UpcallScope() {
  if (to_restore_.restore != nullptr) [[unlikely]]
    restore_priority();
  execution.scope = outer_;
  --execution.upcall_depth;
  execution.peer = peer_before_;
  execution.collocated_depth = collocated_depth_before_;
  execution.pin = pin_before_;
  execution.hints = hints_before_;
}

PinScope::PinScope(ServantPin& pin) noexcept : pin_(pin) { pin.outer = std::exchange(execution.pin, &pin); }
PinScope::~PinScope() { execution.pin = pin_.outer; }

NoObjectScope::NoObjectScope(Calls calls) noexcept
    : before_(std::exchange(execution.pin, calls == Calls::manager ? &kManager : &kNoObject)) {}
NoObjectScope::~NoObjectScope() { execution.pin = before_; }

}  // namespace orbweaver::orb

namespace orbweaver {

const Peer* peer() noexcept {
  if (orb::execution.collocated_depth == 0) return orb::execution.peer;  // counted within the current upcall
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
