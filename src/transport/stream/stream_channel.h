#pragma once

#include <atomic>

#include "platform/socket.h"
#include "transport/spin_budget.h"
#include "transport/stream/frame_reader.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Frames over a connected stream socket: what TCP is, and what any other stream will be. One system call
/// sends a frame, one receives it, and a blocking call with no deadline makes no other.
///
/// Sending takes nothing that receiving needs. Two ends that both send while neither receives wait for each
/// other, as back-pressure demands, until one of them receives, a deadline passes or one closes.
class StreamChannel final : public Channel {
 public:
  StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer);
  ~StreamChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { reader_.release(); }
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

 private:
  platform::IoResult read_some(MutableBytes room, Deadline deadline) noexcept;
  platform::IoResult read_spinning(MutableBytes room, Deadline deadline) noexcept;
  /// Leaves time for what was sent to leave, and takes in what the peer still sends meanwhile.
  void linger() noexcept;
  enum class Incoming : std::uint8_t { none, some, ended };
  Incoming discard_incoming() noexcept;
  void close_as(std::uint8_t state) noexcept;
  Error not_open() const;
  Error end_receiving(std::string what);

  // The descriptor lives until the destructor, so that its number cannot become another file's while a
  // thread still waits on it: close() only shuts the socket down.
  const platform::Fd socket_;
  const ChannelOptions options_;
  const Peer peer_;
  // Left `open` once, before the shutdown that wakes the waiters, who then look at it.
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};

  Storage outgoing_;           // the sender's
  bool send_failed_ = false;   // the sender's: the peer is gone, though frames of its may still be unread
  FrameReader reader_;         // the receiver's, like all below
  SpinBudget spin_;
  std::string receive_ended_;  // why nothing more can be received
};

}  // namespace orbweaver::transport
