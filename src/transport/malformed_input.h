#pragma once

#include <string>

#include "base/log.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Logs, at a limited rate, that a connection ends because its peer sent a malformed frame or one beyond
/// -ORBMaxMessageBytes. May throw std::bad_alloc.
inline void log_refused(const Peer& peer, const std::string& why) {
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer),
                     [&] { return "the connection with " + peer.address + " is ended: " + why; });
}

}  // namespace orbweaver::transport
