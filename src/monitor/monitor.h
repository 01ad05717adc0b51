#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitor/http/http_server.h"
#include "monitor/source.h"

namespace orbweaver::monitor {

/// How a domain is monitored.
struct MonitorOptions {
  /// "PORT", "HOST:PORT" or "[ADDRESS]:PORT"; without a host: 127.0.0.1. Port 0: any free one.
  std::string address;
  std::string token_file;          ///< A token for changes; empty: nothing can be changed.
  std::vector<std::string> hosts;  ///< Further names of this host in the requests' Host.
  HttpLimits limits;
  std::size_t event_streams = 48;          ///< At most; fewer than connections, so that others are served.
  std::int64_t period_ns = 1'000'000'000;  ///< Between two readings of a watched domain.
};

/// The web monitor of a domain: a page, REST with JSON, server-sent events, and metrics for Prometheus
/// (docs/monitor.md). Runs in threads of its own until it is destroyed.
class Monitor {
 public:
  /// `source` must outlive it. Errors: invalid for an option, unavailable if it cannot listen or read the
  /// token, permission_denied if others may read the token.
  static Result<std::unique_ptr<Monitor>> start(const MonitorOptions& options, Source& source);
  /// Ends all connections.
  virtual ~Monitor() = default;
  /// The URL of the page: "http://127.0.0.1:8080/".
  virtual std::string url() const = 0;
};

}  // namespace orbweaver::monitor
