#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "orb/client/client_connection.h"
#include "orb/client/connection_offer.h"
#include "orb/flushable.h"

namespace orbweaver {
struct Endpoint;
}

namespace orbweaver::orb {

class ConnectionCache;

/// Auxiliary connections: used by nested two-way calls, which must not wait behind the pending call of the
/// shared connection, as the pending call may depend on them (docs/decisions/0019). Each carries one call at
/// a time. They are reused, closed by the flusher's thread after -ORBTune auxiliary-idle-ms without use,
/// unless they are offered to the server for calls (bidirectional GIOP), and closed with the ORB.
/// Thread-safe.
class AuxiliaryConnections final : public Flushable {
 public:
  explicit AuxiliaryConnections(ConnectionCache& cache) noexcept : cache_(cache) {}
  AuxiliaryConnections(const AuxiliaryConnections&) = delete;
  AuxiliaryConnections& operator=(const AuxiliaryConnections&) = delete;

  /// Returns a connection for a nested call, opened if needed; the caller's until `release`. If
  /// `max_connections` to the endpoint are in use, waits for one until `deadline`, at most for
  /// -ORBTune connect-timeout-ms; then raises NO_RESOURCES. Raises the system exception of a failed connect,
  /// or NO_MEMORY. `offer`: whether a new connection is offered.
  ClientConnection& acquire(const Endpoint& endpoint, std::size_t max_connections,
                            transport::Deadline deadline, Offer offer);
  /// As `acquire`, for a call that may also wait on the shared connection: null if `max_connections` are in
  /// use or the connect fails.
  ClientConnection* try_acquire(const Endpoint& endpoint, std::size_t max_connections,
                                transport::Deadline deadline, Offer offer);
  /// Returns a connection of `acquire` or `try_acquire` for reuse.
  void release(ClientConnection& connection) noexcept;

  /// Drops unused connections that have failed, were closed by their servers, or have reached -ORBTune
  /// auxiliary-idle-ms.
  void drop_closed();
  /// Closes all connections at the shutdown of the ORB. Calls in progress fail.
  void close();
  /// Drops closed and idle connections. Called by the flusher's thread. Returns the time of the next call
  /// (now_ns), 0 if there are no connections.
  std::int64_t flush_due() override;

 private:
  struct AuxiliaryConnection {
    ClientConnectionPtr connection;
    bool in_use = false;
    std::int64_t used_ns = 0;  ///< Time of the last `release`.
  };
  using AuxiliaryConnectionList = std::list<AuxiliaryConnection>;
  /// Connections to one endpoint. The first unused one is taken, so that those at the end become idle.
  struct EndpointConnections {
    AuxiliaryConnectionList connections;
    std::size_t opening = 0;
  };

  ClientConnection* find_free(EndpointConnections& address);
  Result<ClientConnection*> open(const Endpoint& endpoint, const std::string& name,
                                 std::unique_lock<std::mutex>& lock, transport::Deadline deadline,
                                 Offer offer);
  void remove_closed(AuxiliaryConnectionList& ended, std::int64_t now_ns);
  std::int64_t idle_ns() const noexcept;
  void wait(std::unique_lock<std::mutex>& lock, transport::Deadline deadline);

  ConnectionCache& cache_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable released_;
  std::map<std::string, EndpointConnections> addresses_;  // by "transport address"
  bool flush_scheduled_ = false;
};

}  // namespace orbweaver::orb
