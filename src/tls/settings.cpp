#include "tls/settings.h"

#include <charconv>
#include <functional>
#include <string_view>

namespace orbweaver::tls {
namespace {

// returns an error text; empty: none
using Setter = std::function<std::string(Settings&, const std::string&)>;

constexpr std::string_view kFormerHandshakeTimeout = "handshake-timeout";

Setter text(std::string Settings::*member) {
  return [member](Settings& settings, const std::string& value) {
    if (value.empty()) return std::string("is empty");
    settings.*member = value;
    return std::string();
  };
}

std::string set_verify(Settings& settings, const std::string& value) {
  if (value == "required")
    settings.verify = Verify::required;
  else if (value == "optional")
    settings.verify = Verify::optional;
  else if (value == "none")
    settings.verify = Verify::none;
  else
    return "takes required, optional or none, not '" + value + "'";
  return {};
}

std::string set_least_version(Settings& settings, const std::string& value) {
  if (value != "1.2" && value != "1.3") return "takes 1.2 or 1.3, not '" + value + "'";
  settings.tls12 = value == "1.2";
  return {};
}

std::string set_highest_version(Settings& settings, const std::string& value) {
  if (value != "1.2" && value != "1.3") return "takes 1.2 or 1.3, not '" + value + "'";
  settings.tls13 = value == "1.3";
  return {};
}

std::string set_handshake_timeout(Settings& settings, const std::string& value) {
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), ms);
  if (error != std::errc() || end != value.data() + value.size() || ms < 1 || ms > 600'000) {
    return "takes milliseconds from 1 to 600000, not '" + value + "'";
  }
  settings.handshake_ms = ms;
  return {};
}

const std::map<std::string, Setter>& setters() {
  static const auto& table = *new std::map<std::string, Setter>{
      // never destroyed
      {"certificate", text(&Settings::certificate)},
      {"key", text(&Settings::key)},
      {"key-password-file", text(&Settings::key_password_file)},
      {"ca", text(&Settings::ca)},
      {"peer-name", text(&Settings::peer_name)},
      {"verify", set_verify},
      {"ciphers", text(&Settings::ciphers)},
      {"ciphersuites", text(&Settings::ciphersuites)},
      {"min-version", set_least_version},
      {"max-version", set_highest_version},
      {"handshake-timeout-ms", set_handshake_timeout},
  };
  return table;
}

}  // namespace

Result<Settings> read_settings(const transport::Parameters& parameters) {
  Settings settings;
  for (const auto& [key, value] : parameters) {
    const auto setter = setters().find(key);
    if (key == kFormerHandshakeTimeout)
      return Error{ErrorKind::invalid, "tls has no option '" + key + "': use tls." + key + "-ms=VALUE"};
    if (setter == setters().end()) {
      std::string known;
      for (const auto& [each, unused] : setters()) known += (known.empty() ? "" : ", ") + each;
      return Error{ErrorKind::invalid, "tls has no option '" + key + "'; there are " + known};
    }
    if (const std::string wrong = setter->second(settings, value); !wrong.empty()) {
      return Error{ErrorKind::invalid, "tls." + key + " " + wrong};
    }
  }
  if (settings.certificate.empty() && !settings.key.empty()) {
    return Error{ErrorKind::invalid,
                 "tls.key needs tls.certificate, the certificate that the key belongs to"};
  }
  if (settings.key.empty()) settings.key = settings.certificate;
  return settings;
}

}  // namespace orbweaver::tls
