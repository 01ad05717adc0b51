#include <array>
#include <string>

#include "base/log.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/rendezvous.h"
#include "transport/shm/shm_channel.h"

/// The shared-memory transport. The server creates a memory file for each client and passes its descriptor.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using shm::Segment;
using shm::ShmChannel;
using shm::Welcome;

constexpr Rendezvous kRendezvous{"shm/", "shared-memory", "memory"};

/// Logs, at a limited rate, that a client is rejected for want of a resource.
void log_no_resource(const platform::PeerCredentials& credentials, const std::string& cause) {
  const Peer peer = local_peer(credentials);
  log::write_limited(log::Level::warn, "connection rejected for want of a resource", log::origin(peer),
                     [&] { return "connection rejected: shm: " + peer.address + ": " + cause; });
}

/// Serves one client. Null if the peer may not connect, has disconnected, or memory is short; its socket is
/// then closed.
std::unique_ptr<Channel> serve_client(Fd socket, const platform::SocketAddress& client,
                                      const ChannelOptions& options) {
  const auto credentials = platform::peer_credentials(socket);
  if (!permitted(credentials, options)) {
    log_rejected("shared memory", credentials);
    const Welcome refusal{shm::kSegmentMagic, shm::kSegmentVersion, 0};
    platform::send(socket, {reinterpret_cast<const std::uint8_t*>(&refusal), sizeof refusal},
                   platform::Blocking::no);
    return nullptr;
  }
  auto segment = Segment::make(shm::requested_ring_bytes(kRendezvous.request_of(client), options.ring_bytes));
  if (!segment) {
    log_no_resource(credentials, segment.error().message);
    return nullptr;
  }
  if (!blocks::may_export_regions(credentials.uid))
    segment->features(shm::kServer).store(shm::kFeatures & ~shm::kBlocks);
  const Welcome message{shm::kSegmentMagic, segment->version(), segment->ring_bytes()};
  auto notifier = platform::make_socket_pair();
  if (notifier.error != 0) {
    log_no_resource(credentials, "no notifier: " + platform::error_text(notifier.error));
    return nullptr;
  }
  const std::array<int, 2> fds = {segment->file().get(), notifier.second.get()};
  const auto sent = platform::send_fds(
      socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, fds, platform::Blocking::no);
  if (sent.error != 0 || sent.bytes != sizeof message) return nullptr;
  segment->close_file();
  auto channel =
      std::make_unique<ShmChannel>(ShmChannel::Side::server, std::move(*segment), std::move(socket),
                                   std::move(notifier.first), local_peer(credentials), options);
  if (!channel->is_watched()) {
    log_no_resource(credentials, "no descriptor or thread left to watch the client with");
    return nullptr;
  }
  return channel;
}

class ShmTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "shm"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{.preference_rank = 10, .listens_by_default = true};
    return kTraits;
  }
  Result<void> check_address(const std::string& address) override { return kRendezvous.check_name(address); }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    return kRendezvous.listen(address.empty() ? fresh_local_name() : address,
                              [options](Fd socket, const platform::SocketAddress& client) {
                                return serve_client(std::move(socket), client, options);
                              });
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    auto connected = kRendezvous.connect(address, options, deadline, shm::ring_request(options.ring_bytes));
    if (!connected) return connected.take_error();
    Welcome message{};
    std::array<Fd, 2> files;
    const auto got =
        platform::recv_fds(connected->socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message},
                           files, platform::Blocking::no);
    if (got.error == 0 && got.bytes == sizeof message && message.ring_bytes == 0)
      return rejected_error("shared-memory");
    if (got.error != 0 || got.bytes != sizeof message || !files[0]) {
      return Error{ErrorKind::disconnected,
                   "the shared-memory server closed the connection during the handshake: it has ended, or is "
                   "short of memory"};
    }
    auto segment = Segment::open(std::move(files[0]), message);
    if (!segment) return segment.take_error();
    if (!files[1])
      return Error{ErrorKind::disconnected, "the shared-memory server sent no notifier descriptor"};
    segment->close_file();
    auto channel = std::make_unique<ShmChannel>(ShmChannel::Side::client, std::move(*segment),
                                                std::move(connected->socket), std::move(files[1]),
                                                std::move(connected->peer), options);
    if (!channel->is_watched())
      return Error{ErrorKind::unavailable, "no descriptor or thread left to watch the server with"};
    return std::unique_ptr<Channel>(std::move(channel));
  }
};

}  // namespace

Transport& shm_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new ShmTransport;
  return transport;
}

}  // namespace orbweaver::transport
