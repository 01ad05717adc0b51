#pragma once

#include <orbweaver/reference.h>

#include <orbweaver/detail/operation.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "giop/ior.h"
#include "giop/message.h"
#include "giop/priorities.h"
#include "giop/request.h"
#include "orb/client/client_connection.h"
#include "orb/client/request_plan.h"
#include "orb/policy/client_policies.h"
#include "orb/reference/grace_period.h"
#include "platform/timed_mutex.h"

namespace orbweaver {

namespace orb {
class ConnectionCache;
class Core;
class InsecureFallback;
class ReferenceBands;
}  // namespace orb

/// Endpoint of an object: transport, address, and object key.
struct Endpoint {
  transport::Transport* transport = nullptr;
  std::string address;
  giop::Version version = giop::kGiop12;
  std::vector<std::uint8_t> object_key;
  std::vector<std::uint8_t> code_sets;  ///< CodeSets context of the first request; empty: none.
  std::uint32_t profile = 0;            ///< Index of its profile in the reference.
  giop::TargetAddress target;  ///< Addressing of requests: by `object_key`, unless the server needs more.
  bool propagates_priority = false;  ///< Requests carry the priority of the caller: CLIENT_PROPAGATED.
  std::int16_t server_priority = giop::kNoPriority;  ///< With SERVER_DECLARED.
};

/// Selected endpoint and its connection.
struct Binding {
  /// `owner`: the cache that opened a connection for this binding alone; null: the connection is shared.
  Binding(ClientConnectionPtr c, Endpoint r, orb::ConnectionCache* owner, std::size_t max_fragment_bytes)
      : connection(std::move(c)), endpoint(std::move(r)), owner_(owner),
        max_fragment_bytes_(max_fragment_bytes) {}
  ~Binding();

  /// Cached plan of the requests of `operation`; null: `request` makes one.
  const orb::RequestPlan* cached_request(const Operation& operation, giop::Body body) const noexcept {
    for (const auto& slot : plans_) {
      const CachedPlan* cached = slot.load(std::memory_order_acquire);
      if (cached == nullptr) break;
      if (cached->operation == &operation && cached->body == body) return &cached->plan;
    }
    return nullptr;
  }
  /// Plan of the requests of `operation`, made at its first call. It is in `uncached` if as many other
  /// operations are cached as fit, otherwise in this binding.
  const orb::RequestPlan& request(const Operation& operation, giop::Body body,
                                  std::optional<orb::RequestPlan>& uncached) const {
    const orb::RequestPlan* const cached = cached_request(operation, body);
    return cached != nullptr ? *cached : make_plan(operation, body, uncached);
  }

  /// Upper bound of the one-way calls lost with the connection; 0 once they have been returned.
  std::uint64_t take_lost_calls() const noexcept {
    const std::uint64_t lost = connection->sender().lost_calls();
    return lost == 0 || lost_calls_reported_.exchange(true, std::memory_order_relaxed) ? 0 : lost;
  }

  const ClientConnectionPtr connection;
  const Endpoint endpoint;
  /// Differs from that of each other binding of the process, also after their end.
  const std::uint64_t number = next_number();

 private:
  static std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  struct CachedPlan {
    const Operation* operation;
    giop::Body body;
    orb::RequestPlan plan;
  };
  const orb::RequestPlan& make_plan(const Operation& operation, giop::Body body,
                                    std::optional<orb::RequestPlan>& uncached) const;

  orb::ConnectionCache* const owner_;
  const std::size_t max_fragment_bytes_;
  // of the first operations called; others are planned on each call
  static constexpr std::size_t kCachedPlans = 8;
  mutable std::array<std::atomic<const CachedPlan*>, kCachedPlans> plans_{};
  mutable std::atomic<bool> lost_calls_reported_{false};
};

/// Shared state of an object reference: its IOR, its usable endpoints and its binding. Shared by copies of
/// the reference. Thread-safe.
class Reference final : public CORBA::RefCounted {
 public:
  using Deadline = transport::Deadline;

  enum class ConnectionSharing : bool { shared, not_shared };
  /// `connections`: whether calls use the connection that all references to the server share, or one of this
  /// reference alone.
  /// `offering_peer`: see orb::ReferenceSource.
  Reference(std::shared_ptr<orb::Core> core, giop::Ior ior,
            ConnectionSharing connections = ConnectionSharing::shared, orb::ClientPolicies policies = {},
            std::string offering_peer = {});

