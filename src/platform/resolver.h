#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/clock.h"
#include "platform/socket_address.h"

/// Resolving host names.
namespace orbweaver::platform {

/// The result of resolve_tcp.
struct ResolvedAddresses {
  std::vector<SocketAddress> addresses;  ///< In the order in which to try them.
  std::string problem;                   ///< The resolver's error message; empty on success.
  bool temporary = false;  ///< The name server did not answer (EAI_AGAIN): a later call may succeed.
  bool timed_out = false;  ///< The deadline passed first.
};

/// Lookups of host names with a deadline that run at the same time in this process; those of further names
/// wait.
inline constexpr std::size_t kMaxLookups = 16;

/// Resolves a host name or a numeric address to TCP addresses, which are valid for UDP as well. An empty
/// `host` means all interfaces if `to_listen`, else loopback. A host name is looked up by a thread of its own
/// ("ow-resolve") if there is a deadline, since the system's resolver has none: the thread ends when the
/// resolver does, and callers that ask for the same name share it. If no thread can be started, the calling
/// one waits for the resolver. Any thread.
ResolvedAddresses resolve_tcp(const std::string& host, std::uint16_t port, bool to_listen,
                              Deadline deadline = Deadline::never());

}  // namespace orbweaver::platform
