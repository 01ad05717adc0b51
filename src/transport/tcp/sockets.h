#pragma once

#include <string>

#include "platform/socket.h"
#include "transport/transport.h"

/// Connecting and listening by "host:port" or "[v6]:port", for every transport over TCP. `transport` is its
/// name, for messages.
namespace orbweaver::transport {

/// Listens at the first available address of the host; empty: loopback with a free port.
Result<platform::Fd> listen_tcp(const char* transport, const std::string& address);

/// Connects to the first address of the host that answers, with socket options for frames.
Result<platform::Fd> connect_tcp(const char* transport, const std::string& address, Deadline deadline);

}  // namespace orbweaver::transport
