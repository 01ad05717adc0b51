#include "transport/rendezvous.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/log.h"
#include "platform/process_identity.h"
#include "platform/random_number.h"

namespace orbweaver::transport {
namespace {

constexpr int kRendezvousBacklog = 64;
constexpr std::int64_t kServerTimeout_ms = 5000;  // for the answer of a server that accepted the connection

/// Follows the request in the name of a client's socket.
constexpr const char* kRequestEnd = "/orbweaver-";

platform::SocketAddress abstract_address(const char* prefix, const std::string& name) {
  return platform::unix_address(std::string("@").append(prefix).append(name));
}

/// Connects a socket whose name contains the request.
platform::FdResult connect_with_request(const char* prefix, const std::string& request,
                                        const platform::SocketAddress& where, Deadline deadline) {
  const auto own = abstract_address(prefix, request + "/" + fresh_local_name());
  if (own.length == 0) return platform::connect_to(where, deadline);
  auto socket = platform::connect_to(where, deadline, &own);
  // A process of another namespace of process ids may have taken the name.
  return socket.error == EADDRINUSE ? platform::connect_to(where, deadline) : std::move(socket);
}

}  // namespace

std::string fresh_local_name() {
  static std::atomic<unsigned> counter{0};
  return "orbweaver-" + std::to_string(platform::user_id()) + "-" + std::to_string(platform::process_id()) +
         "-" + std::to_string(++counter) + "-" +
         std::to_string(static_cast<std::uint32_t>(platform::random_number()));
}

Result<void> Rendezvous::check_name(const std::string& name) const {
  if (abstract_address(prefix, name).length != 0) return {};
  return Error{ErrorKind::invalid, "the rendezvous name '" + name + "' is too long"};
}

void log_rejected(const char* server, const platform::PeerCredentials& credentials) {
  const Peer peer = local_peer(credentials);
  log::write_limited(log::Level::warn, "connection rejected", log::origin(peer), [&] {
    return std::string(server) + ": " + peer.address +
           " is rejected: the access rules (-ORBAllow, -ORBDeny) do not admit it";
  });
}

Error rejected_error(const char* server) {
  return {ErrorKind::permission_denied,
          std::string("the ") + server + " server rejected this process: its access rules do " +
              "not admit user " + std::to_string(platform::user_id()) + " (-ORBAllow there)"};
}

Result<std::unique_ptr<Acceptor>> Rendezvous::listen(const std::string& name,
                                                     StreamAcceptor::ChannelFactory accept_socket) const {
  if (auto good = check_name(name); !good) return good.take_error();
  const auto where = abstract_address(prefix, name);
  auto listener = platform::listen_on(where, kRendezvousBacklog);
  if (!listener) {
    return Error{ErrorKind::unavailable,
                 "cannot listen at the rendezvous '" + name + "': " +
                     (listener.error == EADDRINUSE ? "it is in use, by this or another process"
                                                   : platform::error_text(listener.error))};
  }
  return std::unique_ptr<Acceptor>(
      std::make_unique<StreamAcceptor>(std::move(listener.fd), name, std::move(accept_socket)));
}

std::string Rendezvous::request_of(const platform::SocketAddress& client) const {
  const std::string name = client.text(), begin = std::string("@").append(prefix);
  const std::size_t end = name.find(kRequestEnd);
  if (!name.starts_with(begin) || end == std::string::npos || end < begin.size()) return {};
  return name.substr(begin.size(), end - begin.size());
}

Result<Rendezvous::ConnectedPeer> Rendezvous::connect(const std::string& name, const ChannelOptions& options,
                                                      Deadline deadline, const std::string& request) const {
  const auto where = abstract_address(prefix, name);
  if (name.empty() || where.length == 0)
    return Error{ErrorKind::invalid, "'" + name + "' is not a valid rendezvous name"};
  auto socket = request.empty() ? platform::connect_to(where, deadline)
                                : connect_with_request(prefix, request, where, deadline);
  if (!socket) {
    return Error{socket.error == ETIMEDOUT ? ErrorKind::timed_out : ErrorKind::transient,
                 "cannot connect to the rendezvous '" + name + "': " + platform::error_text(socket.error)};
  }
  const auto credentials = platform::peer_credentials(socket.fd);
  if (!permitted(credentials, options)) {
    return Error{ErrorKind::permission_denied,
                 "the rendezvous '" + name + "' belongs to " + describe(credentials) +
                     ", with which this user shares no " + resource +
                     " (-ORBAllow user:" + std::to_string(credentials.uid) + " permits it)"};
  }
  // A server that rejects this process closes the socket; this deadline is for one that does not answer.
  const Deadline answer_deadline{std::min(deadline.ns, Deadline::in_ms(kServerTimeout_ms).ns)};
  if (platform::poll(socket.fd, platform::kReadable, answer_deadline) == 0) {
    return Error{ErrorKind::timed_out, std::string("the ") + server + " server did not answer"};
  }
  return ConnectedPeer{std::move(socket.fd), local_peer(credentials)};
}

}  // namespace orbweaver::transport
