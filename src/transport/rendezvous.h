#pragma once

#include <string>

#include "platform/socket.h"
#include "transport/local_peer.h"
#include "transport/stream/stream_acceptor.h"

/// Handshake of local transports over a Unix socket in the abstract name space, which leaves no file. The
/// socket stays open as the connection's liveness descriptor.
namespace orbweaver::transport {

/// Returns a name that is not in use, for a listener without an address.
std::string fresh_local_name();

/// Server: logs, at a limited rate, that a process was rejected.
void log_rejected(const char* server, const platform::PeerCredentials& peer);
/// Client: the error for a rejection.
Error rejected_error(const char* server);

struct Rendezvous {
  const char* prefix;    // prefix of the abstract socket name
  const char* server;    // "shared-memory", "message-queue": kind of server, for messages
  const char* resource;  // what is passed, for messages: "memory", "queues"

  /// Checks that `name` fits the system's limit.
  Result<void> check_name(const std::string& name) const;
  Result<std::unique_ptr<Acceptor>> listen(const std::string& name,
                                           StreamAcceptor::ChannelFactory accept_socket) const;

  /// Connection to an admitted server that has sent its answer, which can be received without waiting.
  struct ConnectedPeer {
    platform::Fd socket;
    Peer peer;
  };
  /// `request`: what the client asks the server for, as `request_of` returns it there; empty: nothing.
  Result<ConnectedPeer> connect(const std::string& name, const ChannelOptions& options, Deadline deadline,
                                const std::string& request = {}) const;

  /// Server: the request of a client, by the address of its socket; empty: it has none. The client may have
  /// written anything.
  std::string request_of(const platform::SocketAddress& client) const;
};

}  // namespace orbweaver::transport
