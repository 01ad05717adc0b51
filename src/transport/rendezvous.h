#pragma once

#include <string>

#include "platform/socket.h"
#include "transport/local_peer.h"
#include "transport/stream/stream_acceptor.h"

/// Where the two ends of a local road meet to hand over what they will share: a listening socket in the abstract
/// name space, which leaves no file. It stays open afterwards, as a sign of life.
namespace orbweaver::transport {

/// A name that nobody else has, for an address which was left to us.
std::string fresh_local_name();

/// At the server: says in the log, at a limited rate, that a process is turned away.
void tell_turned_away(const char* server, const platform::PeerCredentials& peer);
/// At the client: it was.
Error turned_away(const char* server);

struct Rendezvous {
  const char* prefix;  // put before the name that an address holds
  const char* server;  // "shared-memory", "message-queue": whose server it is
  const char* goods;   // what is handed over, as a message names it: "memory", "queues"

  /// Whether `name` is one: not longer than the system allows.
  Result<void> check_name(const std::string& name) const;
  Result<std::unique_ptr<Acceptor>> listen(const std::string& name, StreamAcceptor::Welcome welcome) const;

  /// Connected to a process that may be trusted, and that has said something: the goods are there to be received.
  struct Met {
    platform::Fd socket;
    Peer peer;
  };
  Result<Met> connect(const std::string& name, const ChannelOptions& options, Deadline deadline) const;
};

}  // namespace orbweaver::transport
