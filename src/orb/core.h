#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "orb/bidirectional/reference_source.h"
#include "orb/client/async_calls.h"
#include "orb/client/connection_cache.h"
#include "orb/flusher.h"
#include "orb/options.h"
#include "orb/policy/client_policies.h"
#include "orb/reference/reference.h"
#include "orb/server/endpoint_registry.h"
#include "orb/server/object_finder.h"
#include "orb/shutdown_state.h"

namespace orbweaver::orb {

class Interception;
class LaneBudget;
class ListenPointClaims;
class OfferedConnections;
class Reactor;
class RealTime;

/// State of one ORB, shared by CORBA::ORB and its references: options, policies, client connections,
/// listening endpoints. Thread-safe.
class Core final : public ReferenceSource, public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Options options);
  ~Core();

  std::shared_ptr<cdr::Broker> hold() override { return shared_from_this(); }
  std::shared_ptr<Core> core_of_references() override { return shared_from_this(); }
  const std::string& offering_peer() const noexcept override { return no_peer_; }

  const Options& options() const noexcept { return options_; }
  /// Policies of all references created from now on (CORBA::PolicyManager of the ORB).
  const CORBA::object_reference<PolicyManagerImpl>& policy_manager() const noexcept {
    return policy_manager_;
  }
  /// Transport names, most preferred first: the TransportPreference policy if set, else
  /// -ORBTransportPreference.
  std::vector<std::string> preference() const;
  /// Policies of the calling thread (CORBA::PolicyCurrent).
  const CORBA::object_reference<PolicyCurrentImpl>& policy_current() const noexcept {
    return policy_current_;
  }
  /// Deadline of a call that begins now (-ORBCallTimeout).
  transport::Deadline call_deadline() const noexcept {
    return options_.call_timeout_ms == 0 ? transport::Deadline::never()
                                         : transport::Deadline::in_ms(options_.call_timeout_ms);
  }

  ConnectionCache& connections() noexcept { return connections_; }
  /// Number of requests whose servants reply later.
  const std::shared_ptr<std::atomic<std::size_t>>& deferred_requests() const noexcept {
    return deferred_requests_;
  }
  AsyncCalls& async_calls() noexcept { return async_calls_; }
  EndpointRegistry& endpoints() noexcept { return endpoints_; }
  // Bidirectional GIOP (docs/bidirectional.md):
  /// Whether peers may be called over connections that they have opened: -ORBAcceptBidirectional, or
  /// `received` if the ORB's BidirectionalPolicy is BOTH.
  Options::AcceptBidirectional accepts_bidirectional() const noexcept {
    const bool by_policy = options_.accept_bidirectional == Options::AcceptBidirectional::off &&
                           policy_manager_->is_bidirectional();
    return by_policy ? Options::AcceptBidirectional::received : options_.accept_bidirectional;
  }
  ListenPointClaims& claims() noexcept { return *claims_; }
  /// Of the divided connections.
  const std::shared_ptr<LaneBudget>& lane_budget() const noexcept { return lane_budget_; }
  OfferedConnections& offered() noexcept { return *offered_; }
  Flusher& flusher() noexcept { return flusher_; }
  const std::shared_ptr<ReceiveBudget>& receive_budget() const noexcept { return budget_; }

  /// Sets the object adapters' lookup of servants. Called once, before the endpoints are opened.
  void set_finder(std::shared_ptr<ObjectFinder> finder) { finder_ = std::move(finder); }
  ObjectFinder* finder() const noexcept { return finder_.get(); }

  /// Sets the interceptors of this ORB, while it is initialised.
  void set_interception(std::shared_ptr<Interception> interception);
  /// Tells whether there are interceptors of requests. References made before are called as if there were
  /// none within the process.
  void intercept_requests(bool intercepts) noexcept;
  /// Null: no ORB initializer is registered.
  Interception* interception() const noexcept { return interception_.get(); }
  /// Null: the ORB has no interceptors of requests.
  Interception* request_interception() const noexcept {
    return request_interception_.load(std::memory_order_relaxed);
  }

  /// Real-time CORBA of this ORB; null: the program does not use it.
  RealTime* real_time() const noexcept { return real_time_.load(std::memory_order_acquire); }
  /// Sets it, once; returns the one of this ORB.
  std::shared_ptr<RealTime> set_real_time(std::shared_ptr<RealTime> real_time);

  /// The reactor of -ORBThreads single, pool:N and unordered:N; else null.
  Reactor* reactor() const noexcept { return reactor_.get(); }
  /// See Reactor::must_serve_while_waiting; false if there is no reactor. Any thread.
  bool must_serve_while_waiting() const noexcept;
  /// See Reactor::serve_while_waiting.
  void serve_while_waiting(transport::Deadline deadline);
  /// Retries the requests whose lookup returned LookupStatus::holding.
  void retry_held_requests();

  /// Implements ORB::run: returns after `request_shutdown`, when the shutdown is complete.
  void run();
  /// Stops new work, and wakes `run`. Any thread, also within an upcall.
  void request_shutdown();
  /// Completes the requests in progress, closes all connections and joins all threads. Not within an upcall.
  /// A second call waits for the first.
  void finish_shutdown();
  /// False from `request_shutdown` on.
  bool running() const noexcept { return shutdown_.running(); }
  /// Raises BAD_INV_ORDER after `request_shutdown`.
  void check_running() const { shutdown_.check_running(); }

 private:
  const Options options_;
  const CORBA::object_reference<PolicyManagerImpl> policy_manager_ =
      CORBA::make_reference<PolicyManagerImpl>();
  const CORBA::object_reference<PolicyCurrentImpl> policy_current_ =
      CORBA::make_reference<PolicyCurrentImpl>();
  const std::shared_ptr<ReceiveBudget> budget_ = std::make_shared<ReceiveBudget>(options_.receive_bytes());
  const std::shared_ptr<std::atomic<std::size_t>> deferred_requests_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  ShutdownState shutdown_;
  std::shared_ptr<ObjectFinder> finder_;
  std::shared_ptr<Interception> interception_;
  // Set before ORB_init returns, which orders it before the calls of the program.
  std::atomic<Interception*> request_interception_{nullptr};
  const std::string no_peer_;
  std::mutex real_time_mutex_;  // guards its setting
  std::shared_ptr<RealTime> real_time_owner_;
  std::atomic<RealTime*> real_time_{nullptr};  // of real_time_owner_
  const std::unique_ptr<Reactor> reactor_;
  Flusher flusher_;                // outlives the connections
  AsyncCalls async_calls_{*this};  // too
  const std::shared_ptr<LaneBudget> lane_budget_;
  const std::unique_ptr<ListenPointClaims> claims_;
  const std::unique_ptr<OfferedConnections> offered_;
  ConnectionCache connections_{options_, budget_, flusher_, reactor_.get(), shutdown_, offered_.get()};
  EndpointRegistry endpoints_{*this, reactor_.get(), connections_.outgoing()};
};

}  // namespace orbweaver::orb
