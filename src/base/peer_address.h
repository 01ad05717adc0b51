#pragma once

#include <orbweaver/peer.h>

#include <optional>
#include <string>

#include "platform/ip_address.h"

/// Kinds of peers. Peer::address of a network transport is "127.0.0.1:4711" or "[::1]:4711"; that of a local
/// transport is a description of the process.
namespace orbweaver {

/// The IP address of a peer that is connected over a network; empty over a local transport.
std::optional<platform::IpAddress> ip_address_of(const Peer& peer);

/// Whether the peer is a user of this host who is connected over a local transport.
bool is_local_user(const Peer& peer);

/// Whether the peer is a process of this host, over any transport. Over a network, Peer::pid is then 0: its
/// process is unknown (transport/network_peer.h).
inline bool is_on_this_host(const Peer& peer) { return peer.uid >= 0 || peer.pid >= 0; }

/// The name under which a service counts what the callers of its operations hold: "pid 812" for a process of
/// this host over a local transport, else the address without its port, since the process is then unknown.
/// Empty for this process. `peer` is that of the upcall (orbweaver::peer()); null: this process.
std::string client_of(const Peer* peer);

}  // namespace orbweaver
