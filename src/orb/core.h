#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "giop/tagged_components.h"
#include "orb/client/auxiliary_connections.h"
#include "orb/client/client_connection.h"
#include "orb/flusher.h"
#include "orb/options.h"
#include "orb/outgoing_connections.h"
#include "orb/policy/client_policies.h"
#include "orb/reference/reference.h"
#include "orb/server/connection_limits.h"
#include "orb/server/object_finder.h"

namespace orbweaver::orb {

class LimitsWatch;
class Listener;
class Reactor;
class ThreadPool;

/// State of one ORB, shared by CORBA::ORB and its references: options, client connections, listening
/// endpoints. Thread-safe.
class Core final : public cdr::Broker, public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Options options);
  ~Core();

  std::shared_ptr<cdr::Broker> hold() override { return shared_from_this(); }

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

  /// Returns the shared connection to `address`; opens one if there is none. Errors: as of
  /// Transport::connect.
  Result<ClientConnectionPtr> connect(transport::Transport& transport, const std::string& address,
                                      transport::Deadline deadline);
  /// Opens a connection for the caller alone, until `close_private` or the shutdown of the ORB.
  Result<ClientConnectionPtr> connect_private(transport::Transport& transport, const std::string& address,
                                              transport::Deadline deadline);
  void close_private(const ClientConnectionPtr& connection) noexcept;
  /// Opens a connection and registers it nowhere: the caller owns it and closes it at the shutdown. `name` is
  /// for messages. A ring has at most `max_ring_bytes`.
  Result<ClientConnectionPtr> open(transport::Transport& transport, const std::string& address,
                                   const std::string& name, transport::Deadline deadline,
                                   std::size_t max_ring_bytes = SIZE_MAX);
  AuxiliaryConnections& auxiliary_connections() noexcept { return *auxiliary_connections_; }
  Flusher& flusher() noexcept { return flusher_; }
  ConnectionLimits& limits() noexcept { return limits_; }
  OutgoingConnections& outgoing() noexcept { return *outgoing_; }
  const std::shared_ptr<ReceiveBudget>& receive_budget() const noexcept { return budget_; }
  /// Options of a channel of this ORB, with its receive budget.
  transport::ChannelOptions channel_options(const transport::Transport& transport) const {
    transport::ChannelOptions options = options_.channel(transport);
    options.budget = budget_;
    return options;
  }
  /// Batching of one-way calls: -ORBBatchDelay, -ORBBatchBytes.
  Batching batching() noexcept {
    if (options_.batch_delay_us == 0) return {};
    return {options_.batch_delay_us * 1000, options_.batch_bytes, &flusher_};
  }
  /// Drops failed connections and those whose servers have closed. Called after a failure and before each
  /// connect, so that servers which restart do not accumulate closed connections.
  void drop_closed_connections();

  /// Sets the object adapters' lookup of servants. Called once, before the first `listen`.
  void set_finder(std::shared_ptr<ObjectFinder> finder) { finder_ = std::move(finder); }
  ObjectFinder* finder() const noexcept { return finder_.get(); }
  /// Opens the endpoints of -ORBListen; a second call has no effect. Raises INITIALIZE if an endpoint cannot
  /// be opened.
  void listen();
  /// Creates a reference to an object of this ORB. Calls `listen` first.
  giop::Ior make_ior(const std::string& type_id, Bytes object_key);
  /// Whether `endpoint` is the inproc endpoint of this ORB.
  bool is_own_endpoint(const Endpoint& endpoint) const;

  /// The reactor of -ORBThreads single and pool:N; else null.
  Reactor* reactor() const noexcept { return reactor_.get(); }
  /// See Reactor::must_serve_while_waiting. Any thread.
  bool must_serve_while_waiting() const noexcept;
  /// See Reactor::serve_while_waiting.
  void serve_while_waiting(transport::Deadline deadline);
  /// Retries requests whose lookup returned LookupStatus::held.
  void retry_held_requests();
  /// Implements ORB::run: returns after `request_shutdown`, when the shutdown is complete.
  void run();

  /// Stops new work; `wait_for_shutdown` returns. Any thread, also within an upcall.
  void request_shutdown();
  /// Completes the requests in progress, closes all connections and joins all threads. Not within an upcall.
  /// A second call waits for the first.
  void finish_shutdown();
  void wait_for_shutdown();
  /// False from `request_shutdown` on.
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Raises BAD_INV_ORDER after shutdown.
  void check_running() const;

  /// Deadline of a call that begins now (-ORBCallTimeout).
  transport::Deadline call_deadline() const noexcept {
    return options_.call_timeout_ms == 0 ? transport::Deadline::never()
                                         : transport::Deadline::in_ms(options_.call_timeout_ms);
  }

 private:
  const Options options_;
  const CORBA::object_reference<PolicyManagerImpl> policy_manager_ =
      CORBA::make_reference<PolicyManagerImpl>();
  const CORBA::object_reference<PolicyCurrentImpl> policy_current_ =
      CORBA::make_reference<PolicyCurrentImpl>();
  const std::shared_ptr<ReceiveBudget> budget_ = std::make_shared<ReceiveBudget>(options_.receive_bytes());
  ConnectionLimits limits_{options_, budget_};  // outlives the connections
  const std::shared_ptr<OutgoingConnections> outgoing_ = std::make_shared<OutgoingConnections>(options_);
  std::shared_ptr<ObjectFinder> finder_;
  std::unique_ptr<Reactor> reactor_;
  std::unique_ptr<LimitsWatch> limits_watch_;
  std::unique_ptr<ThreadPool> pool_;

  Flusher flusher_;  // outlives the connections

  /// Connection to one address. The mutex is held while connecting, and no other lock is: a server that does
  /// not answer delays only calls to its own address.
  struct Peer {
    std::mutex mutex;
    ClientConnectionPtr connection;
  };
  std::mutex connections_mutex_;
  std::map<std::string, std::shared_ptr<Peer>> connections_;  // by "transport address"
  std::vector<ClientConnectionPtr> private_connections_;
  const CORBA::object_reference<AuxiliaryConnections> auxiliary_connections_ =
      CORBA::make_reference<AuxiliaryConnections>(*this);

  giop::SslAddress make_ssl_component(std::uint16_t port, bool alone) const;

  mutable std::mutex listen_mutex_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::string inproc_address_;

  std::atomic<bool> running_{true};
  std::mutex shutdown_mutex_;
  std::condition_variable shutdown_changed_;
  enum class ShutdownState { no, in_progress, done } shutdown_state_ = ShutdownState::no;
};

/// Whether the calling thread executes a servant's method, for a connection or a collocated call. It must not
/// wait for the completion of requests then: it would deadlock.
bool in_upcall() noexcept;
/// Whether the calling thread executes an upcall of a connection.
bool in_connection_upcall() noexcept;
/// Mark the beginning and the end of a collocated call in the calling thread. May be nested.
void begin_collocated_call() noexcept;
void end_collocated_call() noexcept;

/// Marks the calling thread as executing an upcall, from construction to destruction. `peer` is the other end
/// of the connection and outlives this object. May be nested.
class UpcallScope {
 public:
  explicit UpcallScope(const Peer& peer) noexcept;
  ~UpcallScope();

 private:
  const Peer* const peer_before_;
  const int collocated_depth_before_;
};

}  // namespace orbweaver::orb
