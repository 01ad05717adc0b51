#pragma once

#include <orbweaver/poa.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"

namespace orbweaver::orb {

class RealTimeAdapter;
class RequestQueue;

/// The part of a slot of the active object map that pins its servant. A call first increments the number of
/// calls and then checks that the object is active; meanwhile the servant is not released and its POA not
/// destroyed. Thread-safe.
struct ServantSlot {
  /// generation << 32 | kActive | kHasServant | calls in progress.
  std::atomic<std::uint64_t> state{0};
  PortableServer::Servant* servant = nullptr;  // owned reference; set while kHasServant
  /// State of its POA manager; null if the POA has SINGLE_THREAD_MODEL, request queues, or policies of
  /// Real-time CORBA. Set before the object is active.
  const std::atomic<PortableServer::POAManager::State>* manager_state = nullptr;

  static constexpr std::uint64_t kActive = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kHasServant = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kCalls = kHasServant - 1;
  std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(state.load() >> 32); }
  /// Counts a call. Returns whether the object is active in this generation; if not, the caller leaves it.
  /// Pairs with the release in ActiveObjectMap::activate.
  bool count_call(std::uint32_t of_generation) noexcept {
    const std::uint64_t now = state.fetch_add(1, std::memory_order_acquire) + 1;
    return static_cast<std::uint32_t>(now >> 32) == of_generation && (now & kActive) != 0;
  }
  /// Whether its POA needs nothing but the count: its manager is active, and it has no lock. pre: counted.
  bool admits_at_once() const noexcept {
    return manager_state != nullptr &&
           manager_state->load(std::memory_order_acquire) == PortableServer::POAManager::State::ACTIVE;
  }
  /// Ends a counted call. Returns the state; see `is_to_be_emptied`.
  std::uint64_t end_call() noexcept { return state.fetch_sub(1, std::memory_order_acq_rel) - 1; }
  /// Whether the last call has left a deactivated object: ObjectFinder::empty releases its servant.
  static bool is_to_be_emptied(std::uint64_t state) noexcept {
    return (state & (kCalls | kActive)) == 0 && (state & kHasServant) != 0;
  }
};

/// Call of an object that is not in the active object map: a default servant or a servant locator's serves
/// it. Owned by the object adapters.
struct UnmappedCall {
  PortableServer::Servant* servant = nullptr;  ///< Neither released nor replaced until `leave`.
};

/// Servant pinned for one call: neither released nor its POA destroyed until `leave`.
struct ServantPin {
  ServantSlot* slot = nullptr;        ///< Of the object; of its POA if the object is not in the map.
  UnmappedCall* unmapped = nullptr;   ///< Null: the object is in the map.
  const ServantPin* outer = nullptr;  ///< Of the call within which this one is made; see upcall_scope.h.

  PortableServer::Servant& servant() const noexcept {
    return unmapped == nullptr ? *slot->servant : *unmapped->servant;
  }
};

/// Hint for `enter`: the slot in which the object was found before. A plain value.
struct ObjectSlotHint {
  ServantSlot* slot = nullptr;  ///< Null: no hint. Slots live as long as the ObjectFinder.
  std::uint32_t generation = 0;
};

/// Result of a lookup, with the exception that corresponds to a failure.
enum class LookupStatus {
  found,       ///< Found and pinned: the caller calls `leave`.
  no_object,   ///< OBJECT_NOT_EXIST
  no_adapter,  ///< OBJECT_NOT_EXIST, other minor code
  discarding,  ///< TRANSIENT
  inactive,    ///< OBJ_ADAPTER
  holding,     ///< The POA manager is holding: repeat after Core::retry_held_requests.
  queued,      ///< The object has another request queue, or none.
  remote,      ///< The collocated call is to be made over a connection.
};

/// Interface to the object adapters: finds the servant of an object key, for connections and collocated
/// calls. Thread-safe.
class ObjectFinder {
 public:
  virtual ~ObjectFinder() = default;
  /// Finds and pins the servant of `object_key`. While the POA manager is holding: blocks if `may_wait`, else
  /// returns the status for held requests. `slot_hint`, if not null, is set: a later
  /// call with the same key may pin the servant in that slot itself. `queue`, if not null: if the request
  /// queue of the object (null: none) is not `*queue`, sets `*queue` to it and returns LookupStatus::queued.
  /// `operation`: of the request; empty: a collocated call. May call servant managers and adapter activators,
  /// and then raises ForwardRequest and the system exceptions that the caller is to get.
  virtual LookupStatus enter(Bytes object_key, ServantPin& pin, bool may_wait = true,
                             ObjectSlotHint* slot_hint = nullptr,
                             std::shared_ptr<RequestQueue>* queue = nullptr,
                             std::string_view operation = {}) = 0;
  /// Ends an operation that has raised nothing, before `leave`; for calls that are not in the map. Raises the
  /// system exception of a servant locator.
  virtual void complete(ServantPin& pin) = 0;
  /// Priorities of the requests of a pinned object, whose own priority is set; null: its POA has none.
  virtual const RealTimeAdapter* real_time(const ServantPin& pin, std::int16_t& object_priority) noexcept = 0;
  /// Releases a servant pinned by `enter`.
  virtual void leave(ServantPin& pin) noexcept = 0;
  /// Releases the servant of a slot whose state is to be emptied. See ServantSlot.
  virtual void empty(ServantSlot& slot, std::uint64_t state) noexcept = 0;
  /// Whether a request for the object would be served, in any state of its POA manager; also if a servant
  /// manager or an adapter activator will decide it. For LocateRequest.
  virtual bool knows(Bytes object_key) = 0;
  /// The request queue of the object; null if it has none, or does not exist.
  virtual std::shared_ptr<RequestQueue> request_queue(Bytes object_key) = 0;
  /// Whether the BidirectionalPolicy of the object's POA is BOTH. True if there is certainly no such POA;
  /// false if an adapter activator may create it.
  virtual bool is_bidirectional(Bytes object_key) = 0;
  /// Wakes threads blocked in `enter` at the shutdown of the ORB.
  virtual void wake() noexcept = 0;
};

/// Whether a failed `enter` of a request for `operation` is answered: the object does not exist.
bool is_answer_of_non_existent(LookupStatus found, std::string_view operation) noexcept;
/// Raises the system exception of a failed `enter`.
[[noreturn]] void raise_lookup_failure(LookupStatus found);

}  // namespace orbweaver::orb
