#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "monitor/http/message.h"

namespace orbweaver::monitor {

/// Limits of a server.
struct HttpLimits {
  std::size_t connections = 64;  ///< Further ones are answered with status 503.
  std::int64_t idle_ms = 30'000;
  std::int64_t request_ms = 10'000;
  std::int64_t write_ms = 10'000;
};

/// What a server calls, on the threads of the connections, several at a time.
struct HttpHandlers {
  /// Whether a request is admitted, before its body is read.
  std::function<std::optional<Refusal>(const HttpRequest&)> admit;
  /// Answers an admitted request. An exception becomes status 500.
  std::function<HttpResponse(const HttpRequest&)> answer;
};

/// A server of HTTP/1.1 (RFC 9112) without TLS, with a thread for each connection. cpp-httplib reads requests
/// and writes responses; connections, limits and the check of request heads are here, because that library
/// bounds neither the headers nor the time of a request (decision 52).
class HttpServer {
 public:
  /// Listens at "HOST:PORT" and serves until it is destroyed. Errors: invalid for the address, unavailable if
  /// it cannot be listened at.
  static Result<std::unique_ptr<HttpServer>> start(const std::string& address, const HttpLimits& limits,
                                                   HttpHandlers handlers);
  /// Ends all connections and waits for their threads.
  virtual ~HttpServer() = default;
  /// The address that it listens at: "127.0.0.1:8080".
  virtual std::string address() const = 0;
  /// Number of open connections.
  virtual std::size_t connections() const = 0;
};

}  // namespace orbweaver::monitor
