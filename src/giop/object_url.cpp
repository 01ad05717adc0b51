#include "giop/object_url.h"

#include <algorithm>
#include <cctype>

#include "base/hex.h"
#include "base/limits.h"

namespace orbweaver::giop {
namespace {

constexpr std::string_view kLocation = "corbaloc:";
constexpr std::string_view kName = "corbaname:";
constexpr std::string_view kNameService = "NameService";

bool begins_with(std::string_view text, std::string_view scheme) {
  return text.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), text.begin(), [](char expected, char found) {
           return expected == static_cast<char>(std::tolower(static_cast<unsigned char>(found)));
         });
}

/// Reads a URL from left to right. The first error is kept; after it, all functions return empty values.
class UrlReader {
 public:
  explicit UrlReader(std::string_view text) : text_(text) {}

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(const std::string& what) {
    if (ok()) error_ = what + " at character " + std::to_string(at_);
  }

  bool done() const { return !ok() || at_ == text_.size(); }
  char next() const { return done() ? '\0' : text_[at_]; }
  bool take(std::string_view word) {
    if (!ok() || !begins_with(text_.substr(at_), word)) return false;
    at_ += word.size();
    return true;
  }
  std::string_view take_until(std::string_view stops) {
    if (!ok()) return {};
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string_view part = text_.substr(at_, end - at_);
    at_ = end;
    return part;
  }
  /// Reads a decimal number of at most `max`. `what` names it in error messages.
  std::uint32_t take_number(std::uint32_t max, const char* what) {
    std::uint32_t value = 0;
    bool any = false;
    for (; !done() && next() >= '0' && next() <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint32_t>(next() - '0');
      any = true;
      if (value > max) fail(std::string(what) + " above " + std::to_string(max));
    }
    if (!any) fail(std::string("no ") + what);
    return ok() ? value : 0;
  }
  /// Reads characters up to one of `stops` and decodes %XX escapes (RFC 2396).
  std::string take_unescaped(std::string_view stops) {
    std::string value;
    for (; !done() && stops.find(next()) == std::string_view::npos; ++at_) {
      char c = next();
      if (c == '%') {
        const int high = at_ + 2 < text_.size() ? hex_value(text_[at_ + 1]) : -1;
        const int low = at_ + 2 < text_.size() ? hex_value(text_[at_ + 2]) : -1;
        if (high < 0 || low < 0) {
          fail("invalid % escape");
          break;
        }
        c = static_cast<char>(high << 4 | low);
        at_ += 2;
      } else if (c <= ' ' || c > '~') {
        fail("character that requires a % escape");
        break;
      }
      value += c;
    }
    return ok() ? value : std::string();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string error_;
};

/// Reads major.minor@ and returns the minor version. A later one is treated as the latest supported one.
std::uint8_t take_iiop_version(UrlReader& in) {
  if (in.take_number(255, "IIOP version") != 1) in.fail("unsupported IIOP version ending");
  if (!in.take(".")) in.fail("no '.' in the IIOP version");
  const std::uint32_t minor = in.take_number(255, "IIOP minor version");
  if (!in.take("@")) in.fail("no '@' after the IIOP version");
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(minor, kGiop12.minor));
}

/// Reads the rest of an IPv6 address in brackets, of which the first is read.
std::string take_ipv6_host(UrlReader& in) {
  std::string host(in.take_until("]"));
  if (host.empty() || host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos)
    in.fail("invalid IPv6 address ending");
  if (!in.take("]")) in.fail("no ']' after the IPv6 address");
  return host;
}

std::string take_host_name(UrlReader& in) {
  std::string host(in.take_until(":/,#"));
  if (host.empty()) in.fail("no host");
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
  });
  if (!plain) in.fail("invalid host name \"" + host + "\" ending");
  return host;
}

/// Reads [major.minor@]host[:port]. `has_version`: the caller has found a '@'.
ObjectUrl::Address take_iiop_address(UrlReader& in, bool has_version) {
  ObjectUrl::Address address;
  if (has_version) address.version.minor = take_iiop_version(in);
  address.host = in.take("[") ? take_ipv6_host(in) : take_host_name(in);
  if (in.take(":")) {
    address.port = static_cast<std::uint16_t>(in.take_number(65535, "port"));
    if (address.port == 0) in.fail("invalid port 0 ending");
  }
  return address;
}

void take_addresses(UrlReader& in, ObjectUrl& url) {
  do {
    if (in.take("rir:")) {
      if (!url.addresses.empty()) in.fail("rir: cannot be combined with other addresses,");
      url.initial_reference = true;
      return;
    }
    if (!in.take(":") && !in.take("iiop:")) {
      in.fail("neither \"iiop:\", \":\" nor \"rir:\"");
      return;
    }
    UrlReader ahead = in;
    const bool has_version = ahead.take_until("/,#").find('@') != std::string_view::npos;
    url.addresses.push_back(take_iiop_address(in, has_version));
  } while (in.take(","));
}

}  // namespace

bool is_object_url(std::string_view text) noexcept {
  return begins_with(text, kLocation) || begins_with(text, kName);
}

Result<ObjectUrl> parse_object_url(std::string_view text) {
  if (text.size() > limits::kMaxIorBytes) {
    return Error{ErrorKind::invalid, "object URL of " + std::to_string(text.size()) +
                                         " characters: the limit is " + std::to_string(limits::kMaxIorBytes)};
  }
  UrlReader in(text);
  ObjectUrl url;
  if (in.take(kName)) {
    url.kind = ObjectUrl::Kind::name;
  } else if (!in.take(kLocation)) {
    return Error{ErrorKind::invalid,
                 "not an object URL: starts with neither \"corbaloc:\" nor \"corbaname:\""};
  }
  const bool named = url.kind == ObjectUrl::Kind::name;
  take_addresses(in, url);

  std::string key;
  if (in.take("/")) key = in.take_unescaped("#");
  if (key.empty() && (named || url.initial_reference)) key = kNameService;
  if (named && in.take("#")) url.name = in.take_unescaped("");
  if (in.ok() && key.empty()) in.fail("no \"/\" and object key");
  if (!in.done()) in.fail("unexpected text");
  if (!in.ok()) return Error{ErrorKind::invalid, std::string(named ? kName : kLocation) + " " + in.error()};
  url.object_key.assign(key.begin(), key.end());
  return url;
}

Ior to_ior(const ObjectUrl& url) {
  Ior ior;
  for (const ObjectUrl::Address& address : url.addresses) {
    ior.profiles.push_back(
        {profile_tag::kIiop,
         encode_iiop_profile({address.version, address.host, address.port, url.object_key, {}})});
  }
  return ior;
}

}  // namespace orbweaver::giop
