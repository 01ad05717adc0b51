#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orb/client/auxiliary_connections.h"
#include "orb/client/client_connection.h"
#include "orb/client/connection_offer.h"
#include "orb/client/outgoing_connections.h"
#include "orb/client/send_queueing.h"
#include "orb/flusher.h"
#include "orb/options.h"
#include "orb/shutdown_state.h"

namespace orbweaver::orb {

class OfferedConnections;
class Reactor;

/// Client connections of one ORB: one to each address, shared by the references, and those that the policies
/// of a reference keep to itself. Thread-safe.
class ConnectionCache {
 public:
  /// All arguments outlive this. `reactor` may be null, and `offered`: no connection is offered then.
  ConnectionCache(const Options& options, std::shared_ptr<ReceiveBudget> budget, Flusher& flusher,
                  Reactor* reactor, const ShutdownState& shutdown, OfferedConnections* offered = nullptr);

  /// Returns the shared connection to `address`; opens one if there is none. While another thread opens it,
  /// waits for its result. Offered connections are separate ones. Errors: as of Transport::connect;
  /// unavailable after the shutdown.
  Result<ClientConnectionPtr> connect(transport::Transport& transport, const std::string& address,
                                      transport::Deadline deadline, Offer offer = Offer::no);
  /// Opens a connection for the caller alone, until `close_private` or `close`.
  Result<ClientConnectionPtr> connect_private(transport::Transport& transport, const std::string& address,
                                              transport::Deadline deadline, Offer offer = Offer::no);
  /// The shared connection to `address` if there is one; null: none.
  ClientConnectionPtr find(const transport::Transport& transport, const std::string& address, Offer offer);
  /// A connection over an open channel, which is registered nowhere. `name` is for messages.
  ClientConnectionPtr make_connection(std::unique_ptr<transport::Channel> channel, const std::string& name);
  void close_private(const ClientConnectionPtr& connection) noexcept;
  /// Opens a connection and registers it nowhere: the caller owns it and closes it at the shutdown. `name` is
  /// for messages. A ring has at most `max_ring_bytes`.
  Result<ClientConnectionPtr> open(transport::Transport& transport, const std::string& address,
                                   const std::string& name, transport::Deadline deadline,
                                   std::size_t max_ring_bytes = SIZE_MAX, Offer offer = Offer::no);
  /// Drops failed connections and those whose servers have closed, so that servers which restart do not
  /// accumulate closed connections. Called after a failure: checks all.
  void drop_closed() { drop_closed(SIZE_MAX); }
  /// Closes all connections. Queued calls with SYNC_NONE are sent until kSendQueuedAtShutdown_ms, together;
  /// the rest is dropped. Called once, after ShutdownState::request, so that later connects fail.
  void close();

  AuxiliaryConnections& auxiliary() noexcept { return *auxiliary_; }
  OutgoingConnections& outgoing() noexcept { return *outgoing_; }
  const Options& options() const noexcept { return options_; }
  const ShutdownState& shutdown() const noexcept { return shutdown_; }
  Flusher& flusher() noexcept { return flusher_; }
  Reactor* reactor() const noexcept { return reactor_; }

 private:
  /// Connection to one address, which one thread at a time opens. No lock is held meanwhile: a server that
  /// does not answer delays only calls to its own address, and each until its own deadline.
  struct CachedConnection {
    std::mutex mutex;  // guards the members below
    std::condition_variable attempt_ended;
    ClientConnectionPtr connection;
    bool connecting = false;
    std::uint64_t attempts = 0;    // ended ones
    std::optional<Error> failure;  // of the last attempt, for the threads that waited for it
  };
  using CachedConnectionPtr = std::shared_ptr<CachedConnection>;
  /// Calls open() for `cached`, which `lock` locks, and tells the waiting threads.
  Result<ClientConnectionPtr> open_cached(CachedConnection& cached, std::unique_lock<std::mutex>& lock,
                                          transport::Transport& transport, const std::string& address,
                                          const std::string& name, transport::Deadline deadline, Offer offer);
  /// The same for at most `at_most` of the shared connections, in turn: the next call continues behind them.
  void drop_closed(std::size_t at_most);
  /// Releases `cached`; removes it from the cache if it has no connection and no other user.
  void forget(const std::string& name, CachedConnectionPtr cached) noexcept;
  transport::Deadline connect_deadline(transport::Deadline deadline) const noexcept;

  const Options& options_;
  const std::shared_ptr<ReceiveBudget> budget_;
  static constexpr std::int64_t kSendQueuedAtShutdown_ms = 500;
  /// Connections that are checked before another one is opened. A check is a system call: with all of them,
  /// connecting to many servers would take time in proportion to the square of their number.
  static constexpr std::size_t kCheckedBeforeConnect = 16;

  Flusher& flusher_;
  SendQueueing send_queueing_{options_, flusher_};  // outlives the connections
  Reactor* const reactor_;
  const ShutdownState& shutdown_;
  OfferedConnections* const offered_;
  const std::shared_ptr<OutgoingConnections> outgoing_ = std::make_shared<OutgoingConnections>(options_);
  // Guards the next three. May be taken while a CachedConnection::mutex is held; where this one is held, that
  // one is only tried.
  std::mutex mutex_;
  std::map<std::string, CachedConnectionPtr> connections_;  // by connection_name
  std::string last_checked_;                                // by drop_closed: a key, perhaps of a former one
  std::vector<ClientConnectionPtr> private_connections_;
  const CORBA::object_reference<AuxiliaryConnections> auxiliary_ =
      CORBA::make_reference<AuxiliaryConnections>(*this);
};

}  // namespace orbweaver::orb
