#pragma once

#include <orbweaver/rtcorba.h>

#include <atomic>
#include <cstdint>
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
  /// Raises NO_RESOURCES.
  Reference& select(Reference& target) override;
  void release() noexcept override;
  /// The references of the bands that have been called.
  std::vector<CORBA::object_reference<Reference>> references() override;
  void reconnect(Reference& target) override;

 private:
  struct Band {
    explicit Band(const giop::PriorityRange& priorities) : range(priorities) {}
    const giop::PriorityRange range;
    CORBA::object_reference<Reference> reference;  // nil: no call has been made
  };
  /// That of the priority of this thread, or of the object. Raises NO_RESOURCES.
  Reference& reference_of(Reference& target);
  std::mutex mutex_;  // guards the references
  std::list<Band> bands_;
};

/// The band of a reference, which Bands has made. It exists as long as that reference.
class BandOfReference final : public orb::ReferenceBands {
 public:
  explicit BandOfReference(const giop::PriorityRange& range) : range_(range) {}
  Reference& select(Reference& target) override { return target; }
  void release() noexcept override { delete this; }
  std::vector<CORBA::object_reference<Reference>> references() override { return {}; }
  bool is_band() const noexcept override { return true; }
  bool is_announced(const Reference& reference, const Binding& binding) const noexcept override;
  /// One thread at a time; unless the server knows the band.
  void announce(Reference& reference) override;

 private:
  bool is_announced(const Reference& reference) const noexcept;

  const giop::PriorityRange range_;
  platform::TimedMutex announcing_;               // held by the thread that tells the server of the band
  std::atomic<std::thread::id> announcer_;        // this thread
  std::atomic<std::uint64_t> announced_over_{0};  // the number of the last binding over which it was told
};

/// Whether bands are empty, or overlap; null: neither.
const char* reason_against(const RTCORBA::PriorityBands& bands);
std::vector<giop::PriorityRange> to_ranges(const RTCORBA::PriorityBands& bands);

/// Priority that a call of this thread propagates; kNoPriority: the thread has none.
std::int16_t calling_priority() noexcept;

}  // namespace orbweaver::realtime
