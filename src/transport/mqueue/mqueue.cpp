#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <random>

#include "platform/process_identity.h"
#include "platform/socket.h"
#include "transport/mqueue/mqueue_channel.h"

/// The rendezvous: a listening socket in the abstract name space, which leaves no file. A client that connects
/// is sent two queues made for it; the socket stays open as a sign of life.
namespace orbweaver::transport {
namespace {

using mqueues::MqueueChannel;
using mqueues::Queues;
using platform::Fd;
using platform::QueueShape;

constexpr std::uint32_t kMagic = 0x514d574f;  // "OWMQ"
constexpr std::uint32_t kVersion = 1;
constexpr const char* kMessageBytes = "message-bytes";
// A user's queues may hold 800 KiB in all where nothing else is set: 19 connections of this size.
constexpr std::size_t kUsualMessageBytes = 2048;
constexpr std::size_t kMessages = 10;

/// What the server sends with the two queues, the one to the server first; without any where it has none.
struct Welcome {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t error;  // 0, or the errno value of making them
};

std::string describe(const platform::PeerCredentials& peer) {
  return "process " + std::to_string(peer.pid) + " of user " + std::to_string(peer.uid);
}

/// The same user may exchange messages with this end, and root.
bool permitted(const platform::PeerCredentials& peer) {
  return peer.uid >= 0 && (peer.uid == platform::user_id() || peer.uid == 0);
}

/// 0: not within what is allowed.
std::size_t message_bytes(const std::string& text) {
  std::size_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  const bool good = error == std::errc() && rest == end && bytes >= mqueues::kLeastMessageBytes &&
                    bytes <= std::min(mqueues::kMostMessageBytes, platform::largest_queue_shape().message_bytes);
  return good ? bytes : 0;
}

platform::SocketAddress rendezvous(const std::string& name) { return platform::unix_address("@mqueue/" + name); }

class MqueueAcceptor final : public Acceptor {
 public:
  MqueueAcceptor(Fd listener, std::string name, QueueShape shape, const ChannelOptions& options)
      : listener_(std::move(listener)), name_(std::move(name)), shape_(shape), options_(options) {}
  ~MqueueAcceptor() override { close(); }

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
  /// Null if the peer may not connect, has gone again, or queues are short: its socket is then closed.
  std::unique_ptr<Channel> welcome(Fd socket) {
    const auto credentials = platform::peer_credentials(socket);
    if (!permitted(credentials)) return nullptr;
    auto to_server = platform::make_message_queue(shape_);
    auto to_client = to_server ? platform::make_message_queue(shape_) : platform::FdResult{Fd(), to_server.error};
    const Welcome message{kMagic, kVersion, static_cast<std::uint32_t>(to_client ? 0 : to_client.error)};
    const std::array fds{to_server.fd.get(), to_client.fd.get()};
    const auto sent = platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                                         std::span(fds).first(to_client ? fds.size() : 0), platform::Block::no);
    if (!to_client || sent.error != 0 || sent.bytes != sizeof message) return nullptr;
    Queues queues{std::move(to_client.fd), std::move(to_server.fd), shape_.message_bytes, shape_.message_bytes};
    return std::make_unique<MqueueChannel>(std::move(queues), std::move(socket),
                                           Peer{describe(credentials), credentials.pid, credentials.uid}, options_);
  }

