#pragma once

#include <orbweaver/rtcorba.h>

#include <atomic>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "giop/priorities.h"
#include "orb/real_time.h"
#include "orb/reference/reference.h"
#include "platform/timed_mutex.h"

namespace orbweaver::realtime {

/// The bands of a reference, each with a reference of its own, whose connection no other one uses; made at
/// the first call of the band. Thread-safe.
class Bands final : public orb::ReferenceBands {
 public:
  /// Those of a reference without bands. Never destroyed.
  static Bands& none();
  /// The bands of a reference: of its PriorityBandedConnectionPolicy, or of that which its server has
  /// published. Raises INV_POLICY.
  static Bands& of(const Reference& target);

  explicit Bands(std::vector<giop::PriorityRange> ranges);
  /// The reference for calls of this thread. Raises NO_RESOURCES.
  Reference& select(Reference& target);
  void release() noexcept override;
  /// The references of the bands that have been called.
  std::vector<CORBA::object_reference<Reference>> references();

 private:
  struct Band {
    explicit Band(const giop::PriorityRange& priorities) : range(priorities) {}
    const giop::PriorityRange range;
    CORBA::object_reference<Reference> reference;  // nil: no call has been made
    platform::TimedMutex binding;                  // held by the thread that tells the server of the band
    std::atomic<std::thread::id> binder;           // this thread
    // When the server was last told of the band; only compared.
    std::atomic<const Binding*> bound_to{nullptr};
  };
  /// Tells the server of a band, unless it knows it; one thread at a time. Raises what a call raises.
  void bind(Band& band);
  std::mutex mutex_;  // guards the references
  std::list<Band> bands_;
};

/// Whether bands are empty, or overlap; null: neither.
const char* reason_against(const RTCORBA::PriorityBands& bands);
std::vector<giop::PriorityRange> to_ranges(const RTCORBA::PriorityBands& bands);

/// Priority that a call of this thread propagates; kNoPriority: the thread has none.
std::int16_t calling_priority() noexcept;

}  // namespace orbweaver::realtime
