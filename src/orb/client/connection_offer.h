#pragma once

#include <string>

#include "transport/transport.h"

namespace orbweaver::orb {

/// Whether a new connection is offered to its server for calls of this process (bidirectional GIOP), where
/// its transport permits.
enum class Offer : bool { no, yes };

/// The name of a connection, in messages and as a key: "tcp 127.0.0.1:4711". Offered connections are separate
/// from others to the same address.
inline std::string connection_name(const transport::Transport& transport, const std::string& address,
                                   Offer offer) {
  return std::string(transport.name()) + " " + address + (offer == Offer::yes ? " (bidirectional)" : "");
}

}  // namespace orbweaver::orb