  Fd listener_;
  std::string name_;
  QueueShape shape_;
  ChannelOptions options_;
  std::atomic<bool> closed_{false};
};

class MqueueTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "mqueue"; }

  Result<void> check(const Parameters& parameters) noexcept override {
    for (const auto& [key, value] : parameters) {
      if (key != kMessageBytes) return Error{Remedy::mend, "the transport mqueue has no option '" + key + "'"};
      if (message_bytes(value) == 0) {
        return Error{Remedy::mend, "mqueue.message-bytes is '" + value + "': from " +
                                       std::to_string(mqueues::kLeastMessageBytes) + " to fs.mqueue.msgsize_max, here " +
                                       std::to_string(platform::largest_queue_shape().message_bytes)};
      }
    }
    return {};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    const std::string name = address.empty() ? fresh_name() : address;
    const auto where = rendezvous(name);
    if (where.length == 0) return Error{Remedy::mend, "the rendezvous name '" + name + "' is too long"};
    const QueueShape largest = platform::largest_queue_shape();
    const std::size_t wanted = message_bytes(options.parameter(kMessageBytes));
    const QueueShape shape{std::min(kMessages, largest.messages),
                           std::min(wanted != 0 ? wanted : kUsualMessageBytes, largest.message_bytes)};
    auto listener = platform::listen_on(where, 64);
    if (!listener) {
      return Error{Remedy::give_up, "cannot listen at the rendezvous '" + name + "': " + platform::error_text(listener.error)};
    }
    return std::unique_ptr<Acceptor>(new MqueueAcceptor(std::move(listener.fd), name, shape, options));
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    const auto where = rendezvous(address);
    if (address.empty() || where.length == 0) return Error{Remedy::mend, "'" + address + "' is no rendezvous name"};
    auto socket = platform::connect_to(where, deadline);
    if (!socket) {
      return Error{socket.error == ETIMEDOUT ? Remedy::wait : Remedy::retry,
                   "nobody at the rendezvous '" + address + "': " + platform::error_text(socket.error)};
    }
    const auto credentials = platform::peer_credentials(socket.fd);
    if (!permitted(credentials)) {
      return Error{Remedy::give_up, "the rendezvous '" + address + "' belongs to " + describe(credentials) +
                                        ", with which this user shares no queues"};
    }
    // A server that turns this process away closes; one that does not answer at all is waited for until then.
    const Deadline patience{std::min(deadline.ns, Deadline::in_ms(5000).ns)};
    if (platform::poll(socket.fd, platform::kReadable, patience) == 0) {
      return Error{Remedy::wait, "the message-queue server did not answer"};
    }
    auto queues = receive_queues(socket.fd);
    if (!queues) return queues.take_error();
    return std::unique_ptr<Channel>(new MqueueChannel(std::move(*queues), std::move(socket.fd),
                                                      Peer{describe(credentials), credentials.pid, credentials.uid},
                                                      options));
  }

 private:
  static std::string fresh_name() {
    static std::atomic<unsigned> counter{0};
    std::random_device random;
    return "orbweaver-" + std::to_string(platform::user_id()) + "-" + std::to_string(platform::process_id()) + "-" +
           std::to_string(++counter) + "-" + std::to_string(random());
  }

  static Result<Queues> receive_queues(const Fd& socket) {
    Welcome message{};
    std::array<Fd, 2> fds;
    const auto got = platform::recv_fds(socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message}, fds,
                                        platform::Block::no);
    if (got.error != 0 || got.bytes != sizeof message) {
      return Error{Remedy::reconnect, "the message-queue server turned this process away: another user"};
    }
    if (message.magic != kMagic || message.version != kVersion) {
      return Error{Remedy::give_up, "the message-queue server speaks another version"};
    }
    if (message.error != 0) {
      return Error{Remedy::give_up, "the message-queue server has no two queues left (" +
                                        platform::error_text(static_cast<int>(message.error)) +
                                        "): its user's limit is RLIMIT_MSGQUEUE (ulimit -q), the host's "
                                        "fs.mqueue.queues_max"};
    }
    const auto out = platform::shape_of(fds[0]), in = platform::shape_of(fds[1]);
    for (const auto& each : {out, in}) {
      if (!each || each.shape.message_bytes < mqueues::kLeastMessageBytes ||
          each.shape.message_bytes > mqueues::kMostMessageBytes) {
        return Error{Remedy::give_up, "what the message-queue server handed over are no two queues of messages of " +
                                          std::to_string(mqueues::kLeastMessageBytes) + " to " +
                                          std::to_string(mqueues::kMostMessageBytes) + " bytes"};
      }
    }
    return Queues{std::move(fds[0]), std::move(fds[1]), out.shape.message_bytes, in.shape.message_bytes};
  }
};

}  // namespace

Transport& mqueue() {
  static MqueueTransport transport;
  return transport;
}

}  // namespace orbweaver::transport
