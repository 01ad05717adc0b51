#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "orb/server_connection.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class Core;

/// One endpoint: a thread that accepts, and a thread for each connection that serves it. Where threads do not
/// belong to connections, all of that is the reactor's.
class Listener {
 public:
  Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor);
  ~Listener();

  transport::Transport& transport() const noexcept { return transport_; }
  const std::string& address() const noexcept { return acceptor_->address(); }
  /// Raises INITIALIZE where the reactor cannot wait at it.
  void start();

  // Shutting down, in this order.
  void stop_accepting();
  /// Clients that do not take it are not waited for beyond `patience`.
  void close_connections(transport::Deadline patience);
  /// Joins the threads of connections that have ended, and closes those whose clients have not taken their reply for a
  /// second, however many. True: none is left. Called until then.
  bool join_ended();

 private:
  struct Served {
    std::unique_ptr<ServerConnection> connection;  // null once it has ended
    std::thread thread;
    // While the ORB shuts down: what ServerConnection::sending was, and how long it may stay so.
    std::uint32_t sending = 0;
    transport::Deadline patience = transport::Deadline::never();
  };
  void accept_loop();
  void serve(std::unique_ptr<transport::Channel> channel);
  void end(Served& served);
  void reap();

  Core& core_;
  transport::Transport& transport_;
  const std::shared_ptr<transport::Acceptor> acceptor_;
  std::thread acceptor_thread_;
  std::mutex mutex_;
  std::list<Served> served_;
  bool stopping_ = false;
};

}  // namespace orbweaver::orb
