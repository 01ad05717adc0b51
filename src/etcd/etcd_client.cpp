#include "etcd/etcd_client.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/printable.h"
#include "etcd/etcd_messages.h"

namespace orbweaver::etcd {
namespace {

using Json = nlohmann::json;

/// Between two attempts at the same server.
constexpr std::chrono::milliseconds kRetry{50};

/// Codes of gRPC that the gateway passes on.
enum Code : int {
  kCancelled = 1,
  kUnknown = 2,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

bool is_transient(int code) {
  return code == kCancelled || code == kUnknown || code == kDeadlineExceeded || code == kInternal ||
         code == kUnavailable;
}

/// What the user can do about a message of etcd.
std::string advice(const std::string& message) {
  if (message.find("request is too large") != std::string::npos)
    return "; start its servers with a greater --max-request-bytes";
  if (message.find("space exceeded") != std::string::npos)
    return "; compact and defragment it, and disarm its alarm (etcdctl); --auto-compaction-retention=1h "
           "avoids it";
  if (message.find("user name is empty") != std::string::npos) return "; give --etcd-user";
  if (message.find("authentication failed") != std::string::npos)
    return "; correct --etcd-user or the file of --etcd-password-file";
  return {};
}

Error error_of(const HttpReply& reply) {
  const Json json = Json::parse(reply.body, nullptr, false);
  const bool is_known = json.is_object() && json.contains("code") && json["code"].is_number_integer();
  if (!is_known) {
    const std::string text = "it answers " + std::to_string(reply.status) + " of HTTP";
    return reply.status >= 500
               ? Error{ErrorKind::transient, text}
               : Error{ErrorKind::unavailable, text + ": it is no etcd of version 3.4 or later"};
  }
  const int code = json["code"].get<int>();
  std::string message = text_member(json, "message");
  if (message.empty()) message = text_member(json, "error");
  if (message.empty()) message = "error";
  message = printable(message, 300) + advice(message);
  if (code == kUnauthenticated || code == kPermissionDenied || message.find("user name is empty") == 12 ||
      message.find("authentication failed") != std::string::npos)
    return {ErrorKind::permission_denied, message};
  return {is_transient(code) ? ErrorKind::transient : ErrorKind::unavailable, message};
}

bool is_token_error(const Error& error) {
  return error.kind == ErrorKind::permission_denied &&
         error.message.find("invalid auth token") != std::string::npos;
}

}  // namespace

EtcdClient::EtcdClient(EtcdOptions options) : options_(std::move(options)) {
  for (const std::string& server : options_.servers) connections_.emplace_back(options_, server);
}

Result<Json> EtcdClient::call(const std::string& path, const Json& request, platform::Deadline deadline) {
  const std::string body = request.dump();
  bool may_have_effect = false;
  std::string earlier;
  for (std::size_t attempts = 1;; ++attempts) {
    const auto limit = platform::Deadline::in_ms(options_.attempt.count());
    auto result = attempt(path, body, {std::min(limit.ns, deadline.ns)});
    if (result) return result;
    const ErrorKind kind = result.error().kind;
    may_have_effect = may_have_effect || kind == ErrorKind::transient;
    const bool is_rejected = kind != ErrorKind::transient && kind != ErrorKind::disconnected;
    if (is_rejected || deadline.passed()) {
      if (is_rejected && !may_have_effect) return result;
      // The last attempt ends where the deadline finds it, if it begins at all: an earlier one tells more.
      return Error{ErrorKind::transient, is_rejected || earlier.empty() ? result.error().message : earlier};
    }
    earlier = result.error().message;
    current_ = (current_ + 1) % connections_.size();
    token_.clear();
    if (attempts % connections_.size() == 0) std::this_thread::sleep_for(kRetry);
  }
}

Result<Json> EtcdClient::attempt(const std::string& path, const std::string& body,
                                 platform::Deadline deadline) {
  if (!options_.user.empty() && token_.empty()) {
    if (auto done = authenticate(deadline); !done) return done.take_error();
  }
  auto result = post(path, body, deadline);
  if (result || options_.user.empty() || !is_token_error(result.error())) return result;
  if (auto done = authenticate(deadline); !done) return done.take_error();
  return post(path, body, deadline);
}

Result<Json> EtcdClient::post(const std::string& path, const std::string& body, platform::Deadline deadline) {
  const std::string where = "etcd at " + options_.servers[current_] + ": ";
  auto reply = connections_[current_].post(path, body, token_, deadline);
  if (!reply) return reply.take_error();
  if (reply->status != 200) {
    const Error error = error_of(*reply);
    return Error{error.kind, where + error.message};
  }
  Json json = Json::parse(reply->body, nullptr, false);
  if (json.is_object()) return json;
  return Error{ErrorKind::unavailable,
               where + "its answer is no JSON: it is no etcd of version 3.4 or later"};
}

Result<void> EtcdClient::authenticate(platform::Deadline deadline) {
  token_.clear();
  const Json request{{"name", options_.user}, {"password", options_.password}};
  auto reply =
      post("/v3/auth/authenticate", request.dump(-1, ' ', false, Json::error_handler_t::replace), deadline);
  if (!reply) return reply.take_error();
  token_ = text_member(*reply, "token");
  if (!token_.empty()) return {};
  return Error{ErrorKind::unavailable, "etcd at " + options_.servers[current_] + ": it returns no token"};
}

}  // namespace orbweaver::etcd
