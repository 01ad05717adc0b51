#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace orbweaver::transport {

/// "host:port" taken apart; a numeric IPv6 host stands in brackets in the text and without them here.
struct HostPort {
  std::string host;        ///< Empty in ":4711": every interface for a listener, loopback for a caller.
  std::uint16_t port = 0;  ///< 0 lets the system choose, for a listener.
};

/// Remedy::mend, with the form that is expected, if `text` is not an address. `transport` is for the message.
Result<HostPort> parse_host_port(const std::string& text, const char* transport = "tcp");

/// Whether parse_host_port takes it.
Result<void> check_host_port(const std::string& text, const char* transport);

}  // namespace orbweaver::transport
