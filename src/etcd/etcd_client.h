#pragma once

#include <orbweaver/result.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <string>

#include "etcd/etcd_options.h"
#include "etcd/http_connection.h"
#include "platform/clock.h"

namespace orbweaver::etcd {

/// Calls an etcd through the JSON gateway of its API (version 3.4 or later). Not thread-safe: a thread has a
/// client of its own.
class EtcdClient {
 public:
  using Json = nlohmann::json;

  explicit EtcdClient(EtcdOptions options);

  /// Calls a method: "/v3/kv/range". Servers that do not answer, or have no leader among them, are followed
  /// by the next one, until the deadline: the request must have the same effect if it is made twice. Errors:
  /// transient if no server has answered by the deadline; it may have had its effect. It has had none with
  /// the other errors: permission_denied for the user, password or certificate; invalid if a file of the
  /// options cannot be used; unavailable if etcd rejects the request, or has no space.
  Result<Json> call(const std::string& path, const Json& request, platform::Deadline deadline);

 private:
  /// One attempt at the present server, with a new token if etcd does not know the one in use.
  Result<Json> attempt(const std::string& path, const std::string& body, platform::Deadline deadline);
  Result<Json> post(const std::string& path, const std::string& body, platform::Deadline deadline);
  Result<void> authenticate(platform::Deadline deadline);

  const EtcdOptions options_;
  std::deque<HttpConnection> connections_;
  std::size_t current_ = 0;
  std::string token_;
};

}  // namespace orbweaver::etcd
