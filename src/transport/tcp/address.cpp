#include "transport/tcp/address.h"

#include <charconv>

namespace orbweaver::transport {
namespace {

Error malformed(const char* transport, const std::string& text, const std::string& what) {
  return Error{ErrorKind::invalid,
               std::string(transport) + " address '" + text + "' " + what + ": write host:port or [v6]:port"};
}

}  // namespace

Result<HostPort> parse_host_port(const std::string& text, const char* transport) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return malformed(transport, text, "has no port");
  HostPort result;
  result.host = text.substr(0, colon);
  if (!result.host.empty() && result.host.front() == '[') {
    if (result.host.back() != ']') return malformed(transport, text, "has no ']' before its port");
    result.host = result.host.substr(1, result.host.size() - 2);
  } else if (result.host.find(':') != std::string::npos) {
    return malformed(transport, text, "has several colons and no brackets");
  }
  const char* const first = text.data() + colon + 1;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(first, last, result.port);
  if (problem != std::errc{} || end != last)
    return malformed(transport, text, "has a port that is not 0 to 65535");
  return result;
}

Result<void> check_host_port(const std::string& text, const char* transport) {
  if (auto parsed = parse_host_port(text, transport); !parsed) return parsed.take_error();
  return {};
}

Result<std::vector<platform::SocketAddress>> resolve_host_port(const std::string& text, const char* transport,
                                                               bool to_listen, platform::Deadline deadline) {
  const Result<HostPort> parsed = parse_host_port(text, transport);
  if (!parsed) return Error(parsed.error());
  platform::ResolvedAddresses found = platform::resolve_tcp(parsed->host, parsed->port, to_listen, deadline);
  if (!found.addresses.empty()) return std::move(found.addresses);
  const ErrorKind kind = found.timed_out   ? ErrorKind::timed_out
                         : found.temporary ? ErrorKind::transient
                                           : ErrorKind::invalid;
  return Error{kind,
               "host '" + parsed->host + "' of " + transport + " address '" + text + "': " + found.problem};
}

}  // namespace orbweaver::transport
