#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/http/message.h"

namespace orbweaver::monitor {

/// A checked head of an HTTP request.
struct RequestHead {
  std::string text;  ///< The request line and the headers that the server reads, with the empty line.
  std::size_t body_bytes = 0;  ///< Content-Length.
};

/// The outcome of check_request_head: a head, or why it is refused.
struct CheckedHead {
  RequestHead head;
  std::optional<Refusal> refusal;
};

/// Checks a head (RFC 9112), which ends with an empty line, before the HTTP library reads it: lines end with
/// CR LF, the target is a path of printable ASCII, headers are not continued on a second line, there is one
/// Host, at most one Content-Length of at most kMaxBodyBytes, and no Transfer-Encoding. Headers that the
/// server does not read are left out, so that the library does not interpret them either (Range, Expect,
/// Accept-Encoding, Upgrade).
CheckedHead check_request_head(std::string_view head);

}  // namespace orbweaver::monitor
