#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "etcd/etcd_options.h"
#include "platform/clock.h"

namespace httplib {
class Client;
}

namespace orbweaver::etcd {

class OpenSocket;

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

  /// Posts a body of JSON. `token` authorizes the request; empty: none. The deadline is that of the whole
  /// request: the lookup of the host's name, connecting, the TLS handshake, the head of the answer and its
  /// body. The addresses of the host are tried one after another. Errors: disconnected if the server cannot
  /// be connected to; transient if there is no answer by the deadline, although the server may
  /// have received the request; invalid if a file of the options cannot be used; permission_denied if the
  /// certificate of the server is not valid.
  Result<HttpReply> post(const std::string& path, const std::string& body, const std::string& token,
                         platform::Deadline deadline);

 private:
  class Limit;

  Result<void> find_addresses(platform::Deadline deadline);
  Result<HttpReply> post_once(const std::string& path, const std::string& body, const std::string& token,
                              platform::Deadline deadline);

  const std::string server_;
  std::string host_;  // of server_, without brackets
  std::uint16_t port_ = 0;
  std::vector<std::string> addresses_;  // of the host
  std::size_t address_ = 0;             // the one in use
  const std::unique_ptr<OpenSocket> socket_;
  const std::unique_ptr<httplib::Client> client_;  // uses socket_
};

}  // namespace orbweaver::etcd
