#include "platform/socket.h"
#include "transport/stream/connect_remedy.h"
#include "transport/stream/stream_acceptor.h"
#include "transport/stream/stream_channel.h"
#include "transport/tcp/address.h"
#include "transport/transport.h"

/// TCP over IPv4 and IPv6: finding addresses, connecting and accepting. Frames are the stream's business.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using platform::FdResult;
using platform::SocketAddress;

constexpr int kBacklog = 1024;

std::unique_ptr<Channel> channel_over(Fd socket, const ChannelOptions& options) {
  platform::tune_tcp(socket);
  Peer peer;
  peer.address = platform::peer_address(socket).text();
  return std::make_unique<StreamChannel>(std::move(socket), options, std::move(peer));
}

Result<std::vector<SocketAddress>> resolve(const std::string& address, bool to_listen) {
  const Result<HostPort> wanted = parse_host_port(address);
  if (!wanted) return Error(wanted.error());
  platform::Resolved found = platform::resolve_tcp(wanted->host, wanted->port, to_listen);
  if (found.addresses.empty()) {
    return Error{found.temporary ? Remedy::retry : Remedy::mend,
                 "host '" + wanted->host + "' of tcp address '" + address + "': " + found.problem};
  }
  return std::move(found.addresses);
}

class Tcp final : public Transport {
 public:
  const char* name() const noexcept override { return "tcp"; }
  Reach reach() const noexcept override { return Reach::anywhere; }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) noexcept override {
    Result<std::vector<SocketAddress>> found = resolve(address.empty() ? "127.0.0.1:0" : address, true);
    if (!found) return found.take_error();
    int error = 0;
    for (const SocketAddress& candidate : *found) {
      FdResult socket = platform::listen_on(candidate, kBacklog);
      if (socket) {
        const std::string bound = platform::local_address(socket.fd).text();
        return std::unique_ptr<Acceptor>(std::make_unique<StreamAcceptor>(
            std::move(socket.fd), bound, [options](Fd fd) { return channel_over(std::move(fd), options); }));
      }
      if (error == 0) error = socket.error;
    }
    return Error{error == EADDRNOTAVAIL ? Remedy::mend : Remedy::give_up,
                 "cannot listen on tcp address '" + address + "': " + platform::error_text(error)};
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    Result<std::vector<SocketAddress>> found = resolve(address, false);
    if (!found) return found.take_error();
    int error = 0;
    for (const SocketAddress& candidate : *found) {
      FdResult socket = platform::connect_to(candidate, deadline);
      // With nobody listening, the port that the kernel chooses for us may be the very one that we call:
      // TCP then connects a socket to itself.
      if (socket && platform::local_address(socket.fd).text() == platform::peer_address(socket.fd).text()) {
        socket = {Fd(), ECONNREFUSED};
      }
      if (socket) return channel_over(std::move(socket.fd), options);
      if (error == 0) error = socket.error;
    }
    return Error{connect_remedy(error), "cannot connect to tcp address '" + address +
                                        "': " + platform::error_text(error) +
                                        (error == ECONNREFUSED ? " (nobody listens there)" : "")};
  }

};

}  // namespace

Transport& tcp() {
  static Tcp transport;
  return transport;
}

}  // namespace orbweaver::transport
