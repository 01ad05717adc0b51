#pragma once

#include <memory>

#include "platform/hangup_watch.h"
#include "transport/ring/ring_frames.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

namespace orbweaver::transport::shmem {

/// One end of a shared-memory connection: two rings, and the rendezvous socket, whose end tells of the
/// peer's death.
class ShmChannel final : public Channel {
 public:
  enum class Side { client, server };
  ShmChannel(Side side, Segment segment, platform::Fd socket, Peer peer, const ChannelOptions& options);
  ~ShmChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    return frames_.claim(bytes, deadline);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { frames_.release(); }
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  RingLife life_;
  Segment segment_;
  platform::Fd socket_;
  Peer peer_;
  RingFrames frames_;
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses what is above
};

}  // namespace orbweaver::transport::shmem
