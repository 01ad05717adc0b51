#pragma once

#include "base/bytes.h"

namespace PortableServer {
class Servant;
}

namespace orbweaver::orb {

/// A servant held for one call: it is not let go, and its POA not destroyed, until `leave`.
struct Hold {
  PortableServer::Servant* servant = nullptr;
  void* slot = nullptr;   ///< The object map's.
  void* mutex = nullptr;  ///< Locked where the POA serves one call at a time.
};

/// Where `enter` found an object, to be found there again. A plain value.
struct Route {
  void* slot = nullptr;  ///< The object map's; null: nowhere.
  std::uint32_t generation = 0;
};

enum class Found {
  servant,     ///< The hold is the caller's.
  no_object,   ///< OBJECT_NOT_EXIST
  no_adapter,  ///< OBJECT_NOT_EXIST, another code
  discarding,  ///< TRANSIENT
  inactive,    ///< OBJ_ADAPTER
  held,        ///< To be tried again, after Core::try_held_again.
};

/// From an object key to the servant: what the object adapters do for connections and direct calls.
/// Thread-safe.
class ObjectFinder {
 public:
  virtual ~ObjectFinder() = default;
  /// While the POA's manager holds requests: blocks where the caller `may_wait`, else Found::held.
  /// `route`: where to look first, if it says anything, and what it says afterwards. It has to be of that same key.
  virtual Found enter(Bytes object_key, Hold& hold, bool may_wait = true, Route* route = nullptr) = 0;
  virtual void leave(Hold& hold) noexcept = 0;
  /// For locate requests: is there such an object, whatever its manager's state?
  virtual bool knows(Bytes object_key) = 0;
  /// Lets those who are blocked in `enter` see that the ORB shuts down.
  virtual void wake() noexcept = 0;
};

/// The exception that a failed `enter` amounts to.
[[noreturn]] void raise_not_found(Found found);

}  // namespace orbweaver::orb
