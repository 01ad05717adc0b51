#include "transport/shm/shm_channel.h"

#include <cerrno>

#include "base/log.h"
#include "platform/socket.h"
#include "transport/refused.h"

namespace orbweaver::transport::shmem {

void SocketBell::ring() noexcept {
  static constexpr std::uint8_t kRing[1] = {1};
  platform::send(socket_, std::span<const std::uint8_t>(kRing), platform::Block::no);  // full: it rings already
}

bool SocketBell::quieten() noexcept {
  std::uint8_t rings[64];
  // Bounded: a peer that never stops ringing keeps its bell readable, and nobody busy here.
  for (int i = 0; i < 16; ++i) {
    const auto got = platform::recv(socket_, rings, platform::Block::no);
    if (got.error != 0) return got.error == EAGAIN || got.error == EWOULDBLOCK;
    if (got.bytes == 0) return false;
  }
  return true;
}

bool SocketBell::is_ringing() const noexcept {
  return platform::poll(socket_, platform::kReadable, Deadline{0}) != 0;
}

void SocketBell::close() noexcept { platform::shutdown_both(socket_); }

ShmChannel::ShmChannel(Side side, Segment segment, platform::Fd socket, platform::Fd bell, Peer peer,
                       const ChannelOptions& options)
    : side_(side),
      segment_(std::move(segment)),
      socket_(std::move(socket)),
      bell_(std::move(bell)),
      peer_(std::move(peer)),
      frames_(
          side == Side::client ? segment_.to_server() : segment_.to_client(),
          side == Side::client ? segment_.to_client() : segment_.to_server(), options, life_,
          [this](const std::string& why) {
            log::write_limited(
                log::Level::warn, "connection ended for what was received", log::origin(peer_),
                [&] { return "the connection with " + peer_.address + " is ended: " + why; });
            close();
          },
          [this] { return bell_.is_ringing(); }) {
  frames_.count_for(peer_);
  life_.bell = &bell_;
  if (side == Side::client) segment_.features(kClient).store(kFeatures, std::memory_order_release);
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    life_.peer_gone.store(true, std::memory_order_seq_cst);
    frames_.wake();
  });
}

ShmChannel::~ShmChannel() { close(); }

void ShmChannel::close() noexcept {
  if (life_.closed.exchange(true, std::memory_order_seq_cst)) return;
  platform::shutdown_both(socket_);
  bell_.close();
  frames_.wake();
}

bool ShmChannel::arm() noexcept {
  // The watch would tell of the death too, a moment later: until then the bell would be found readable in vain.
  if (!bell_.quieten()) life_.peer_gone.store(true, std::memory_order_seq_cst);
  return frames_.arm();
}

Result<void> ShmChannel::commit(std::size_t bytes, Deadline deadline) noexcept try {
  bool broken = false;
  Result<void> sent = frames_.commit(bytes, deadline, broken);
  if (broken) [[unlikely]] close();
  outbox_.sent();
  return sent;
} catch (...) {
  return close_without_memory(*this);
}

Result<void> ShmChannel::queue(std::size_t bytes, Deadline deadline) noexcept try {
  bool broken = false;
  Result<void> sent = frames_.queue(bytes, deadline, broken);
  if (broken) [[unlikely]] close();
  outbox_.sent();
  return sent;
} catch (...) {
  return close_without_memory(*this);
}

Result<Bytes> ShmChannel::receive(Deadline deadline) noexcept try {
  Result<Bytes> frame = frames_.receive(deadline, known_);
  // After a protocol violation nothing of this connection is believed any more.
  if (!frame && frame.error().remedy == Remedy::reconnect) [[unlikely]] {
    if (!life_.closed && !frames_.has_ended()) log_refused(peer_, frame.error().message);
    close();
  }
  return frame;
} catch (...) {
  return close_without_memory(*this);
}

}  // namespace orbweaver::transport::shmem
