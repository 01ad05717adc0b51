#include <cerrno>
#include <new>

#include "platform/socket_file.h"
#include "transport/rendezvous.h"
#include "transport/stream/connect_error_kind.h"
#include "transport/stream/stream_acceptor.h"
#include "transport/stream/stream_channel.h"

/// The Unix-socket transport: names, files and admission. Frames are handled by StreamChannel.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using platform::SocketAddress;

/// omniORB's component for the path of a Unix socket: its servers can be called, and its clients call this
/// one.
constexpr std::uint32_t kOmniOrbTag = 0x41545402;

bool is_abstract(const std::string& address) noexcept { return address.front() == '@'; }

std::unique_ptr<Channel> channel_over(Fd socket, const ChannelOptions& options) {
  Peer peer = local_peer(platform::peer_credentials(socket));
  return std::make_unique<StreamChannel>(std::move(socket), options, std::move(peer));
}

class Unix final : public Transport {
 public:
  const char* name() const noexcept override { return "unix"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{
        .path_component_tag = kOmniOrbTag, .preference_rank = 20, .listens_by_default = true};
    return kTraits;
  }
  Result<void> check_address(const std::string& address) override {
    if (auto parsed = parse(address); !parsed) return parsed.take_error();
    // References contain the path and are used in other directories.
    if (is_abstract(address) || address.front() == '/') return {};
    return Error{ErrorKind::invalid, "a unix socket's path begins with '/', and an abstract name with '@'"};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    const std::string where = address.empty() ? "@unix-" + fresh_local_name() : address;
    Result<SocketAddress> socket_address = parse(where);
    if (!socket_address) return socket_address.take_error();
    const auto accept_socket = [options](Fd fd, const SocketAddress&) -> std::unique_ptr<Channel> {
      // With access rules, the ORB admits peers and answers rejected ones.
      if (!options.admits && !permitted(platform::peer_credentials(fd), options)) return nullptr;
      return channel_over(std::move(fd), options);
    };
    FdResult socket = is_abstract(where) ? platform::listen_on(*socket_address, kListenBacklog)
                                         : platform::listen_at_path(where, *socket_address, kListenBacklog);
    if (!socket) {
      return Error{ErrorKind::unavailable,
                   "cannot listen on the unix socket '" + where + "': " +
                       (socket.error == EADDRINUSE ? "it is in use, by this or another process, or a "
                                                     "file that is not a socket has that name"
                                                   : platform::error_text(socket.error))};
    }
    if (is_abstract(where))
      return std::unique_ptr<Acceptor>(
          std::make_unique<StreamAcceptor>(std::move(socket.fd), where, accept_socket));
    const platform::FileIdentity file = platform::file_identity(where);
    try {
      return std::unique_ptr<Acceptor>(std::make_unique<StreamAcceptor>(
          std::move(socket.fd), where, accept_socket, [where, file] { platform::remove_file(where, file); }));
    } catch (const std::bad_alloc&) {
      platform::remove_file(where, file);
      throw;
    }
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    if (address.empty())
      return Error{ErrorKind::invalid, "a unix socket's address is a path, or @ and a name"};
    const Result<SocketAddress> where = parse(address);
    if (!where) return Error(where.error());
    FdResult socket = platform::connect_to(*where, deadline);
    if (!socket) {
      return Error{connect_error_kind(socket.error), "cannot connect to the unix socket '" + address +
                                                         "': " + platform::error_text(socket.error)};
    }
    const platform::PeerCredentials credentials = platform::peer_credentials(socket.fd);
    if (permitted(credentials, options)) return channel_over(std::move(socket.fd), options);
    return Error{ErrorKind::permission_denied,
                 "the unix socket '" + address + "' belongs to " + describe(credentials) +
                     ", which the access rules of this user do not admit (-ORBAllow user:" +
                     std::to_string(credentials.uid) + " permits it)"};
  }

 private:
  static Result<SocketAddress> parse(const std::string& address) {
    if (address == "@") return Error{ErrorKind::invalid, "the unix socket '@' has no name"};
    for (const char* prefix : {"@shm/", "@mqueue/"}) {
      if (address.rfind(prefix, 0) == 0) {
        return Error{ErrorKind::invalid, "the unix socket's name '" + address + "' begins with " + prefix +
                                             ", as those of another transport do: take another"};
      }
    }
    SocketAddress where = platform::unix_address(address);
    if (where.length == 0) {
      return Error{ErrorKind::invalid, "the unix socket's address '" + address +
                                           "' is longer than the 107 bytes that one may have"};
    }
    return where;
  }
};

}  // namespace

Transport& unix_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new Unix;
  return transport;
}

}  // namespace orbweaver::transport
