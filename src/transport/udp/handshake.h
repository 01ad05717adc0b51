#pragma once

#include <array>

#include "platform/udp_socket.h"
#include "transport/transport.h"
#include "transport/udp/cookie.h"
#include "transport/udp/wire.h"

/// Connection handshake: hello, cookie, open, welcome (docs/formats/udp.md).
namespace orbweaver::transport::udp {

/// A socket connected to one peer, and the connection's number.
struct EstablishedConnection {
  platform::Fd socket;
  std::uint64_t id = 0;
  std::uint64_t nonce = 0;  ///< At the server: the client's, for repeating a lost welcome; 0 at the client.
};
/// Client side. Requests are repeated at growing intervals until the deadline.
/// Errors: timed_out; transient if the server's port is closed.
Result<EstablishedConnection> connect_handshake(const platform::SocketAddress& server, Deadline deadline);

/// Server side, on the listening socket. Keeps no state of a client before it has returned a cookie sent to
/// its address, and afterwards only that of the last few, which may repeat their request. All connections
/// share the listening port: the system delivers a datagram to the socket connected to its sender, and any
/// other to this one. Used by one thread.
class ServerHandshake {
 public:
  explicit ServerHandshake(const platform::Fd& socket) : socket_(socket), ids_{random_u64(), random_u64()} {}
  /// Answers one datagram. Returns the connection that it completes, or an empty socket.
  EstablishedConnection answer(Bytes datagram, const platform::SocketAddress& from);

 private:
  struct RecentClient {
    std::uint64_t nonce = 0, id = 0;
    platform::SocketAddress from;
  };
  EstablishedConnection open(Bytes datagram, std::uint64_t nonce, const platform::SocketAddress& from);
  void welcome(const RecentClient& client) const noexcept;

  const platform::Fd& socket_;
  const CookieGenerator cookies_;
  const std::uint64_t ids_[2];
  std::uint64_t clients_seen_ = 0;
  std::array<RecentClient, 64> recent_clients_;  // the last of them
};

}  // namespace orbweaver::transport::udp
