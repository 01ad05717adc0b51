#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/socket.h"
#include "testing/giop_builder.h"

namespace orbtest {

/// A TCP connection that sends arbitrary bytes. For one thread.
class RawPeer {
 public:
  explicit RawPeer(orbweaver::platform::Fd socket) : socket_(std::move(socket)) {}
  /// Connects to a server at this port of the loopback interface.
  static RawPeer to(std::uint16_t port);

  /// Sends all bytes, or drops the rest if the peer has closed.
  void sends(const Octets& bytes);
  /// The next whole GIOP message; nullopt if the peer closes first, or after 120 s, which only a hang takes.
  std::optional<Octets> receives();
  /// Whether the peer closes, after any number of messages.
  bool is_closed();
  /// Whether the peer has closed or reset the connection. Reads nothing.
  bool is_hung_up() const {
    return (orbweaver::platform::poll(socket_, 0, orbweaver::platform::Deadline{0}) &
            orbweaver::platform::kHungUp) != 0;
  }
  void closes() { socket_ = {}; }
  void resets() { orbweaver::platform::abort_tcp(socket_); }
  /// Shuts down the sending side. Returns when the peer's host has acknowledged it.
  void half_closes();
  /// Returns when the peer's host has acknowledged all that was sent: it can be read there.
  void awaits_acknowledgement();

 private:
  bool fill(std::size_t bytes);

  orbweaver::platform::Fd socket_;
  Octets buffer_;
  bool ended_ = false;
};

/// A TCP server whose thread calls `serve` for one connection after the other.
class RawServer {
 public:
  explicit RawServer(std::function<void(RawPeer&)> serve);
  ~RawServer();
  /// A stringified reference to this server, with the object key 1, 2, 3.
  std::string reference() const { return reference_to(port_, {1, 2, 3}); }

 private:
  orbweaver::platform::Fd listener_;
  std::uint16_t port_;
  std::thread thread_;
};

}  // namespace orbtest
