#pragma once

#include <string>

#include "platform/socket.h"
#include "transport/transport.h"

/// TCP sockets by "host:port" or "[v6]:port", for every transport over TCP. `transport` is its name, for messages.
namespace orbweaver::transport {

/// Listens at the first of the host's addresses that is to be had; empty: loopback with a free port.
Result<platform::Fd> listen_tcp(const char* transport, const std::string& address) noexcept;

/// Connects to the first of the host's addresses that answers, tuned for frames.
Result<platform::Fd> connect_tcp(const char* transport, const std::string& address, Deadline deadline) noexcept;

}  // namespace orbweaver::transport
