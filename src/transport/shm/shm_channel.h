#pragma once

#include <memory>

#include "platform/hangup_watch.h"
#include "transport/blocks/block_transfer.h"
#include "transport/out_of_memory.h"
#include "transport/ring/ring_frames.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

namespace orbweaver::transport::shm {

/// Notifier over one end of a socket pair, at which a polling reader waits: a byte announces a frame.
class SocketNotifier final : public Notifier {
 public:
  explicit SocketNotifier(platform::Fd socket) : socket_(std::move(socket)) {}
  void notify() noexcept override;
  /// Reads the pending notifications. False: the peer has disconnected.
  bool drain() noexcept;
  /// True if a notification is pending or the peer has disconnected. Thread-safe.
  bool is_signalled() const noexcept;
  void close() noexcept;
  int descriptor() const noexcept { return socket_.get(); }

 private:
  platform::Fd socket_;
};

/// One end of a shared-memory connection: two rings, and the rendezvous socket, whose hang-up shows the
/// peer's death.
class ShmChannel final : public Channel, private BatchedSending, private Readiness, private ReceiveStatus {
 public:
  enum class Side { client, server };
  ShmChannel(Side side, Segment segment, platform::Fd socket, platform::Fd notifier, Peer peer,
             const ChannelOptions& options);
  ~ShmChannel() override;
  /// False if no descriptor or thread is left to watch the peer, so that its death would go unnoticed. Such a
  /// channel must not be used.
  bool is_watched() const noexcept { return watch_->works(); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override try {
    return frames_.claim(bytes, deadline);
  } catch (...) {
    return close_out_of_memory(*this);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> send(Bytes frame, Deadline deadline) noexcept override;
  void abandon() noexcept override { block_exporter_.revoke_unsent(); }
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override {
    block_importer_.release();
    frames_.release();
  }
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> commit_frame(std::size_t bytes, Deadline deadline);
  [[gnu::noinline]] Result<void> send_other(Bytes frame, Deadline deadline) noexcept;
  [[gnu::noinline]] Result<Bytes> receive_other(RingFrames::Entry entry, Deadline deadline) noexcept;
  [[gnu::cold, gnu::noinline]] void close_after(const Error& error);
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline) noexcept override try { return frames_.flush(); } catch (...) {
    return close_out_of_memory(*this);
  }
  int descriptor() noexcept override { return notifier_.descriptor(); }
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t) const noexcept override {
    return frames_.commits_without_waiting();
  }
  bool has_partial_frame() const noexcept override { return frames_.has_partial_frame(); }

  RingConnectionState connection_;
  Segment segment_;
  platform::Fd socket_;
  SocketNotifier notifier_;
  Peer peer_;
  RingFrames frames_;
  blocks::BlockExporter block_exporter_{socket_};
  blocks::BlockImporter block_importer_{socket_};
  std::unique_ptr<platform::HangupWatch> watch_;  // last: its callback uses the members above
};

}  // namespace orbweaver::transport::shm
