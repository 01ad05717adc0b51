#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "orb/server/server_connection.h"

namespace orbweaver::orb {

/// Server connections with a thread each. Thread-safe.
class ServedConnections {
 public:
  explicit ServedConnections(const Options& options) : options_(options) {}
  ~ServedConnections();
  ServedConnections(const ServedConnections&) = delete;
  ServedConnections& operator=(const ServedConnections&) = delete;

  /// Serves a connection in a new thread, `name`, and takes it. After `stop`, has no effect. Fails with
  /// ErrorKind::unavailable if there is no thread for it; then, too, the connection stays the caller's.
  Result<void> serve(std::unique_ptr<ServerConnection>& connection, const std::string& name);
  /// As `serve`, for a further server connection of a bidirectional one. False if it is not served: after
  /// `stop`, and, with a warning, if there is no thread for it.
  bool serve_lane(std::unique_ptr<ServerConnection> lane, const std::string& name);
  /// Joins the threads of connections that have ended.
  void reap();

  // Shutdown, in this order:
  /// No further connection is served.
  void stop();
  /// Calls ServerConnection::close_orderly of all connections. Clients that do not read CloseConnection are
  /// waited for until `deadline`.
  void close(transport::Deadline deadline);
  /// Joins the threads of closed connections, and closes those whose clients have not read their reply for a
  /// second. Returns true if none is left; called until then.
  bool join_finished();

 private:
  struct ServedConnection {
    std::unique_ptr<ServerConnection> connection;  // null once it has ended
    std::thread thread;
    std::list<ServedConnection>::iterator place;
    // During the shutdown: last value of ServerConnection::send_sequence, and how long it may stay unchanged.
    std::uint32_t send_sequence = 0;
    transport::Deadline deadline = transport::Deadline::never();
  };
  void end(ServedConnection& served);

  const Options& options_;
  std::mutex mutex_;  // guards the rest
  std::list<ServedConnection> connections_;
  std::list<ServedConnection> ended_;  // their threads are to be joined
  bool stopping_ = false;
};

}  // namespace orbweaver::orb