  /// Its IOR, or the one to which a server has moved it permanently. Valid as long as the reference.
  const giop::Ior& ior() const noexcept { return *ior_now_.load(std::memory_order_acquire); }
  /// The IOR for others: `ior`, unless that is larger than the original one, whose size the bound of a
  /// request contains.
  const giop::Ior& ior_to_send() const noexcept;
  /// The IOR with which it was created.
  const giop::Ior& original_ior() const noexcept { return ior_; }
  /// Policies set for this reference.
  const orb::ClientPolicies& policies() const noexcept { return policies_; }
  ConnectionSharing connections() const noexcept { return connection_sharing_; }
  /// See orb::ReferenceSource.
  const std::string& offering_peer() const noexcept { return offering_peer_; }
  /// Set by orb::RealTime; null: not yet.
  orb::ReferenceBands* bands() const noexcept { return bands_.load(std::memory_order_acquire); }
  /// Sets the bands once. False: another thread has set them.
  bool set_bands(orb::ReferenceBands& bands) noexcept {
    orb::ReferenceBands* none = nullptr;
    return bands_.compare_exchange_strong(none, &bands, std::memory_order_acq_rel);
  }
  /// Whether its connections are offered to the server for calls of this process: the BidirectionalPolicy of
  /// the reference, else that of the ORB.
  bool offers_connections() const noexcept;
  orb::Core& core() const noexcept { return *core_; }
  const std::shared_ptr<orb::Core>& shared_core() const noexcept { return core_; }
  /// Usable endpoints, most preferred first. The unusable ones and the reasons are in the debug log.
  const std::vector<Endpoint>& endpoints() const noexcept { return endpoints_; }
  /// Whether the object is served by this ORB: calls are collocated.
  bool is_collocated() const noexcept { return is_collocated_; }
  /// Whether stubs call the servant: the object is collocated, and the ORB has no interceptors of requests.
  bool calls_directly() const noexcept { return calls_directly_; }
  /// Object key of the first IIOP profile; empty if it cannot be decoded.
  Bytes object_key() const noexcept { return key_; }
  /// Whether calls are forwarded: to the object `forward_key()` of this ORB, or to another server.
  bool is_forwarded() const noexcept { return is_forwarded_.load(std::memory_order_acquire); }
  /// Object key of the forward if this ORB serves it; empty if another one does, or after the forward.
  std::vector<std::uint8_t> forward_key();

  /// The current binding; connects to the most preferred endpoint that works if there is none. Valid within
  /// the current CallScope. Raises TRANSIENT with the failure of each endpoint, INV_OBJREF if there is no
  /// usable endpoint, or NO_MEMORY.
  const Binding& binding(Deadline deadline) {
    const Binding* const usable = usable_binding();
    return usable != nullptr ? *usable : bind(deadline);
  }
  /// The current binding; null if there is none, or it is no longer usable. Valid as that of `binding`.
  const Binding* usable_binding() const noexcept {
    const Binding* const current = current_binding();
    return current != nullptr && current->connection.get()->usable() ? current : nullptr;
  }
  /// The current binding, usable or not; null: none. Valid as that of `binding`.
  const Binding* current_binding() const noexcept { return current_binding_.load(std::memory_order_acquire); }
  /// Implements orbweaver::flush: sends the queued one-way calls. Raises COMM_FAILURE if calls were lost.
  void flush(Deadline deadline);
  /// Records that a one-way call was queued for a collocated object. A collocated call takes the mark and
  /// first waits until those calls are served.
  void mark_queued_oneway() noexcept { queued_oneways_.store(true, std::memory_order_release); }
  bool take_queued_oneways() noexcept {
    return queued_oneways_.load(std::memory_order_relaxed) &&
           queued_oneways_.exchange(false, std::memory_order_acq_rel);
  }
  /// Whether a forward replaces the IOR of the reference.
  enum class Forward : bool { temporary, permanent };
  /// Follows a forward: later calls use `ior`, until that fails. After a permanent one they return to `ior`
  /// instead of the reference's own endpoints.
  void forward(giop::Ior ior, Forward how = Forward::temporary);
  /// Keeps a forward that the policies of a call do not permit to follow.
  void keep_forward(giop::Ior ior, Forward how);
  /// Follows the forward that has been kept last; no effect if there is none. Raises what `forward` raises.
  void follow_kept_forward();
  /// Returns to the reference's own endpoints, or those to which it was moved permanently. False: they are in
  /// use already.
  bool drop_forward();
  /// The IOR that calls use: that of the forward, or the reference's own.
  giop::Ior effective_ior();
  /// Sets the addressing that the server requires, for later requests.
  void set_addressing_disposition(giop::AddressingDisposition addressing);

