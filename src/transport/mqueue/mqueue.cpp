#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "transport/mqueue/mqueue_channel.h"
#include "transport/rendezvous.h"

/// The message-queue transport. The server creates two queues for each client and passes their descriptors.
namespace orbweaver::transport {
namespace {

using mqueue::MqueueChannel;
using mqueue::Queues;
using platform::Fd;
using platform::QueueAttributes;

constexpr std::uint32_t kMagic = 0x514d574f;  // "OWMQ"
constexpr std::uint32_t kVersion = 2;
constexpr const char* kMessageBytes = "message-bytes";
// Without other settings a user's queues may hold 800 KiB in all: 19 connections of this size.
constexpr std::size_t kDefaultQueueMessageBytes = 2048;
constexpr std::size_t kMessages = 10;

/// The server's answer to a client. With error 0 it carries the write descriptor of the queue to the server
/// and the read descriptor of the other.
struct Welcome {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t error;  // 0; EAGAIN: none left, some will be free soon; otherwise the errno of mq_open
};

/// Parses a message size; 0 if it is not in the permitted range.
std::size_t message_bytes(const std::string& text) {
  std::size_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  const bool good =
      error == std::errc() && rest == end && bytes >= mqueue::kMinQueueMessageBytes &&
      bytes <= std::min(mqueue::kMaxQueueMessageBytes, platform::max_queue_attributes().message_bytes);
  return good ? bytes : 0;
}

/// Time for which a client connects again while the server answers EAGAIN.
constexpr std::int64_t kRetry_ms = 5'000;

constexpr Rendezvous kRendezvous{"mqueue/", "message-queue", "queues"};

struct QueuePair {
  platform::MessageQueue to_server, to_client;
  int error;  // 0; EAGAIN: none left, some will be free soon; otherwise the errno of mq_open
};

QueuePair make_queue_pair(QueueAttributes shape) noexcept {
  for (bool again = true;; again = false) {
    auto to_server = platform::make_message_queue(shape);
    if (to_server) {
      auto to_client = platform::make_message_queue(shape);
      if (to_client) return {std::move(to_server), std::move(to_client), 0};
      to_server = {Fd(), Fd(), to_client.error};
    }
    const int error = to_server.error;
    if (error != EMFILE && error != ENOSPC) return {{}, {}, error};
    if (mqueue::queues_will_be_free()) return {{}, {}, EAGAIN};
    // Every ended channel has closed its queues by now, perhaps since the attempt: the second one decides.
    if (!again) return {{}, {}, error};
  }
}

/// Serves one client. Null if the peer may not connect, has disconnected, or no queues are left; its socket
/// is then closed.
std::unique_ptr<Channel> serve_client(Fd socket, QueueAttributes shape, const ChannelOptions& options) {
  const auto credentials = platform::peer_credentials(socket);
  if (!permitted(credentials, options)) {
    log_rejected("message queues", credentials);
    const Welcome refusal{kMagic, kVersion, EACCES};
    platform::send(socket, {reinterpret_cast<const std::uint8_t*>(&refusal), sizeof refusal},
                   platform::Blocking::no);
    return nullptr;
  }
  QueuePair made = make_queue_pair(shape);
  const Welcome message{kMagic, kVersion, static_cast<std::uint32_t>(made.error)};
  const std::array fds{made.to_server.writer.get(), made.to_client.reader.get()};
  const auto sent =
      platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                         std::span(fds).first(made.error == 0 ? fds.size() : 0), platform::Blocking::no);
  if (made.error != 0 || sent.error != 0 || sent.bytes != sizeof message) return nullptr;
  Queues queues{std::move(made.to_client.writer), std::move(made.to_server.reader), shape.message_bytes,
                shape.message_bytes};
  auto channel =
      std::make_unique<MqueueChannel>(std::move(queues), std::move(socket), local_peer(credentials), options);
  if (!channel->is_watched()) return nullptr;
  return channel;
}

class MqueueTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "mqueue"; }
  Result<void> check_address(const std::string& address) override { return kRendezvous.check_name(address); }

  Result<void> check(const Parameters& parameters) override {
    for (const auto& [key, value] : parameters) {
      if (key != kMessageBytes)
        return Error{ErrorKind::invalid, "mqueue has no option '" + key + "'; there is " + kMessageBytes};
      if (message_bytes(value) == 0) {
        return Error{ErrorKind::invalid, "mqueue.message-bytes is '" + value + "': from " +
                                             std::to_string(mqueue::kMinQueueMessageBytes) +
                                             " to fs.mqueue.msgsize_max, here " +
                                             std::to_string(platform::max_queue_attributes().message_bytes)};
      }
    }
    return {};
  }

  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    const QueueAttributes largest = platform::max_queue_attributes();
    const std::size_t requested = message_bytes(options.parameter(kMessageBytes));
    const QueueAttributes shape{
        std::min(kMessages, largest.messages),
        std::min(requested != 0 ? requested : kDefaultQueueMessageBytes, largest.message_bytes)};
    return kRendezvous.listen(address.empty() ? fresh_local_name() : address,
                              [shape, options](Fd socket, const platform::SocketAddress&) {
                                return serve_client(std::move(socket), shape, options);
                              });
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    const Deadline last_retry{std::min(deadline.ns, Deadline::in_ms(kRetry_ms).ns)};
    auto connected = kRendezvous.connect(address, options, deadline);
    if (!connected) return connected.take_error();
    auto queues = receive_queues(connected->socket);
    while (!queues && queues.error().kind == ErrorKind::transient && !last_retry.passed()) {
      platform::sleep_ms(1);
      connected = kRendezvous.connect(address, options, deadline);
      if (!connected) return connected.take_error();
      queues = receive_queues(connected->socket);
    }
    if (!queues) return queues.take_error();
    auto channel = std::make_unique<MqueueChannel>(std::move(*queues), std::move(connected->socket),
                                                   std::move(connected->peer), options);
    if (!channel->is_watched())
      return Error{ErrorKind::unavailable, "no descriptor or thread left to watch the server with"};
    return std::unique_ptr<Channel>(std::move(channel));
  }

 private:
  static Result<Queues> receive_queues(const Fd& socket) {
    Welcome message{};
    std::array<Fd, 2> fds;
    const auto got = platform::recv_fds(socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message},
                                        fds, platform::Blocking::no);
    if (got.error != 0 || got.bytes != sizeof message) {
      return Error{ErrorKind::disconnected, "the message-queue server rejected this process"};
    }
    if (message.magic == __builtin_bswap32(kMagic))
      return Error{ErrorKind::unavailable, "the message-queue server has another byte order"};
    if (message.magic != kMagic || message.version != kVersion) {
      return Error{ErrorKind::unavailable, "the message-queue server uses another protocol version"};
    }
    if (message.error == EACCES) return rejected_error("message-queue");
    if (message.error != 0) {
      return Error{message.error == EAGAIN ? ErrorKind::transient : ErrorKind::unavailable,
                   "the message-queue server has no two queues left (" +
                       platform::error_text(static_cast<int>(message.error)) +
                       "): its user's limit is RLIMIT_MSGQUEUE (ulimit -q), the host's fs.mqueue.queues_max"};
    }
    const auto out = platform::queue_attributes(fds[0]), in = platform::queue_attributes(fds[1]);
    for (const auto& each : {out, in}) {
      if (!each || each.shape.message_bytes < mqueue::kMinQueueMessageBytes ||
          each.shape.message_bytes > mqueue::kMaxQueueMessageBytes || out.waits || !in.waits) {
        return Error{ErrorKind::unavailable,
                     "the message-queue server did not send two queues with messages of " +
                         std::to_string(mqueue::kMinQueueMessageBytes) + " to " +
                         std::to_string(mqueue::kMaxQueueMessageBytes) + " bytes"};
      }
    }
    return Queues{std::move(fds[0]), std::move(fds[1]), out.shape.message_bytes, in.shape.message_bytes};
  }
};

}  // namespace

Transport& mqueue_transport() {
  // never destroyed: a listener may still accept during static destruction
  static auto& transport = *new MqueueTransport;
  return transport;
}

}  // namespace orbweaver::transport
