#pragma once

#include <array>
#include <atomic>

#include "platform/socket.h"
#include "transport/spin_budget.h"
#include "transport/stream/storage.h"
#include "transport/udp/handshake.h"
#include "transport/udp/reassembly.h"

namespace orbweaver::transport::datagram {

/// Bytes of a datagram, its header included: below what any usual link carries whole, and more where no link is.
inline constexpr std::size_t kDatagramBytes = 1400, kLoopbackDatagramBytes = 60'000;
/// A peer of which nothing was heard for so long, though it was asked, is gone.
inline constexpr std::int64_t kSilence_ms = 60'000;
/// A channel that was not used for so long is not begun again: the other end may have given it up.
inline constexpr std::int64_t kIdle_ms = 30'000;

/// Frames over a UDP socket that is connected to one peer. What arrives is whole, at most once and in order; what does
/// not arrive in time is lost, and counted. A thread that waits in `receive` asks the peer now and then whether it is
/// there; a peer whose port is closed is seen by that.
class UdpChannel final : public Channel {
 public:
  UdpChannel(Greeted greeted, const ChannelOptions& options);
  ~UdpChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { frames_.release(); }
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

  const Counters& counters() const noexcept { return counters_; }

 private:
  Result<Bytes> take(Bytes datagram) noexcept;
  Result<void> check_frame(Bytes frame) const;
  void fetch() noexcept;
  void wait_until(Deadline deadline) noexcept;
  void say(Kind kind) noexcept;
  void wait_for_first_word(Deadline deadline) noexcept;
  void note_refusal() noexcept;
  void close_as(std::uint8_t state) noexcept;
  Error not_open() const;
  Error end_receiving(std::string what);

  static constexpr std::size_t kBatch = 8, kRoomBytes = std::size_t{64} << 10;

  const platform::Fd socket_;  // until the destructor, as in StreamChannel
  const std::uint64_t id_;
  const std::int64_t made_ns_ = platform::now_ns();
  const ChannelOptions options_;
  Peer peer_;
  std::size_t stride_ = 0;
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};
  std::atomic<bool> refused_{false};          // the peer's port is closed: what it sent is still read
  std::atomic<bool> heard_any_{false};
  std::atomic<std::int64_t> last_used_ns_;    // a frame left, or anything came

  Storage outgoing_;           // the sender's: room for a header, then the frame
  std::uint32_t last_frame_ = 0;

  Counters counters_;          // the receiver's, like all below
  Reassembly frames_;
  std::unique_ptr<std::uint8_t[]> rooms_;  // touched only as far as datagrams reach
  std::array<platform::Datagram, kBatch> batch_;
  std::size_t next_ = 0, there_ = 0;
  std::int64_t heard_ns_ = 0, asked_ns_ = 0;
  std::uint32_t unanswered_ = 0;
  SpinBudget spin_;
  std::string receive_ended_;
};

}  // namespace orbweaver::transport::datagram