 private:
  ~Reference() override;
  bool has_private_connection() const noexcept {
    return connection_sharing_ == ConnectionSharing::not_shared;
  }
  Result<ClientConnectionPtr> connect(const Endpoint& endpoint, Deadline deadline);
  /// Failures to connect to the endpoints of one attempt to bind.
  struct BindFailures;
  struct Targets;
  const Binding& bind(Deadline deadline);
  std::unique_ptr<const Binding> bind_to(const std::vector<Endpoint>& endpoints, const giop::Ior& ior,
                                         const Targets& targets, orb::InsecureFallback& fallback,
                                         BindFailures& failures, Deadline deadline);
  [[noreturn]] void raise_not_bound(const orb::InsecureFallback& fallback, const BindFailures& failures,
                                    Deadline deadline) const;
  /// The reasons why the endpoints of the reference are unusable.
  std::string unusable_endpoints() const;
  void set_binding(std::unique_ptr<const Binding> binding);
  void clear_forward();  // bind_mutex_ held
  bool is_moved() const noexcept { return !moved_.empty(); }

  std::shared_ptr<orb::Core> core_;
  const giop::Ior ior_;
  std::atomic<const giop::Ior*> ior_now_{&ior_};  // of ior_, or of the last element of moved_
  const ConnectionSharing connection_sharing_;
  const orb::ClientPolicies policies_;
  const std::string offering_peer_;
  const std::vector<std::string> preference_;  // policy of the reference, or of the ORB
  std::vector<Endpoint> endpoints_;
  std::vector<std::uint8_t> key_;
  bool is_collocated_ = false;
  bool calls_directly_ = false;
  std::atomic<bool> queued_oneways_{false};
  std::atomic<orb::ReferenceBands*> bands_{nullptr};
  std::atomic<bool> is_forwarded_{false};  // there are forward_endpoints_ or moved_endpoints_

  /// A replaced binding that calls in progress may use.
  struct RetiredBinding {
    std::unique_ptr<const Binding> binding;
    std::optional<orb::GracePeriod> grace_period;  ///< Empty: there was no memory for it.
  };

  std::atomic<const Binding*> current_binding_{nullptr};
  std::atomic<std::uint64_t> lost_calls_{0};  // with replaced connections; reported by `flush`
  platform::TimedMutex private_bind_mutex_;   // locked while a private connection is opened
  std::mutex bind_mutex_;                     // guards the rest
  std::unique_ptr<const Binding> binding_;    // owner of current_binding_, if that is not null
  std::vector<RetiredBinding> retired_;
  // Permanent moves, whose IORs other threads may still use; at most kMaxMoves.
  static constexpr std::size_t kMaxMoves = 16;
  std::vector<std::unique_ptr<const giop::Ior>> moved_;
  std::vector<Endpoint> moved_endpoints_;    // of the last one, in place of endpoints_
  std::vector<Endpoint> forward_endpoints_;  // tried before these
  giop::Ior forward_ior_;                    // of forward_endpoints_
  std::optional<std::pair<giop::Ior, Forward>> kept_forward_;
  bool forward_timed_out_ = false;  // when they were last tried
  giop::AddressingDisposition addressing_ = giop::AddressingDisposition::key;
  std::uint64_t targets_number_ = 0;  // of changes of the three members above
};

namespace orb {

/// Usable endpoints of an IOR in order of `preference`. The reasons for the unusable ones are appended to
/// `why_not`.
std::vector<Endpoint> usable_endpoints(const giop::Ior& ior, const std::vector<std::string>& preference,
                                       std::string& why_not);

}  // namespace orb
}  // namespace orbweaver
