#pragma once

#include <memory>
#include <thread>

#include "orb/server/served_connections.h"
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
  /// As of ServedConnections::close.
  void close_connections(transport::Deadline deadline) { connections_.close(deadline); }
  /// As of ServedConnections.
  bool join_finished() { return connections_.join_finished(); }

 private:
  void accept_loop();
  void serve(std::unique_ptr<transport::Channel> channel);

  Core& core_;
  transport::Transport& transport_;
  const std::shared_ptr<transport::Acceptor> acceptor_;
  std::thread acceptor_thread_;
  ServedConnections connections_;
};

}  // namespace orbweaver::orb
