#include "transport/rendezvous.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>

#include "base/log.h"
#include "platform/process_identity.h"

namespace orbweaver::transport {
namespace {

constexpr int kRendezvousBacklog = 64;
constexpr std::int64_t kServerTimeout_ms = 5000;  // for the answer of a server that accepted the connection

platform::SocketAddress abstract_address(const char* prefix, const std::string& name) {
  return platform::unix_address(std::string("@").append(prefix).append(name));
}

}  // namespace

std::string fresh_local_name() {
  static std::atomic<unsigned> counter{0};
  std::random_device random;
  return "orbweaver-" + std::to_string(platform::user_id()) + "-" + std::to_string(platform::process_id()) +
         "-" + std::to_string(++counter) + "-" + std::to_string(random());
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

Result<Rendezvous::ConnectedPeer> Rendezvous::connect(const std::string& name, const ChannelOptions& options,
                                                      Deadline deadline) const {
  const auto where = abstract_address(prefix, name);
  if (name.empty() || where.length == 0)
    return Error{ErrorKind::invalid, "'" + name + "' is not a valid rendezvous name"};
  auto socket = platform::connect_to(where, deadline);
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
