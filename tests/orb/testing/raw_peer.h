#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/socket.h"
#include "testing/giop_bytes.h"

namespace orbtest {

/// A TCP socket that says what it likes. One thread.
class RawPeer {
 public:
  explicit RawPeer(orbweaver::platform::Fd socket) : socket_(std::move(socket)) {}
  /// Connected to a server.
  static RawPeer to(std::uint16_t port);

  /// What the other end no longer takes is dropped.
  void sends(const Octets& bytes);
  /// The next whole GIOP message; nothing if the other end closes first, or after a time that only a hang takes.
  std::optional<Octets> receives();
  /// Does the other end close, whatever it says before?
  bool is_closed();
  void closes() { socket_ = {}; }
  void resets() { orbweaver::platform::abort_tcp(socket_); }
  /// Ends its sending side, and returns when the other end's host knows.
  void half_closes();

 private:
  bool fill(std::size_t bytes);

  orbweaver::platform::Fd socket_;
  Octets buffer_;
  bool ended_ = false;
};

/// Listens on TCP and lets `serve` deal with each connection, one after the other.
class RawServer {
 public:
  explicit RawServer(std::function<void(RawPeer&)> serve);
  ~RawServer();
  /// An object reference that leads here.
  std::string reference() const { return reference_to(port_, {1, 2, 3}); }

 private:
  orbweaver::platform::Fd listener_;
  std::uint16_t port_;
  std::thread thread_;
};

}  // namespace orbtest
