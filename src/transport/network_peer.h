#pragma once

#include "platform/socket_owner.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Identity of the peer at `address` of an accepted connection over IP. If it is on this host, its pid is 0
/// (a process of this host, as the kernel has it for one that this process cannot see), and its uid that of
/// its socket's owner, or -1 if the kernel does not tell, which is logged at level info. `socket` is this
/// end.
Peer network_peer(const platform::Fd& socket, const platform::SocketAddress& address,
                  platform::IpProtocol protocol);

}  // namespace orbweaver::transport
