#include "etcd/http_connection.h"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace orbweaver::etcd {
namespace {

/// A page of records (etcd_records.cpp) in base64, with room for servers that admit larger ones.
constexpr std::size_t kMaxBodyBytes = 256u * 1024 * 1024;

std::string url_of(const EtcdOptions& options, const std::string& server) {
  return (options.tls ? "https://" : "http://") + server;
}

/// Ends the request of a client after a time. The time limits of the library are those of each octet that
/// arrives: a server that sends some from time to time would not reach them. Not before the connection is
/// made, of which the library limits each step.
class Limit {
 public:
  /// Raises std::system_error if no thread can be started.
  Limit(httplib::Client& client, std::chrono::milliseconds limit)
      : thread_([this, &client, limit](const std::stop_token& is_over) {
          std::unique_lock lock(mutex_);
          over_.wait_for(lock, is_over, limit, [] { return false; });
          if (!is_over.stop_requested()) client.stop();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;  // ends first
};

}  // namespace

HttpConnection::HttpConnection(const EtcdOptions& options, const std::string& server)
    : server_(server),
      client_(std::make_unique<httplib::Client>(url_of(options, server), options.certificate, options.key)) {
  if (!client_->is_valid()) return;  // post() says so
  client_->set_keep_alive(true);
  client_->set_tcp_nodelay(true);
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  if (!options.ca_file.empty()) client_->set_ca_cert_path(options.ca_file);
  client_->enable_server_certificate_verification(true);
#endif
}

HttpConnection::~HttpConnection() = default;

Result<HttpReply> HttpConnection::post(const std::string& path, const std::string& body,
                                       const std::string& token, platform::Deadline deadline) {
  if (!client_->is_valid()) {
    return Error{ErrorKind::invalid,
                 "etcd at " + server_ +
                     ": TLS cannot be used: the certificates or the key cannot be read, or "
                     "the HTTP library has no TLS"};
  }
  const std::chrono::milliseconds left(std::max(1, deadline.poll_ms()));
  client_->set_connection_timeout(left);
  client_->set_read_timeout(left);
  client_->set_write_timeout(left);
  HttpReply reply;
  httplib::Request request;
  request.method = "POST";
  request.path = path;
  request.body = body;
  request.set_header("Content-Type", "application/json");
  if (!token.empty()) request.set_header("Authorization", token);
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    if (reply.body.size() + size > kMaxBodyBytes || deadline.passed()) return false;
    reply.body.append(data, size);
    return true;
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  bool is_answered = false;
  try {
    const Limit limit(*client_, left);
    is_answered = client_->send(request, response, error);
  } catch (const std::system_error& e) {
    return Error{ErrorKind::disconnected, std::string("no thread can be started: ") + e.what()};
  }
  // etcd has trailers behind the body of an error. Release 0.11 of the library takes them for a read error.
  const bool is_error =
      error == httplib::Error::Read && response.status >= 400 && response.has_header("Trailer");
  if (is_answered || is_error) {
    reply.status = response.status;
    return reply;
  }
  const std::string text = "etcd at " + server_ + ": ";
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return Error{ErrorKind::disconnected, text + "cannot be connected to"};
    case httplib::Error::Read:
    case httplib::Error::Write: return Error{ErrorKind::transient, text + "does not answer"};
    case httplib::Error::SSLConnection:
      return Error{ErrorKind::disconnected, text + "the TLS connection is rejected, or it serves no TLS"};
    case httplib::Error::SSLLoadingCerts:
      return Error{ErrorKind::invalid, text + "the certificates for TLS cannot be read"};
    case httplib::Error::SSLServerVerification:
      return Error{ErrorKind::permission_denied, text + "its certificate is not valid for this name"};
    default: return Error{ErrorKind::transient, text + httplib::to_string(error)};
  }
}

}  // namespace orbweaver::etcd
