#pragma once

#include <string>

#include "base/log.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Logs, at a limited rate, that `connection` ("connection from 10.0.0.1:4711") ends because of what its peer
/// sent: a malformed message, or one beyond a limit. May throw std::bad_alloc.
[[gnu::cold]] inline void log_refused(const Peer& peer, const std::string& connection,
                                      const std::string& why) {
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer),
                     [&] { return connection + " closed: " + why; });
}
/// The same for a channel, which does not know which end has connected.
inline void log_refused(const Peer& peer, const std::string& why) {
  log_refused(peer, "connection with " + peer.address, why);
}

}  // namespace orbweaver::transport
