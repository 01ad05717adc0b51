#pragma once

#include <orbweaver/result.h>

#include <memory>
#include <string>

#include "etcd/etcd_options.h"
#include "platform/clock.h"

namespace httplib {
class Client;
}

namespace orbweaver::etcd {

/// An answer of HTTP.
struct HttpReply {
  int status = 0;
  std::string body;
};

/// A connection to a server, which is kept and made again when it is needed. Only this file knows the HTTP
/// library. Not thread-safe. SIGPIPE is ignored in the process (platform::ignore_broken_pipe_signal()).
class HttpConnection {
 public:
  /// `server` is one of `options`.
  HttpConnection(const EtcdOptions& options, const std::string& server);
  ~HttpConnection();

  /// Posts a body of JSON. `token` authorizes the request; empty: none. Errors: disconnected if the
  /// server cannot be connected to; transient if there is no answer by the deadline, although the server may
  /// have received the request; invalid if a file of the options cannot be used; permission_denied if the
  /// certificate of the server is not valid.
  Result<HttpReply> post(const std::string& path, const std::string& body, const std::string& token,
                         platform::Deadline deadline);

 private:
  const std::string server_;
  std::unique_ptr<httplib::Client> client_;
};

}  // namespace orbweaver::etcd
