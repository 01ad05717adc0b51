#pragma once

#include <array>

#include "platform/datagram.h"
#include "transport/transport.h"
#include "transport/udp/cookie.h"
#include "transport/udp/wire.h"

/// How two ends find each other: hello, cookie, open, welcome (docs/formats/udp.md).
namespace orbweaver::transport::datagram {

/// A socket that exchanges datagrams with one peer alone, and the connection's number.
struct Greeted {
  platform::Fd socket;
  std::uint64_t id = 0;
  std::uint64_t nonce = 0;  ///< At the server: the client's, to whom a lost welcome is said again; 0 at the client.
};
/// The client's side. Its question is repeated, ever more slowly, until the deadline (Remedy::wait). Remedy::retry
/// where nobody has the port open.
Result<Greeted> greet(const platform::SocketAddress& server, Deadline deadline);

/// The server's side, on the listening socket. Remembers nobody who has not shown that he reads what is sent to
/// his address, and then no more than the last few, who may ask twice. All connections share the
/// listening port: the system gives a datagram to the socket that is connected to its sender, and what belongs to no
/// connection to this one. One thread's.
class Door {
 public:
  explicit Door(const platform::Fd& socket) : socket_(socket), ids_{random_u64(), random_u64()} {}
  /// Answers one datagram. A peer that has become known by it, or an empty socket.
  Greeted answer(Bytes datagram, const platform::SocketAddress& from);

 private:
  struct Guest {
    std::uint64_t nonce = 0, id = 0;
    platform::SocketAddress from;
  };
  Greeted open(Bytes datagram, std::uint64_t nonce, const platform::SocketAddress& from);
  void welcome(const Guest& guest) const noexcept;

  const platform::Fd& socket_;
  const CookieJar jar_;
  const std::uint64_t ids_[2];
  std::uint64_t guests_seen_ = 0;
  std::array<Guest, 64> guests_;  // the last of them
};

}  // namespace orbweaver::transport::datagram
