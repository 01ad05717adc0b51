#include <cerrno>

#include "platform/socket_file.h"
#include "transport/rendezvous.h"
#include "transport/stream/connect_remedy.h"
#include "transport/stream/stream_channel.h"

/// Unix stream sockets: names, files, and who may connect. Frames are the stream's business.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using platform::SocketAddress;

constexpr int kBacklog = 1024;

bool is_abstract(const std::string& address) noexcept { return address.front() == '@'; }

std::unique_ptr<Channel> channel_over(Fd socket, const ChannelOptions& options) {
  Peer peer = local_peer(platform::peer_credentials(socket));
  return std::make_unique<StreamChannel>(std::move(socket), options, std::move(peer));
}

class Unix final : public Transport {
 public:
  const char* name() const noexcept override { return "unix"; }
  Result<void> check_address(const std::string& address) noexcept override {
    if (auto parsed = parse(address); !parsed) return parsed.take_error();
    // References hold it, and are used in other folders.
    if (is_abstract(address) || address.front() == '/') return {};
    return Error{Remedy::mend, "a unix socket's path begins with '/', and an abstract name with '@'"};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    const std::string where = address.empty() ? "@unix-" + fresh_local_name() : address;
    Result<SocketAddress> socket_address = parse(where);
    if (!socket_address) return socket_address.take_error();
    FdResult socket = is_abstract(where) ? platform::listen_on(*socket_address, kBacklog)
                                         : platform::listen_at_file(where, *socket_address, kBacklog);
    if (!socket) {
      return Error{Remedy::give_up, "cannot listen on the unix socket '" + where + "': " +
                                        (socket.error == EADDRINUSE ? "it is in use, by this or another process, or a "
                                                                      "file that is no socket has that name"
                                                                    : platform::error_text(socket.error))};
    }
    const auto welcome = [options](Fd fd) -> std::unique_ptr<Channel> {
      // Where there are access rules, the ORB above answers those whom it turns away.
      if (!options.admits && !permitted(platform::peer_credentials(fd), options)) return nullptr;
      return channel_over(std::move(fd), options);
    };
    std::function<void()> closed;
    if (!is_abstract(where)) {
      closed = [where, file = platform::file_identity(where)] { platform::remove_file(where, file); };
    }
    return std::unique_ptr<Acceptor>(std::make_unique<StreamAcceptor>(
        std::move(socket.fd), where, welcome, closed));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    if (address.empty()) return Error{Remedy::mend, "a unix socket's address is a path, or @ and a name"};
    const Result<SocketAddress> where = parse(address);
    if (!where) return Error(where.error());
    FdResult socket = platform::connect_to(*where, deadline);
    if (!socket) {
      return Error{connect_remedy(socket.error), "cannot connect to the unix socket '" + address +
                                                 "': " + platform::error_text(socket.error)};
    }
    const platform::PeerCredentials credentials = platform::peer_credentials(socket.fd);
    if (permitted(credentials, options)) return channel_over(std::move(socket.fd), options);
    return Error{Remedy::permission_denied, "the unix socket '" + address + "' belongs to " + describe(credentials) +
                                                ", whom this user does not trust (-ORBAllow user:" +
                                                std::to_string(credentials.uid) + " permits it)"};
  }

 private:
  static Result<SocketAddress> parse(const std::string& address) {
    if (address == "@") return Error{Remedy::mend, "the unix socket '@' has no name"};
    for (const char* prefix : {"@shm/", "@mqueue/"}) {
      if (address.rfind(prefix, 0) == 0) {
        return Error{Remedy::mend, "the unix socket's name '" + address + "' begins with " + prefix +
                                       ", as those of another transport do: take another"};
      }
    }
    SocketAddress where = platform::unix_address(address);
    if (where.length == 0) {
      return Error{Remedy::mend, "the unix socket's address '" + address + "' is longer than the 107 bytes that one may have"};
    }
    return where;
  }

};

}  // namespace

Transport& unix_sockets() {
  static auto& transport = *new Unix;  // never destroyed: a listener may still accept while the program ends
  return transport;
}

}  // namespace orbweaver::transport
