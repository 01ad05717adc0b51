#include "transport/shm/shm_channel.h"

#include "platform/socket.h"

namespace orbweaver::transport::shmem {

ShmChannel::ShmChannel(Side side, Segment segment, platform::Fd socket, Peer peer, const ChannelOptions& options)
    : side_(side),
      segment_(std::move(segment)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      frames_(side == Side::client ? segment_.to_server() : segment_.to_client(),
              side == Side::client ? segment_.to_client() : segment_.to_server(), options, life_) {
  if (side == Side::client) segment_.features(kClient).store(kBlocks, std::memory_order_release);
  watch_ = std::make_unique<platform::HangupWatch>(socket_, [this] {
    life_.peer_gone.store(true, std::memory_order_seq_cst);
    frames_.wake();
  });
}

ShmChannel::~ShmChannel() { close(); }

void ShmChannel::close() noexcept {
  if (life_.closed.exchange(true, std::memory_order_seq_cst)) return;
  platform::shutdown_both(socket_);
  frames_.wake();
}

Result<void> ShmChannel::commit(std::size_t bytes, Deadline deadline) noexcept {
  bool broken = false;
  Result<void> sent = frames_.commit(bytes, deadline, broken);
  if (broken) [[unlikely]] close();
  outbox_.sent();
  return sent;
}

Result<Bytes> ShmChannel::receive(Deadline deadline) noexcept {
  Result<Bytes> frame = frames_.receive(deadline);
  // After a protocol violation nothing of this connection is believed any more.
  if (!frame && frame.error().remedy == Remedy::reconnect) [[unlikely]] close();
  return frame;
}

}  // namespace orbweaver::transport::shmem
