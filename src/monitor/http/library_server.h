#pragma once

#include <httplib.h>

#include <atomic>

#include "monitor/http/http_server.h"
#include "monitor/http/request_stream.h"

namespace orbweaver::monitor {

/// The part of cpp-httplib that reads a request from a stream and writes its response. All members may be
/// called by several threads at a time.
class LibraryServer : private httplib::Server {
 public:
  explicit LibraryServer(HttpHandlers handlers);

  /// Serves the request whose head `stream` has received. Returns whether another request may follow.
  bool serve(RequestStream& stream);
  /// Responds to a request that the library has not seen.
  void write_refusal(RequestStream& stream, const Refusal& refusal) const;

  /// Ends endless responses.
  void stop() noexcept;
  bool stopped() const noexcept { return stopped_; }

 private:
  /// Whether the request is refused; then `response` is set.
  bool refused(const httplib::Request& request, httplib::Response& response) const;
  void answer(const httplib::Request& request, httplib::Response& response) const;

  HttpHandlers handlers_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace orbweaver::monitor
