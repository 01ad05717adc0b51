#include "etcd/etcd_options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/printable.h"

namespace orbweaver::etcd {
namespace {

constexpr std::string_view kPlain = "etcd://", kTls = "etcds://";
constexpr std::size_t kMaxServers = 16;

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
         c == '_';
}
bool is_address_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

/// "HOST:PORT"; empty if the text is no server.
std::optional<std::string> server_of(std::string_view text) {
  std::string_view host, rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    if (host.find(':') == std::string_view::npos ||
        !std::all_of(host.begin(), host.end(), is_address_character))
      return std::nullopt;
    rest = text.substr(end + 1);
    host = text.substr(0, end + 1);
  } else {
    host = text.substr(0, text.find(':'));
    rest = text.substr(host.size());
    if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character)) return std::nullopt;
  }
  int port = kDefaultPort;
  if (!rest.empty()) {
    rest.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
    if (text[host.size()] != ':' || error != std::errc() || end != rest.data() + rest.size() || port < 1 ||
        port > 65535)
      return std::nullopt;
  }
  return std::string(host) + ":" + std::to_string(port);
}

}  // namespace

bool is_etcd_url(std::string_view text) { return text.starts_with(kPlain) || text.starts_with(kTls); }

Result<EtcdOptions> parse_etcd_url(const std::string& url) {
  const auto invalid = [&](const std::string& what) {
    return Error{ErrorKind::invalid,
                 "'" + printable(url, 300) + "': " + what +
                     "; an etcd is named as etcd://HOST:PORT,HOST:PORT, or etcds:// for TLS"};
  };
  EtcdOptions options;
  options.tls = url.starts_with(kTls);
  std::string_view rest(url);
  rest.remove_prefix((options.tls ? kTls : kPlain).size());
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view text = rest.substr(0, comma);
    const auto server = server_of(text);
    if (!server) return invalid("'" + printable(text, 100) + "' is no server");
    options.servers.push_back(*server);
    if (options.servers.size() > kMaxServers)
      return invalid("it has more than " + std::to_string(kMaxServers) + " servers");
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return options;
}

}  // namespace orbweaver::etcd
