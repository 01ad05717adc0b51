#include "platform/socket.h"
#include "transport/network_peer.h"
#include "transport/stream/stream_acceptor.h"
#include "transport/stream/stream_channel.h"
#include "transport/tcp/address.h"
#include "transport/tcp/sockets.h"
#include "transport/transport.h"

/// The TCP transport over IPv4 and IPv6. Frames are handled by StreamChannel.
namespace orbweaver::transport {
namespace {

using platform::Fd;

class Tcp final : public Transport {
 public:
  const char* name() const noexcept override { return "tcp"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{
        .reach = Reach::anywhere, .form = EndpointForm::iiop, .preference_rank = 40, .alias = "iiop"};
    return kTraits;
  }
  Result<void> check_address(const std::string& address) override { return check_host_port(address, name()); }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    Result<Fd> socket = listen_tcp(name(), address);
    if (!socket) return socket.take_error();
    const std::string bound = platform::local_address(*socket).text();
    return std::unique_ptr<Acceptor>(std::make_unique<StreamAcceptor>(
        std::move(*socket), bound, [options](Fd fd, const platform::SocketAddress& from) {
          platform::set_tcp_options(fd);
          Peer peer = network_peer(fd, from, platform::IpProtocol::tcp);
          // Closed again before the accept: nobody waits for an answer, and the owner of its socket cannot be
          // told any more, so that access rules would reject it.
          if (peer.pid == 0 && peer.uid < 0 && platform::is_at_end(fd))
            return std::unique_ptr<StreamChannel>();
          return std::make_unique<StreamChannel>(std::move(fd), options, std::move(peer));
        }));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    Result<Fd> socket = connect_tcp(name(), address, deadline);
    if (!socket) return socket.take_error();
    Peer server;
    server.address = platform::peer_address(*socket).text();
    return std::unique_ptr<Channel>(
        std::make_unique<StreamChannel>(std::move(*socket), options, std::move(server)));
  }
};

}  // namespace

Transport& tcp_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new Tcp;
  return transport;
}

}  // namespace orbweaver::transport
