#pragma once

#include <orbweaver/result.h>

#include <optional>
#include <string>
#include <vector>

#include "monitor/http/message.h"

namespace orbweaver::monitor {

/// Who may do what.
struct AccessRules {
  bool on_loopback = true;         ///< The server listens on a loopback address.
  std::vector<std::string> hosts;  ///< Further names of this host that clients may use.
  std::string token;               ///< Required for changes; empty: nothing can be changed.
};

/// Reads a token, one line of at least 16 printable characters without spaces. Errors: unavailable if the
/// file cannot be read; permission_denied if others may read it; invalid if it contains no such line.
Result<std::string> read_token(const std::string& file);

/// Why a request is refused, if it is:
/// - its Host is not this host (DNS rebinding): "localhost", a loopback address, one of `hosts`, or any
///   address if the server listens not only on loopback;
/// - it comes from a page of another origin (Origin, Sec-Fetch-Site), except that such a page may link to the
///   monitor's;
/// - it changes something and has not the token ("Authorization: Bearer TOKEN").
std::optional<Refusal> check_access(const HttpRequest& request, const AccessRules& rules);

/// Whether the request has the token.
bool has_token(const HttpRequest& request, const AccessRules& rules);

}  // namespace orbweaver::monitor
