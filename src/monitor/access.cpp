#include "monitor/access.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "platform/file_permissions.h"
#include "platform/ip_address.h"

namespace orbweaver::monitor {
namespace {

constexpr std::size_t kMinTokenBytes = 16;
constexpr std::size_t kMaxTokenBytes = 1024;

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return text;
}

/// The host of "HOST" or "HOST:PORT", without the brackets of an IPv6 address; empty if it is malformed.
std::string host_of(const std::string& authority) {
  const bool is_ipv6 = !authority.empty() && authority[0] == '[';
  const std::size_t end = is_ipv6 ? authority.find(']') : std::min(authority.find(':'), authority.size());
  if (end == std::string::npos) return {};
  const std::string port = authority.substr(is_ipv6 ? end + 1 : end);
  if (!port.empty() && (port[0] != ':' || port.find_first_not_of("0123456789", 1) != std::string::npos))
    return {};
  return is_ipv6 ? authority.substr(1, end - 1) : authority.substr(0, end);
}

bool is_loopback(const platform::IpAddress& address) {
  if (address.is_v4()) return address.bytes[12] == 127;
  const auto last = address.bytes.end() - 1;
  return std::all_of(address.bytes.begin(), last, [](auto byte) { return byte == 0; }) && *last == 1;
}

bool is_this_host(const std::string& host, const AccessRules& rules) {
  const std::string name = lower_case(host);
  if (name == "localhost") return true;
  if (const auto address = platform::parse_ip_address(name))
    return !rules.on_loopback || is_loopback(*address);
  return std::any_of(rules.hosts.begin(), rules.hosts.end(),
                     [&](const std::string& each) { return lower_case(each) == name; });
}

/// Compares without telling by its time how many characters are equal.
bool equal_secrets(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

std::optional<Refusal> check_origin(const HttpRequest& request) {
  const std::string origin = request.header_value("origin");
  if (!origin.empty() && lower_case(origin) != "http://" + lower_case(request.header_value("host")))
    return Refusal{403, "the request comes from a page of another origin"};
  const std::string site = request.header_value("sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return std::nullopt;
  if (request.method == "GET" && request.path == "/" && request.header_value("sec-fetch-mode") == "navigate")
    return std::nullopt;  // a link
  return Refusal{403, "the request comes from a page of another site"};
}

}  // namespace

Result<std::string> read_token(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxTokenBytes + 2, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.gcount() == 0 && !in.is_open()))
    return Error{ErrorKind::unavailable, file + ": cannot be read"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (const std::string insecure = platform::insecure_permissions_of(file); !insecure.empty()) {
    return Error{ErrorKind::permission_denied,
                 file + ": others may read the token: " + insecure + "; chmod 600 it"};
  }
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (text.size() < kMinTokenBytes || text.size() > kMaxTokenBytes || !printable) {
    return Error{ErrorKind::invalid,
                 file + ": a token is one line of " + std::to_string(kMinTokenBytes) + " to " +
                     std::to_string(kMaxTokenBytes) +
                     " printable characters without spaces, such as openssl rand -hex 16 prints"};
  }
  return text;
}

bool has_token(const HttpRequest& request, const AccessRules& rules) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string given = request.header_value("authorization");
  if (rules.token.empty() || given.size() <= kScheme.size()) return false;
  if (lower_case(given.substr(0, kScheme.size())) != kScheme) return false;
  return equal_secrets(given.substr(kScheme.size()), rules.token);
}

std::optional<Refusal> check_access(const HttpRequest& request, const AccessRules& rules) {
  if (!is_this_host(host_of(request.header_value("host")), rules))
    return Refusal{403, "Host does not name this host; --http-host NAME admits another name"};
  if (auto refusal = check_origin(request)) return refusal;
  if (request.method == "GET" || has_token(request, rules)) return std::nullopt;
  if (rules.token.empty())
    return Refusal{403, "nothing can be changed: the monitor was started without --http-token-file"};
  return Refusal{401, "a change needs the token of --http-token-file: Authorization: Bearer TOKEN"};
}

}  // namespace orbweaver::monitor
