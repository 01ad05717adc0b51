#include "etcd/http_connection.h"

#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "platform/descriptors.h"
#include "platform/fd.h"
#include "platform/resolver.h"
#include "platform/socket.h"

namespace orbweaver::etcd {
namespace {

/// A page of records (etcd_records.cpp) in base64, with room for servers that admit larger ones.
constexpr std::size_t kMaxBodyBytes = 256u * 1024 * 1024;

std::string url_of(const EtcdOptions& options, const std::string& server) {
  return (options.tls ? "https://" : "http://") + server;
}

/// The host and the port of "HOST:PORT"; brackets around the host are removed.
std::pair<std::string, std::uint16_t> split(const std::string& server) {
  const std::size_t colon = server.rfind(':');
  std::string host = server.substr(0, colon);
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  if (colon != std::string::npos)
    std::from_chars(server.data() + colon + 1, server.data() + server.size(), port);
  return {host, port};
}

}  // namespace

/// The socket that the library has opened last, by a descriptor of our own: the library may close its one at
/// any time.
class OpenSocket {
 public:
  void opened(int descriptor) {
    platform::Fd of_library(descriptor);
    platform::Fd own = platform::duplicate(of_library);
    static_cast<void>(of_library.release());
    const std::lock_guard lock(mutex_);
    fd_ = std::move(own);
  }
  /// Ends all waits for the socket. No effect if it has not begun to connect. Returns false if there is no
  /// socket, or no descriptor was free for it.
  bool shut_down() {
    const std::lock_guard lock(mutex_);
    if (fd_) platform::shutdown_both(fd_);
    return static_cast<bool>(fd_);
  }

 private:
  std::mutex mutex_;
  platform::Fd fd_;
};

/// Ends a request after a time. The time limits of the library are those of each octet that arrives: a server
/// that sends some from time to time would not reach them, in the TLS handshake as in an answer.
class HttpConnection::Limit {
 public:
  /// Raises std::system_error if no thread can be started. A request whose socket is not known is ended
  /// through `client`, but not before its connection is made, the TLS handshake included.
  Limit(OpenSocket& socket, httplib::Client& client, std::chrono::milliseconds limit)
      : thread_([this, &socket, &client, limit](const std::stop_token& is_over) {
          constexpr std::chrono::milliseconds kAgain{50};  // a socket that has just been opened
          std::unique_lock lock(mutex_);
          over_.wait_for(lock, is_over, limit, [] { return false; });
          while (!is_over.stop_requested()) {
            if (!socket.shut_down()) client.stop();
            over_.wait_for(lock, is_over, kAgain, [] { return false; });
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;  // ends first
};

HttpConnection::HttpConnection(const EtcdOptions& options, const std::string& server)
    : server_(server), socket_(std::make_unique<OpenSocket>()),
      client_(std::make_unique<httplib::Client>(url_of(options, server), options.certificate, options.key)) {
  std::tie(host_, port_) = split(server);
  if (!client_->is_valid()) return;  // post() says so
  client_->set_keep_alive(true);
  client_->set_tcp_nodelay(true);
  client_->set_socket_options([socket = socket_.get()](auto descriptor) { socket->opened(descriptor); });
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  if (!options.ca_file.empty()) client_->set_ca_cert_path(options.ca_file);
  client_->enable_server_certificate_verification(true);
#endif
}

HttpConnection::~HttpConnection() = default;

/// The library looks up names without a time limit, and waits for each address in turn.
Result<void> HttpConnection::find_addresses(platform::Deadline deadline) {
  const platform::ResolvedAddresses found = platform::resolve_tcp(host_, port_, false, deadline);
  addresses_.clear();
  for (const platform::SocketAddress& each : found.addresses) addresses_.push_back(split(each.text()).first);
  if (!addresses_.empty()) return {};
  return Error{ErrorKind::disconnected,
               "etcd at " + server_ + ": " +
                   (found.timed_out ? "its name cannot be looked up in time" : found.problem)};
}

Result<HttpReply> HttpConnection::post(const std::string& path, const std::string& body,
                                       const std::string& token, platform::Deadline deadline) {
  if (!client_->is_valid()) {
    return Error{ErrorKind::invalid,
                 "etcd at " + server_ +
                     ": TLS cannot be used: the certificates or the key cannot be read, or "
                     "the HTTP library has no TLS"};
  }
  if (client_->is_socket_open() == 0) {
    if (auto found = find_addresses(deadline); !found) return found.take_error();
  }
  for (std::size_t tried = 1;; ++tried) {
    address_ %= addresses_.size();
    client_->set_hostname_addr_map({{host_, addresses_[address_]}});
    const std::chrono::milliseconds left(std::max(1, deadline.poll_ms()));
    client_->set_connection_timeout(
        left / static_cast<int>(std::max<std::size_t>(1, addresses_.size() - tried + 1)));
    auto reply = post_once(path, body, token, deadline);
    const bool is_last = tried >= addresses_.size() || deadline.passed();
    if (reply || reply.error().kind != ErrorKind::disconnected || is_last) return reply;
    ++address_;
  }
}

Result<HttpReply> HttpConnection::post_once(const std::string& path, const std::string& body,
                                            const std::string& token, platform::Deadline deadline) {
  const std::chrono::milliseconds left(std::max(1, deadline.poll_ms()));
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
    const Limit limit(*socket_, *client_, left);
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
      if (deadline.passed())
        return Error{ErrorKind::disconnected, text + "does not answer in the TLS handshake"};
      return Error{ErrorKind::disconnected, text + "the TLS connection is rejected, or it serves no TLS"};
    case httplib::Error::SSLLoadingCerts:
      return Error{ErrorKind::invalid, text + "the certificates for TLS cannot be read"};
    case httplib::Error::SSLServerVerification:
      return Error{ErrorKind::permission_denied, text + "its certificate is not valid for this name"};
    default: return Error{ErrorKind::transient, text + httplib::to_string(error)};
  }
}

}  // namespace orbweaver::etcd
