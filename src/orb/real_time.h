#pragma once

#include <orbweaver/policy.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "giop/ior.h"
#include "giop/priorities.h"
#include "giop/service_context.h"
#include "orb/server/upcall_scope.h"

/// The ORB's side of Real-time CORBA (formal/05-01-04), which liborbweaver-realtime.so implements
/// (src/realtime). An ORB whose program has not resolved RTORB or RTCurrent has null pointers in their place.
namespace PortableServer {
class POA;
}
namespace orbweaver {
class Reference;
struct Binding;
}  // namespace orbweaver

namespace orbweaver::orb {

class ObjectRequest;
using giop::kNoPriority;

/// Threads of a thread pool, which serve requests by their priority. Thread-safe.
class LanePool {
 public:
  /// A place for one request in the pool. The destructor gives it up. Used by one thread at a time.
  class Place {
   public:
    virtual ~Place() = default;
    /// Whether `put` may be called. Else the request waits for a thread.
    virtual bool is_granted() = 0;
    /// Hands the request over to a thread of the lane. pre: granted; once.
    virtual void put(std::unique_ptr<ObjectRequest> request) = 0;
  };

  virtual ~LanePool() = default;
  /// Reserves a place for a request of `bytes` bytes. `on_granted` is called by any thread when a place that
  /// was not granted at once is. Null: the buffer of the pool is full, and the request is to be rejected.
  virtual std::unique_ptr<Place> reserve(std::int16_t priority, std::size_t bytes,
                                         std::function<void()> on_granted) = 0;
};

/// Priorities and threads of the requests for the objects of one POA. Objects have a priority of their own,
/// or kNoPriority: that of the POA. Immutable, thread-safe.
class RealTimeAdapter {
 public:
  virtual ~RealTimeAdapter() = default;
  /// The pool of the ThreadpoolPolicy; null: requests are served as those of other POAs.
  virtual LanePool* pool() const noexcept = 0;
  /// Called once, by the destruction of the POA: its thread pool may be destroyed. Requests in progress may
  /// keep the adapter.
  virtual void poa_destroyed() const noexcept = 0;
  /// Whether stubs of the same ORB must not call the servant themselves: another thread, or another priority
  /// than that of the caller, is required.
  virtual bool needs_request() const noexcept = 0;
  /// Priority of the object that this thread activates, or creates a reference to; kNoPriority: that of the
  /// POA.
  virtual std::int16_t new_object_priority() const noexcept = 0;
  /// Adds the policies that clients need to a reference.
  virtual void add_component(giop::Ior& ior, std::int16_t object_priority) const = 0;
  /// Priority at which a request with these service contexts is executed; that of the object if the request
  /// has none or it is malformed.
  virtual std::int16_t priority_of(const giop::ServiceContexts& contexts,
                                   std::int16_t object_priority) const noexcept = 0;

  /// What a request changes in the thread that executes it, and the priority that its reply contains.
  struct Execution {
    std::int16_t priority_before = kNoPriority;
    std::int16_t replied_priority = kNoPriority;
    PriorityToRestore restored_before;  // at the end of the request
  };
  /// Gives the calling thread the priority of a request. Raises MARSHAL if that is malformed, and
  /// DATA_CONVERSION if the PriorityMapping has no native priority for it; nothing has changed then.
  virtual void begin(const giop::ServiceContexts& contexts, std::int16_t object_priority,
                     Execution& execution) const = 0;
  /// Restores the priority of the thread.
  virtual void end(const Execution& execution) const noexcept = 0;
  /// Serves _bind_priority_band: the requests of the connection are those of a band. `owns_thread`: the
  /// calling thread serves no other connection, and gets the priority of the band if the POA has published
  /// that band. Raises MARSHAL without a valid RTCorbaPriorityRange. pre: the POA manager is active.
  virtual void bind_band(const giop::ServiceContexts& contexts, std::int16_t object_priority,
                         bool owns_thread) const = 0;
};

/// The operation that each object of an Adapter has: see bind_band.
inline constexpr std::string_view kBindPriorityBand = "_bind_priority_band";

/// `begin` and `end` of a request.
class RequestPriorityScope {
 public:
  RequestPriorityScope(const RealTimeAdapter& adapter, const giop::ServiceContexts& contexts,
                       std::int16_t object_priority)
      : adapter_(adapter) {
    adapter_.begin(contexts, object_priority, execution_);
    octets_ = giop::encode_priority(execution_.replied_priority);
  }
  ~RequestPriorityScope() { adapter_.end(execution_); }
  RequestPriorityScope(const RequestPriorityScope&) = delete;
  RequestPriorityScope& operator=(const RequestPriorityScope&) = delete;
  /// Service contexts of the reply, valid as long as this object.
  std::span<const giop::ServiceContext> reply_contexts() const noexcept {
    return {&context_, execution_.replied_priority == kNoPriority ? 0u : 1u};
  }

