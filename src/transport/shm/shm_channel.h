#pragma once

#include <memory>

#include "platform/hangup_watch.h"
#include "transport/blocks/links.h"
#include "transport/memory_failure.h"
#include "transport/ring/ring_frames.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

namespace orbweaver::transport::shmem {

/// One end of a pair of sockets, at which a reader that polls waits: a byte says that there is something.
class SocketBell final : public Doorbell {
 public:
  explicit SocketBell(platform::Fd socket) : socket_(std::move(socket)) {}
  void ring() noexcept override;
  /// Takes the peer's ringing in. False: the peer is gone.
  bool quieten() noexcept;
  /// Has the peer rung, or gone? Any thread.
  bool is_ringing() const noexcept;
  void close() noexcept;
  int descriptor() const noexcept { return socket_.get(); }

 private:
  platform::Fd socket_;
};

/// One end of a shared-memory connection: two rings, and the rendezvous socket, whose end tells of the
/// peer's death.
class ShmChannel final : public Channel {
 public:
  enum class Side { client, server };
  ShmChannel(Side side, Segment segment, platform::Fd socket, platform::Fd bell, Peer peer,
             const ChannelOptions& options);
  ~ShmChannel() override;
  /// False: there was no descriptor or thread left to watch the peer with, whose death nobody would notice. Such a
  /// channel is not to be used.
  bool is_watched() const noexcept { return watch_->works(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override try {
    return frames_.claim(bytes, deadline);
  } catch (...) {
    return close_without_memory(*this);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline) noexcept override try { return frames_.flush(); } catch (...) {
    return close_without_memory(*this);
  }
  bool commits_at_once(std::size_t) const noexcept override { return frames_.commits_at_once(); }
  void abandon() noexcept override { outbox_.unsend(); }
  void put_head(MutableBytes room, const Head& head) noexcept override {
    frames_.put_head(room, head, peer_knows(kHeads));
  }
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override {
    inbox_.release();
    frames_.release();
  }
  BlockSender* block_sender() noexcept override { return peer_knows(kBlocks) ? &outbox_ : nullptr; }
  BlockReceiver* block_receiver() noexcept override { return &inbox_; }
  bool claim_tells_of_end() const noexcept override { return true; }
  bool takes_fragments() const noexcept override { return false; }
  int descriptor() noexcept override { return frames_.can_be_polled() ? bell_.descriptor() : -1; }
  bool arm() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }
  bool receiving() const noexcept override { return frames_.receiving(); }

 private:
  /// Has the peer said that it understands this? One that does not never says so.
  bool peer_knows(std::uint32_t feature) const noexcept {
    return (segment_.features(side_ == Side::client ? kServer : kClient).load(std::memory_order_acquire) & feature) != 0;
  }

  Side side_;
  RingLife life_;
  Segment segment_;
  platform::Fd socket_;
  SocketBell bell_;
  Peer peer_;
  RingFrames frames_;
  blocks::Outbox outbox_{socket_};
  blocks::Inbox inbox_{socket_};
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses what is above
};

}  // namespace orbweaver::transport::shmem
