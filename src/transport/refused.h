#pragma once

#include <string>

#include "base/log.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// The line of log, at a limited rate, about a connection that ends because its peer sent what is no frame, or one beyond
/// -ORBMaxMessageBytes. May throw where there is no memory.
inline void log_refused(const Peer& peer, const std::string& why) {
  log::write_limited(log::Level::warn, "connection ended for what was received", log::origin(peer),
                     [&] { return "the connection with " + peer.address + " is ended: " + why; });
}

}  // namespace orbweaver::transport
