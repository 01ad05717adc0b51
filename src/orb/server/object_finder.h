#pragma once

#include "base/bytes.h"

namespace PortableServer {
class Servant;
}

namespace orbweaver::orb {

/// Servant pinned for one call: neither released nor its POA destroyed until `leave`.
struct ServantPin {
  PortableServer::Servant* servant = nullptr;
  void* slot = nullptr;   ///< Slot of the active object map.
  void* mutex = nullptr;  ///< Locked if the POA has SINGLE_THREAD_MODEL; else null.
};

/// Hint for `enter`: the slot in which the object was found before. A plain value.
struct ObjectSlotHint {
  void* slot = nullptr;  ///< Slot of the active object map; null: no hint.
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
};

/// Interface to the object adapters: finds the servant of an object key, for connections and collocated
/// calls. Thread-safe.
class ObjectFinder {
 public:
  virtual ~ObjectFinder() = default;
  /// Finds and pins the servant of `object_key`. While the POA manager is holding: blocks if `may_wait`, else
  /// returns the status for held requests. `slot_hint`, if not null, is tried first and updated; it must
  /// belong to the same key.
  virtual LookupStatus enter(Bytes object_key, ServantPin& pin, bool may_wait = true,
                             ObjectSlotHint* slot_hint = nullptr) = 0;
  /// Releases a servant pinned by `enter`.
  virtual void leave(ServantPin& pin) noexcept = 0;
  /// Whether the object exists, in any state of its POA manager. For LocateRequest.
  virtual bool knows(Bytes object_key) = 0;
  /// Wakes threads blocked in `enter` at the shutdown of the ORB.
  virtual void wake() noexcept = 0;
};

/// Raises the system exception of a failed `enter`.
[[noreturn]] void raise_lookup_failure(LookupStatus found);

}  // namespace orbweaver::orb
