#pragma once

#include <orbweaver/reference.h>

#include <cstddef>
#include <cstdint>

namespace orbweaver {

namespace orb {
class Flusher;
}

/// How long messages may wait for others to leave with: -ORBBatchDelay, -ORBBatchBytes.
struct Batching {
  std::int64_t delay_ns = 0;       ///< 0: not at all.
  std::size_t bytes = 0;           ///< No longer once there are so many.
  orb::Flusher* flusher = nullptr; ///< Outlives every call; null where delay_ns is 0.
};

namespace orb {

/// What messages may wait in: counted, because the flusher holds it meanwhile.
class Flushable : public CORBA::RefCounted {
 public:
  /// The flusher's: sends what is queued, if its time has come and nobody else sends just now. When to come again;
  /// 0: there is nothing left.
  virtual std::int64_t flush_due() = 0;
};
using FlushablePtr = CORBA::object_reference<Flushable>;

}  // namespace orb
}  // namespace orbweaver
