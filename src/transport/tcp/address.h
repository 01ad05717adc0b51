#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

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

}  // namespace orbweaver::transport