 private:
  const RealTimeAdapter& adapter_;
  RealTimeAdapter::Execution execution_;
  std::array<std::uint8_t, 4> octets_{};
  const giop::ServiceContext context_{giop::context_id::kRtPriority, octets_};
};

/// What a reference has of Real-time CORBA: bands, each with a reference of its own; or the band whose
/// reference it is; or nothing. Thread-safe.
class ReferenceBands {
 public:
  /// Called by the destructor of the reference.
  virtual void release() noexcept = 0;
  /// See RealTime.
  virtual Reference& select(Reference& target) = 0;
  virtual std::vector<CORBA::object_reference<Reference>> references() = 0;
  virtual void reconnect(Reference&) {}
  /// Whether this is the band of the reference, of which its server is to be told over each connection.
  virtual bool is_band() const noexcept { return false; }
  /// Whether a call of this thread may use `binding`: the server has been told of the band over it.
  virtual bool is_announced(const Reference&, const Binding&) const noexcept { return true; }
  /// Tells the server of the band. Raises what a call raises.
  virtual void announce(Reference&) {}

 protected:
  ~ReferenceBands() = default;
};

/// Real-time CORBA of one ORB. Thread-safe.
class RealTime {
 public:
  virtual ~RealTime() = default;
  /// The reference over which this thread calls `target`: itself, or that of the band of the priority.
  /// Raises INV_POLICY and NO_RESOURCES (docs/real-time.md).
  virtual Reference& select(Reference& target) = 0;
  /// The references of the bands of `target` that have been called. Makes none, and calls nothing.
  virtual std::vector<CORBA::object_reference<Reference>> band_references(Reference& target) = 0;
  /// For _validate_connection: opens a lost connection again which calls of this thread use for the band, and
  /// follows a forward, also if the RebindPolicy does not permit it to calls. Raises what `select` raises,
  /// and TRANSIENT.
  virtual void reconnect(Reference& target) = 0;
  /// Priority that a call of this thread propagates to `target`; kNoPriority: none. Raises DATA_CONVERSION.
  virtual std::int16_t priority_for(const Reference& target) = 0;
  /// The policy of the type in the reference, which its server has published; nil: none.
  virtual CORBA::object_reference<CORBA::Policy> published_policy(const Reference& target,
                                                                  CORBA::PolicyType type) = 0;
  /// Makes the priorities and threads of a POA, by its policies of types 40, 41 and 45. Raises
  /// POA::InvalidPolicy.
  virtual std::shared_ptr<RealTimeAdapter> make_adapter(const CORBA::PolicyList& policies) = 0;
  /// Whether no request is in a pool.
  virtual bool is_idle() noexcept = 0;
  /// Joins the threads of the pools, when they have executed all requests. Called at the shutdown.
  virtual void stop() noexcept = 0;
};

/// Those of a POA of this library that does not activate objects implicitly; null: it has none. `poa` keeps
/// them.
const RealTimeAdapter* real_time_of(PortableServer::POA& poa);

/// `RealTime::select`, for a program that uses policies.
Reference& select_reference(Reference& target);

}  // namespace orbweaver::orb
