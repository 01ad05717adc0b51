#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/server/server_connection.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class Core;

/// Listening endpoint. Accepts in a thread and starts a thread for each connection; with a reactor, endpoint
/// and connections are its event handlers.
class Listener {
 public:
  Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor);
  ~Listener();

  transport::Transport& transport() const noexcept { return transport_; }
  const std::string& address() const noexcept { return acceptor_->address(); }
  /// Starts accepting. Raises INITIALIZE if the reactor cannot poll the endpoint.
  void start();

  // Shutdown, in this order:
  void stop_accepting();
  /// Calls ServerConnection::close_orderly of all connections. Clients that do not read CloseConnection are
  /// waited for until `deadline`.
  void close_connections(transport::Deadline deadline);
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
  void accept_loop();
  void serve(std::unique_ptr<transport::Channel> channel);
  void end(ServedConnection& served);
  void reap();

  Core& core_;
  transport::Transport& transport_;
  const std::shared_ptr<transport::Acceptor> acceptor_;
  std::thread acceptor_thread_;
  std::mutex mutex_;
  std::list<ServedConnection> connections_;
  std::list<ServedConnection> ended_;  // their threads are to be joined
  bool stopping_ = false;
};

}  // namespace orbweaver::orb
