#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Requests and responses of the monitor's HTTP server, without types of the HTTP library.
namespace orbweaver::monitor {

/// Limits of a request.
inline constexpr std::size_t kMaxHeadBytes = 16 * 1024;
inline constexpr std::size_t kMaxHeaderLineBytes = 4096;
inline constexpr std::size_t kMaxHeaderLines = 64;
inline constexpr std::size_t kMaxTargetBytes = 2048;
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;

/// A request.
struct HttpRequest {
  std::string method;                         ///< "GET"; also for HEAD.
  std::string path;                           ///< "/api/v1/components/a%2Fb", not decoded, without the query.
  std::map<std::string, std::string> query;   ///< Decoded.
  std::map<std::string, std::string> header;  ///< By name in lower case.
  std::string body;

  /// The value of a header; empty if there is none.
  std::string header_value(const std::string& name) const {
    const auto found = header.find(name);
    return found == header.end() ? std::string() : found->second;
  }
};

/// Why a request is refused: a status of HTTP and one sentence for the user.
struct Refusal {
  int status = 400;
  std::string message;
};

/// A response.
struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> header;  ///< Further headers.
  /// If set, the body is endless and consists of the texts that this function returns. An empty text: nothing
  /// to send now; no text: the end. The function waits for at most about a second. Called by one thread.
  std::function<std::optional<std::string>()> next;
};

/// The response to a refused request: {"error": message}.
HttpResponse refuse(const Refusal& refusal);

/// Decodes %XX. Empty if it is malformed.
std::optional<std::string> decode_percent(const std::string& text);

}  // namespace orbweaver::monitor
