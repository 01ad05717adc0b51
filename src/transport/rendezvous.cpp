#include "transport/rendezvous.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>

#include "base/log.h"
#include "platform/process_identity.h"

namespace orbweaver::transport {
namespace {

constexpr int kBacklog = 64;
constexpr std::int64_t kPatience_ms = 5000;  // with a server that lets us connect and then says nothing

platform::SocketAddress abstract_address(const char* prefix, const std::string& name) {
  return platform::unix_address(std::string("@").append(prefix).append(name));
}

}  // namespace

std::string fresh_local_name() {
  static std::atomic<unsigned> counter{0};
  std::random_device random;
  return "orbweaver-" + std::to_string(platform::user_id()) + "-" + std::to_string(platform::process_id()) + "-" +
         std::to_string(++counter) + "-" + std::to_string(random());
}

Result<void> Rendezvous::check_name(const std::string& name) const {
  if (abstract_address(prefix, name).length != 0) return {};
  return Error{Remedy::mend, "the rendezvous name '" + name + "' is too long"};
}

void tell_turned_away(const char* server, const platform::PeerCredentials& credentials) {
  const Peer peer = local_peer(credentials);
  log::write_limited(log::Level::warn, "turned away", log::origin(peer), [&] {
    return std::string(server) + ": " + peer.address + " is turned away: the access rules (-ORBAllow, -ORBDeny) do not admit it";
  });
}

Error turned_away(const char* server) {
  return {Remedy::permission_denied, std::string("the ") + server + " server turned this process away: its access rules do " +
                                         "not admit user " + std::to_string(platform::user_id()) + " (-ORBAllow there)"};
}

Result<std::unique_ptr<Acceptor>> Rendezvous::listen(const std::string& name, StreamAcceptor::Welcome welcome) const {
  if (auto good = check_name(name); !good) return good.take_error();
  const auto where = abstract_address(prefix, name);
  auto listener = platform::listen_on(where, kBacklog);
  if (!listener) {
    return Error{Remedy::give_up, "cannot listen at the rendezvous '" + name + "': " +
                                      (listener.error == EADDRINUSE ? "it is in use, by this or another process"
                                                                    : platform::error_text(listener.error))};
  }
  return std::unique_ptr<Acceptor>(std::make_unique<StreamAcceptor>(std::move(listener.fd), name, std::move(welcome)));
}

Result<Rendezvous::Met> Rendezvous::connect(const std::string& name, const ChannelOptions& options,
                                            Deadline deadline) const {
  const auto where = abstract_address(prefix, name);
  if (name.empty() || where.length == 0) return Error{Remedy::mend, "'" + name + "' is no rendezvous name"};
  auto socket = platform::connect_to(where, deadline);
  if (!socket) {
    return Error{socket.error == ETIMEDOUT ? Remedy::wait : Remedy::retry,
                 "nobody at the rendezvous '" + name + "': " + platform::error_text(socket.error)};
  }
  const auto credentials = platform::peer_credentials(socket.fd);
  if (!permitted(credentials, options)) {
    return Error{Remedy::permission_denied, "the rendezvous '" + name + "' belongs to " + describe(credentials) +
                                                ", with which this user shares no " + goods + " (-ORBAllow user:" +
                                                std::to_string(credentials.uid) + " permits it)"};
  }
  // A server that turns this process away closes; one that does not answer at all is waited for until then.
  const Deadline patience{std::min(deadline.ns, Deadline::in_ms(kPatience_ms).ns)};
  if (platform::poll(socket.fd, platform::kReadable, patience) == 0) {
    return Error{Remedy::wait, std::string("the ") + server + " server did not answer"};
  }
  return Met{std::move(socket.fd), local_peer(credentials)};
}

}  // namespace orbweaver::transport
