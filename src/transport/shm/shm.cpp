#include <array>

#include "transport/blocks/link_descriptors.h"
#include "transport/rendezvous.h"
#include "transport/shm/shm_channel.h"

/// A client that connects is sent a memory file made for it.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using shmem::Segment;
using shmem::ShmChannel;
using shmem::Welcome;

constexpr Rendezvous kRendezvous{"shm/", "shared-memory", "memory"};

/// Null if the peer may not connect, has gone again, or memory is short: its socket is then closed.
std::unique_ptr<Channel> welcome(Fd socket, const ChannelOptions& options) {
  const auto credentials = platform::peer_credentials(socket);
  if (!permitted(credentials, options)) {
    tell_turned_away("shared memory", credentials);
    const Welcome refusal{shmem::kSegmentMagic, shmem::kSegmentVersion, 0};
    platform::send(socket, {reinterpret_cast<const std::uint8_t*>(&refusal), sizeof refusal}, platform::Block::no);
    return nullptr;
  }
  auto segment = Segment::make(options.ring_bytes);
  if (!segment) return nullptr;
  if (!blocks::may_link(credentials.uid)) segment->features(shmem::kServer).store(shmem::kFeatures & ~shmem::kBlocks);
  const Welcome message{shmem::kSegmentMagic, segment->version(), segment->ring_bytes()};
  auto bell = platform::make_socket_pair();
  if (bell.error != 0) return nullptr;
  const std::array<int, 2> fds = {segment->file().get(), bell.there.get()};
  const auto sent = platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message}, fds,
                                       platform::Block::no);
  if (sent.error != 0 || sent.bytes != sizeof message) return nullptr;
  segment->close_file();
  auto channel = std::make_unique<ShmChannel>(ShmChannel::Side::server, std::move(*segment), std::move(socket),
                                              std::move(bell.here), local_peer(credentials), options);
  if (!channel->is_watched()) return nullptr;
  return channel;
}

class ShmTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "shm"; }
  Result<void> check_address(const std::string& address) noexcept override { return kRendezvous.check_name(address); }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    return kRendezvous.listen(address.empty() ? fresh_local_name() : address,
                              [options](Fd socket) { return welcome(std::move(socket), options); });
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    auto met = kRendezvous.connect(address, options, deadline);
    if (!met) return met.take_error();
    Welcome message{};
    std::array<Fd, 2> files;
    const auto got = platform::recv_fds(met->socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message}, files,
                                        platform::Block::no);
    if (got.error == 0 && got.bytes == sizeof message && message.ring_bytes == 0) return turned_away("shared-memory");
    if (got.error != 0 || got.bytes != sizeof message || !files[0]) {
      return Error{Remedy::reconnect,
                   "the shared-memory server closed the connection before it began: it has ended, or is short of memory"};
    }
    auto segment = Segment::open(std::move(files[0]), message);
    if (!segment) return segment.take_error();
    if (!files[1]) return Error{Remedy::reconnect, "the shared-memory server sent no bell"};
    segment->close_file();
    auto channel = std::make_unique<ShmChannel>(ShmChannel::Side::client, std::move(*segment), std::move(met->socket),
                                                std::move(files[1]), std::move(met->peer), options);
    if (!channel->is_watched()) return Error{Remedy::give_up, "no descriptor or thread left to watch the server with"};
    return std::unique_ptr<Channel>(std::move(channel));
  }
};

}  // namespace

Transport& shm() {
  static auto& transport = *new ShmTransport;  // never destroyed: a listener may still accept while the program ends
  return transport;
}

}  // namespace orbweaver::transport
