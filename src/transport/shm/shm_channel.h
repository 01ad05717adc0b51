#pragma once

#include <memory>

#include "platform/hangup_watch.h"
#include "transport/shm/segment.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"

namespace orbweaver::transport::shmem {

/// One end of a shared-memory connection: two rings, and the rendezvous socket, whose end tells of the
/// peer's death.
class ShmChannel final : public Channel {
 public:
  enum class Side { client, server };
  ShmChannel(Side side, Segment segment, platform::Fd socket, Peer peer, const ChannelOptions& options);
  ~ShmChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> commit_parts(std::size_t bytes, Deadline deadline) noexcept;
  Result<Bytes> receive_parts(RingReader::Piece piece, Deadline deadline) noexcept;
  Error broken(Error error) noexcept;

  static constexpr std::size_t kUsualLargeBytes = std::size_t{64} << 10;

  const std::size_t max_frame_bytes_;
  RingLife life_;
  Segment segment_;
  platform::Fd socket_;
  Peer peer_;
  RingWriter writer_;
  RingReader reader_;
  Storage outgoing_{kUsualLargeBytes};  // frames that are too large for the ring are written here first
  Storage incoming_{kUsualLargeBytes};  // … and put together here
  bool claimed_in_ring_ = false;
  bool received_in_ring_ = false;
  std::size_t assembled_ = 0;  // bytes of an unfinished large frame
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses what is above
};

}  // namespace orbweaver::transport::shmem
