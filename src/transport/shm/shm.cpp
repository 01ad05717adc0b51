#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/local_peer.h"
#include "transport/shm/shm_channel.h"

/// The rendezvous: a listening socket in the abstract name space, which leaves no file. A client that
/// connects is sent a memory file made for it; the socket stays open as a sign of life.
namespace orbweaver::transport {
namespace {

using platform::Fd;
using shmem::Segment;
using shmem::ShmChannel;
using shmem::Welcome;

class ShmAcceptor final : public Acceptor {
 public:
  ShmAcceptor(Fd listener, std::string name, const ChannelOptions& options)
      : listener_(std::move(listener)), name_(std::move(name)), options_(options) {}
  ~ShmAcceptor() override { close(); }

  Result<std::unique_ptr<Channel>> accept() noexcept override {
    for (;;) {
      auto socket = platform::accept_from(listener_, Deadline::never());
      if (closed_.load()) return Error{Remedy::give_up, "the acceptor is closed"};
      if (!socket) {
        // Short of descriptors or memory: those who wait may be served when others have left.
        platform::sleep_ms(10);
        continue;
      }
      if (auto channel = welcome(std::move(socket.fd))) return channel;
    }
  }

  void close() noexcept override {
    if (!closed_.exchange(true)) platform::shutdown_both(listener_);
  }
  const std::string& address() const noexcept override { return name_; }

 private:
  /// Null if the peer may not connect, has gone again, or memory is short: its socket is then closed.
  std::unique_ptr<Channel> welcome(Fd socket) {
    const auto credentials = platform::peer_credentials(socket);
    if (!permitted(credentials)) return nullptr;
    auto segment = Segment::make(options_.ring_bytes);
    if (!segment) return nullptr;
    const Welcome message{shmem::kSegmentMagic, shmem::kSegmentVersion, segment->ring_bytes()};
    const int fd = segment->file().get();
    const auto sent = platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                                         {&fd, 1}, platform::Block::no);
    if (sent.error != 0 || sent.bytes != sizeof message) return nullptr;
    segment->close_file();
    Peer peer{describe(credentials), credentials.pid, credentials.uid};
    return std::make_unique<ShmChannel>(ShmChannel::Side::server, std::move(*segment), std::move(socket),
                                        std::move(peer), options_);
  }

  Fd listener_;
  std::string name_;
  ChannelOptions options_;
  std::atomic<bool> closed_{false};
};

class ShmTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "shm"; }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    const std::string name = address.empty() ? fresh_name() : address;
    const auto where = platform::unix_address("@" + name);
    if (where.length == 0) return Error{Remedy::mend, "the rendezvous name '" + name + "' is too long"};
    auto listener = platform::listen_on(where, 64);
    if (!listener) {
      return Error{Remedy::give_up, "cannot listen at the rendezvous '" + name + "': " + platform::error_text(listener.error)};
    }
    return std::unique_ptr<Acceptor>(new ShmAcceptor(std::move(listener.fd), name, options));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    const auto where = platform::unix_address("@" + address);
    if (address.empty() || where.length == 0) return Error{Remedy::mend, "'" + address + "' is no rendezvous name"};
    auto socket = platform::connect_to(where, deadline);
    if (!socket) {
      return Error{socket.error == ETIMEDOUT ? Remedy::wait : Remedy::retry,
                   "nobody at the rendezvous '" + address + "': " + platform::error_text(socket.error)};
    }
    const auto credentials = platform::peer_credentials(socket.fd);
    if (!permitted(credentials)) {
      return Error{Remedy::give_up, "the rendezvous '" + address + "' belongs to " + describe(credentials) +
                                        ", with which this user shares no memory"};
    }
    return receive_segment(std::move(socket.fd), credentials, options, deadline);
  }

 private:
  static std::string fresh_name() {
    static std::atomic<unsigned> counter{0};
    std::random_device random;
    return "orbweaver-" + std::to_string(platform::user_id()) + "-" + std::to_string(platform::process_id()) + "-" +
           std::to_string(++counter) + "-" + std::to_string(random());
  }

  static Result<std::unique_ptr<Channel>> receive_segment(Fd socket, const platform::PeerCredentials& credentials,
                                                          const ChannelOptions& options, Deadline deadline) {
    // A server that cannot spare the memory closes; one that does not answer at all is waited for until then.
    const Deadline patience{std::min(deadline.ns, Deadline::in_ms(5000).ns)};
    if (platform::poll(socket, platform::kReadable, patience) == 0) {
      return Error{Remedy::wait, "the shared-memory server did not answer"};
    }
    Welcome message{};
    std::array<Fd, 1> files;
    const auto got = platform::recv_fds(socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message}, files,
                                        platform::Block::no);
    if (got.error != 0 || got.bytes != sizeof message || !files[0]) {
      return Error{Remedy::reconnect, "the shared-memory server turned this process away: another user, or it is short of memory"};
    }
    auto segment = Segment::open(std::move(files[0]), message);
    if (!segment) return segment.take_error();
    segment->close_file();
    Peer peer{describe(credentials), credentials.pid, credentials.uid};
    return std::unique_ptr<Channel>(new ShmChannel(ShmChannel::Side::client, std::move(*segment), std::move(socket),
                                                   std::move(peer), options));
  }
};

}  // namespace

Transport& shm() {
  static ShmTransport transport;
  return transport;
}

}  // namespace orbweaver::transport
