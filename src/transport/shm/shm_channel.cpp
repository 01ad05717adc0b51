#include "transport/shm/shm_channel.h"

#include <cerrno>

#include "platform/socket.h"
#include "transport/malformed_input.h"

namespace orbweaver::transport::shm {

void SocketNotifier::notify() noexcept {
  static constexpr std::uint8_t kNotification[1] = {1};
  // if the buffer is full, notifications are pending already
  platform::send(socket_, std::span<const std::uint8_t>(kNotification), platform::Blocking::no);
}

bool SocketNotifier::drain() noexcept {
  std::uint8_t notifications[64];
  // Bounded: a peer that notifies without end keeps the descriptor readable, but does not keep this thread
  // here.
  for (int i = 0; i < 16; ++i) {
    const auto got = platform::recv(socket_, notifications, platform::Blocking::no);
    if (got.error != 0) return got.error == EAGAIN || got.error == EWOULDBLOCK;
    if (got.bytes == 0) return false;
  }
  return true;
}

bool SocketNotifier::is_signalled() const noexcept {
  return platform::poll(socket_, platform::kReadable, Deadline{0}) != 0;
}

void SocketNotifier::close() noexcept { platform::shutdown_both(socket_); }

ShmChannel::ShmChannel(Side side, Segment segment, platform::Fd socket, platform::Fd notifier, Peer peer,
                       const ChannelOptions& options)
    : segment_(std::move(segment)), socket_(std::move(socket)), notifier_(std::move(notifier)),
      peer_(std::move(peer)),
      frames_(
          side == Side::client ? segment_.to_server() : segment_.to_client(),
          side == Side::client ? segment_.to_client() : segment_.to_server(), options, connection_,
          [this](const std::string& why) {
            log_refused(peer_, why);
            close();
          },
          [this] { return notifier_.is_signalled(); }) {
  frames_.count_for(peer_);
  connection_.notifier = &notifier_;
  connection_.peer_features = &segment_.features(side == Side::client ? kServer : kClient);
  if (side == Side::client) segment_.features(kClient).store(kFeatures, std::memory_order_release);
  capabilities_.claim_detects_disconnect = true;
  capabilities_.allows_fragments = false;
  capabilities_.undivided_bytes = frames_.undivided_bytes();
  capabilities_.batching = this;
  if (frames_.supports_polling()) capabilities_.readiness = this;
  capabilities_.receive_status = this;
  // The server's features are known from the beginning, those of the client are not: a server sends no
  // blocks.
  if (side == Side::client && (connection_.peer_features->load(std::memory_order_acquire) & kBlocks) != 0)
    capabilities_.block_sender = &block_exporter_;
  capabilities_.block_receiver = &block_importer_;
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    connection_.mark_peer_disconnected();
    frames_.wake();
  });
}

ShmChannel::~ShmChannel() { close(); }

void ShmChannel::close() noexcept {
  if (!connection_.close()) return;
  platform::shutdown_both(socket_);
  notifier_.close();
  frames_.wake();
}

bool ShmChannel::arm() noexcept {
  // The watch reports the disconnect a little later: until then the descriptor would be readable without a
  // frame.
  if (!notifier_.drain()) connection_.mark_peer_disconnected();
  return frames_.arm();
}

inline Result<void> ShmChannel::commit_frame(std::size_t bytes, Deadline deadline) {
  bool broken = false;
  Result<void> sent = frames_.commit(bytes, deadline, broken);
  if (broken) [[unlikely]]
    close();
  block_exporter_.sent();
  return sent;
}

Result<void> ShmChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  return commit_frame(bytes, deadline);
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> ShmChannel::send(Bytes frame, Deadline deadline) noexcept {
  if (frames_.try_send(frame)) [[likely]]
    return {};
  return send_other(frame, deadline);
}

Result<void> ShmChannel::send_other(Bytes frame, Deadline deadline) noexcept try {
  bool broken = false;
  Result<void> sent = frames_.send(frame, deadline, broken);
  if (broken) close();
  return sent;
} catch (...) {
  return close_out_of_memory(*this);
}

Result<void> ShmChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  bool broken = false;
  Result<void> sent = frames_.queue(bytes, deadline, broken);
  if (broken) [[unlikely]]
    close();
  block_exporter_.sent();
  return sent;
} catch (...) {
  return close_out_of_memory(*this);
}

Result<Bytes> ShmChannel::receive(Deadline deadline) noexcept {
  RingFrames::Entry entry;
  if (frames_.receive_usual(deadline, entry)) [[likely]]
    return entry.frame;
  return receive_other(entry, deadline);
}

Result<Bytes> ShmChannel::receive_other(RingFrames::Entry entry, Deadline deadline) noexcept try {
  Result<Bytes> frame = frames_.receive_other(entry, deadline);
  if (!frame) close_after(frame.error());
  return frame;
} catch (...) {
  return close_out_of_memory(*this);
}

/// Closes after a failed `receive`: the data after a protocol violation cannot be parsed.
void ShmChannel::close_after(const Error& error) {
  if (error.kind != ErrorKind::disconnected) return;
  if (!connection_.closed && !frames_.has_ended()) log_refused(peer_, error.message);
  close();
}

}  // namespace orbweaver::transport::shm
