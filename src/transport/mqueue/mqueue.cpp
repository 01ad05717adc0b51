#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "transport/mqueue/mqueue_channel.h"
#include "transport/rendezvous.h"

/// A client that connects is sent two queues made for it.
namespace orbweaver::transport {
namespace {

using mqueues::MqueueChannel;
using mqueues::Queues;
using platform::Fd;
using platform::QueueShape;

constexpr std::uint32_t kMagic = 0x514d574f;  // "OWMQ"
constexpr std::uint32_t kVersion = 2;
constexpr const char* kMessageBytes = "message-bytes";
// A user's queues may hold 800 KiB in all where nothing else is set: 19 connections of this size.
constexpr std::size_t kUsualMessageBytes = 2048;
constexpr std::size_t kMessages = 10;

/// What the server sends with the writer of the queue to the server and the reader of the other; without any where
/// it has none.
struct Welcome {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t error;  // 0; EAGAIN: none left, some are about to be free; or the errno of making them
};

/// 0: not within what is allowed.
std::size_t message_bytes(const std::string& text) {
  std::size_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  const bool good = error == std::errc() && rest == end && bytes >= mqueues::kLeastMessageBytes &&
                    bytes <= std::min(mqueues::kMostMessageBytes, platform::largest_queue_shape().message_bytes);
  return good ? bytes : 0;
}

/// How long a client whose server answers EAGAIN connects again.
constexpr std::int64_t kRetry_ms = 5'000;

constexpr Rendezvous kRendezvous{"mqueue/", "message-queue", "queues"};

/// Null if the peer may not connect, has gone again, or queues are short: its socket is then closed.
std::unique_ptr<Channel> welcome(Fd socket, QueueShape shape, const ChannelOptions& options) {
  const auto credentials = platform::peer_credentials(socket);
  if (!permitted(credentials, options)) {
    tell_turned_away("message queues", credentials);
    const Welcome refusal{kMagic, kVersion, EACCES};
    platform::send(socket, {reinterpret_cast<const std::uint8_t*>(&refusal), sizeof refusal}, platform::Block::no);
    return nullptr;
  }
  auto to_server = platform::make_message_queue(shape);
  auto to_client = to_server ? platform::make_message_queue(shape)
                             : platform::MessageQueue{Fd(), Fd(), to_server.error};
  int error = to_client ? 0 : to_client.error;
  if ((error == EMFILE || error == ENOSPC) && mqueues::queues_will_be_free()) error = EAGAIN;
  const Welcome message{kMagic, kVersion, static_cast<std::uint32_t>(error)};
  const std::array fds{to_server.writer.get(), to_client.reader.get()};
  const auto sent = platform::send_fds(socket, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                                       std::span(fds).first(to_client ? fds.size() : 0), platform::Block::no);
  if (!to_client || sent.error != 0 || sent.bytes != sizeof message) return nullptr;
  Queues queues{std::move(to_client.writer), std::move(to_server.reader), shape.message_bytes, shape.message_bytes};
  auto channel = std::make_unique<MqueueChannel>(std::move(queues), std::move(socket), local_peer(credentials), options);
  if (!channel->is_watched()) return nullptr;
  return channel;
}

class MqueueTransport final : public Transport {
 public:
  const char* name() const noexcept override { return "mqueue"; }
  Result<void> check_address(const std::string& address) noexcept override { return kRendezvous.check_name(address); }

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
    const QueueShape largest = platform::largest_queue_shape();
    const std::size_t wanted = message_bytes(options.parameter(kMessageBytes));
    const QueueShape shape{std::min(kMessages, largest.messages),
                           std::min(wanted != 0 ? wanted : kUsualMessageBytes, largest.message_bytes)};
    return kRendezvous.listen(address.empty() ? fresh_local_name() : address, [shape, options](Fd socket) {
      return welcome(std::move(socket), shape, options);
    });
  }

  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    const Deadline last_retry{std::min(deadline.ns, Deadline::in_ms(kRetry_ms).ns)};
    auto met = kRendezvous.connect(address, options, deadline);
    if (!met) return met.take_error();
    auto queues = receive_queues(met->socket);
    while (!queues && queues.error().remedy == Remedy::retry && !last_retry.passed()) {
      platform::sleep_ms(1);
      met = kRendezvous.connect(address, options, deadline);
      if (!met) return met.take_error();
      queues = receive_queues(met->socket);
    }
    if (!queues) return queues.take_error();
    auto channel = std::make_unique<MqueueChannel>(std::move(*queues), std::move(met->socket),
                                                   std::move(met->peer), options);
    if (!channel->is_watched()) return Error{Remedy::give_up, "no descriptor or thread left to watch the server with"};
    return std::unique_ptr<Channel>(std::move(channel));
  }

 private:
  static Result<Queues> receive_queues(const Fd& socket) {
    Welcome message{};
    std::array<Fd, 2> fds;
    const auto got = platform::recv_fds(socket, {reinterpret_cast<std::uint8_t*>(&message), sizeof message}, fds,
                                        platform::Block::no);
    if (got.error != 0 || got.bytes != sizeof message) {
      return Error{Remedy::reconnect, "the message-queue server turned this process away"};
    }
    if (message.magic != kMagic || message.version != kVersion) {
      return Error{Remedy::give_up, "the message-queue server speaks another version"};
    }
    if (message.error == EACCES) return turned_away("message-queue");
    if (message.error != 0) {
      return Error{message.error == EAGAIN ? Remedy::retry : Remedy::give_up,
                   "the message-queue server has no two queues left (" +
                       platform::error_text(static_cast<int>(message.error)) +
                       "): its user's limit is RLIMIT_MSGQUEUE (ulimit -q), the host's fs.mqueue.queues_max"};
    }
    const auto out = platform::shape_of(fds[0]), in = platform::shape_of(fds[1]);
    for (const auto& each : {out, in}) {
      if (!each || each.shape.message_bytes < mqueues::kLeastMessageBytes ||
          each.shape.message_bytes > mqueues::kMostMessageBytes || out.waits || !in.waits) {
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
  static auto& transport = *new MqueueTransport;  // never destroyed: a listener may still accept while the program ends
  return transport;
}

}  // namespace orbweaver::transport
