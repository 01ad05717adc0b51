#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "giop/components.h"
#include "orb/client_connection.h"
#include "orb/client_policies.h"
#include "orb/connection_limits.h"
#include "orb/flusher.h"
#include "orb/object_finder.h"
#include "orb/options.h"
#include "orb/outgoing_connections.h"
#include "orb/reference.h"
#include "orb/spare_connections.h"

namespace orbweaver::orb {

class LimitsWatch;
class Listener;
class Reactor;
class ThreadPool;

/// What an ORB owns: its options, the connections that it made, and the listeners through which others
/// reach it. The CORBA-facing ORB and its references share it. Thread-safe.
class Core final : public cdr::Broker, public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Options options);
  ~Core();

  std::shared_ptr<cdr::Broker> hold() override { return shared_from_this(); }

  const Options& options() const noexcept { return options_; }
  /// The policies that hold for all references made from now on, and what follows from them.
  const CORBA::object_reference<PolicyManagerImpl>& policy_manager() const noexcept { return policy_manager_; }
  std::vector<std::string> preference() const;
  /// Those of the calling thread.
  const CORBA::object_reference<PolicyCurrentImpl>& policy_current() const noexcept { return policy_current_; }

  /// The connection to that address: the open one, or a new one. Failures as of Transport::connect.
  Result<ClientConnectionPtr> connect(transport::Transport& transport, const std::string& address,
                                      transport::Deadline deadline);
  /// A connection that nothing else shares, until `end_private`; the shutdown of the ORB closes it, too.
  Result<ClientConnectionPtr> connect_privately(transport::Transport& transport, const std::string& address,
                                                transport::Deadline deadline);
  void end_private(const ClientConnectionPtr& connection) noexcept;
  /// Connects, and registers the connection nowhere: whoever asks is its owner, and ends it with the ORB. `name` is
  /// for messages; rings have no more than `most_ring_bytes`.
  Result<ClientConnectionPtr> open(transport::Transport& transport, const std::string& address,
                                   const std::string& name, transport::Deadline deadline,
                                   std::size_t most_ring_bytes = SIZE_MAX);
  SpareConnections& spares() noexcept { return *spares_; }
  Flusher& flusher() noexcept { return flusher_; }
  ConnectionLimits& limits() noexcept { return limits_; }
  OutgoingConnections& outgoing() noexcept { return *outgoing_; }
  const std::shared_ptr<ReceiveBudget>& receive_budget() const noexcept { return budget_; }
  /// For a channel of this ORB.
  transport::ChannelOptions channel_options(const transport::Transport& transport) const {
    transport::ChannelOptions options = options_.channel(transport);
    options.budget = budget_;
    return options;
  }
  /// As the options have it.
  Batching batching() noexcept {
    if (options_.batch_delay_us == 0) return {};
    return {options_.batch_delay_us * 1000, options_.batch_bytes, &flusher_};
  }
  /// A connection has failed: lets go of it, and of all others whose servers have gone. Connecting does the same, so
  /// that servers which come and go cost nothing for longer than until the next one is called.
  void drop_ended();

  /// Where requests find their servants. Set once, before the first `listen`.
  void set_finder(std::shared_ptr<ObjectFinder> finder) { finder_ = std::move(finder); }
  ObjectFinder* finder() const noexcept { return finder_.get(); }
  /// Opens the endpoints of the options, once. Raises INITIALIZE where one cannot be opened.
  void listen();
  /// A reference to an object of this ORB; listens if it did not yet.
  giop::Ior make_ior(const std::string& type_id, Bytes object_key);
  /// Does the road lead back into this ORB?
  bool is_own(const Road& road) const;

  /// Where threads do not belong to connections (-ORBThreads single, pool:N); else null.
  Reactor* reactor() const noexcept { return reactor_.get(); }
  /// As of Reactor.
  bool serves_here() const noexcept;
  void serve_while_waiting(transport::Deadline deadline);
  /// Requests that were Found::held may pass now.
  void try_held_again();
  /// What ORB::run does: returns after `request_shutdown`, everything ended.
  void run();

  /// From now on nothing new is begun, and `wait_for_shutdown` returns. Any thread, also one that serves.
  void request_shutdown();
  /// Ends everything: requests in progress are finished, all connections closed, all threads joined. Not
  /// from a thread that serves. A second call waits for the first.
  void finish_shutdown();
  void wait_for_shutdown();
  bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Raises BAD_INV_ORDER after shutdown.
  void check_running() const;

  /// The deadline of a call that begins now.
  transport::Deadline call_deadline() const noexcept {
    return options_.call_timeout_ms == 0 ? transport::Deadline::never()
                                         : transport::Deadline::in_ms(options_.call_timeout_ms);
  }

 private:
  const Options options_;
  const CORBA::object_reference<PolicyManagerImpl> policy_manager_ = CORBA::make_reference<PolicyManagerImpl>();
  const CORBA::object_reference<PolicyCurrentImpl> policy_current_ = CORBA::make_reference<PolicyCurrentImpl>();
  const std::shared_ptr<ReceiveBudget> budget_ = std::make_shared<ReceiveBudget>(options_.receive_bytes());
  ConnectionLimits limits_{options_, budget_};  // outlives the connections
  const std::shared_ptr<OutgoingConnections> outgoing_ = std::make_shared<OutgoingConnections>(options_);
  std::shared_ptr<ObjectFinder> finder_;
  std::unique_ptr<Reactor> reactor_;
  std::unique_ptr<LimitsWatch> limits_watch_;
  std::unique_ptr<ThreadPool> pool_;

  Flusher flusher_;  // outlives the connections

  /// One address. Connecting holds its lock and no other: a server that does not answer delays only its own.
  struct Peer {
    std::mutex mutex;
    ClientConnectionPtr connection;
  };
  std::mutex peers_mutex_;
  std::map<std::string, std::shared_ptr<Peer>> peers_;  // by "transport address"
  std::vector<ClientConnectionPtr> private_connections_;
  const CORBA::object_reference<SpareConnections> spares_ = CORBA::make_reference<SpareConnections>(*this);

  giop::SslAddress protection(std::uint16_t port, bool alone) const;

  mutable std::mutex listen_mutex_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::string inproc_address_;

  std::atomic<bool> running_{true};
  std::mutex shutdown_mutex_;
  std::condition_variable shutdown_changed_;
  enum class Ending { no, under_way, done } ending_ = Ending::no;
};

/// Is the calling thread inside of a servant, called over a connection or directly? Then it must not wait for
/// requests to be done: it would wait for itself.
bool in_upcall() noexcept;
/// Is it a thread that serves a connection?
bool serves_connection() noexcept;
/// Around a servant's being called directly.
void begin_direct_call() noexcept;
void end_direct_call() noexcept;

/// Marks the calling thread as serving a connection for as long as it lives; `peer` is whose. They nest.
class UpcallScope {
 public:
  explicit UpcallScope(const Peer& peer) noexcept;
  ~UpcallScope();

 private:
  const Peer* const peer_before_;
  const int direct_calls_before_;
};

}  // namespace orbweaver::orb
