#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/resolver.h"

namespace orbweaver::transport {

/// "host:port", parsed. A numeric IPv6 host has brackets in the text and none here.
struct HostPort {
  std::string host;        ///< Empty in ":4711": all interfaces when listening, loopback when connecting.
  std::uint16_t port = 0;  ///< 0 when listening: chosen by the system.
};

/// Parses an address. Errors: invalid, with the expected form. `transport` is for the message.
Result<HostPort> parse_host_port(const std::string& text, const char* transport = "tcp");

/// Checks that parse_host_port accepts `text`.
Result<void> check_host_port(const std::string& text, const char* transport);

/// Resolves "host:port"; never returns an empty vector. Errors: invalid; transient if the name server is
/// unavailable; timed_out. `transport` is for the message.
Result<std::vector<platform::SocketAddress>> resolve_host_port(
    const std::string& text, const char* transport, bool to_listen,
    platform::Deadline deadline = platform::Deadline::never());

}  // namespace orbweaver::transport
