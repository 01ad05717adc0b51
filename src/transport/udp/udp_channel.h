#pragma once

#include <array>
#include <atomic>

#include "platform/datagram.h"
#include "transport/spin_budget.h"
#include "transport/udp/handshake.h"
#include "transport/udp/lateness.h"
#include "transport/udp/outbox.h"
#include "transport/udp/reassembly.h"
#include "transport/udp/settings.h"

namespace orbweaver::transport::datagram {

/// Bytes of a datagram, its header included: below what any usual link carries whole, and more where no link is.
inline constexpr std::size_t kDatagramBytes = 1400, kLoopbackDatagramBytes = 60'000;

/// Frames over a UDP socket that is connected to one peer. What arrives is whole, at most once and in order; what does
/// not arrive in time is lost, and counted. A thread that waits in `receive` asks the peer now and then whether it is
/// there; a peer whose port is closed is seen by that.
class UdpChannel final : public Channel {
 public:
  UdpChannel(Greeted greeted, const ChannelOptions& options, const Settings& settings);
  ~UdpChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override;
  bool claim_tells_of_end() const noexcept override { return true; }
  bool takes_fragments() const noexcept override { return false; }
  int descriptor() noexcept override { return socket_.get(); }
  /// Asks the peer now and then whether it is there: a poll hears of its death by that, at the next arm.
  bool arm() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }
  bool receiving() const noexcept override { return share_.receiving(); }

  const Counters& counters() const noexcept { return counters_; }

 private:
  enum class Late : bool { stays, is_lost };
  Result<void> send_all(Deadline deadline, Late late);
  void look() noexcept;
  Result<Bytes> receive_alone(Deadline deadline);
  Result<Bytes> next_frame();
  bool next_datagram(Bytes& datagram) noexcept;
  Result<void> take_start(Bytes datagram);
  Result<void> check_frame(Bytes frame) const;
  bool fetch() noexcept;
  bool is_silent(Deadline deadline) const noexcept;
  std::int64_t ask_when_due() noexcept;
  void wait_until(Deadline deadline) noexcept;
  void say(Kind kind) noexcept;
  void close_as(std::uint8_t state) noexcept;
  Error not_open() const;
  Error end_receiving(std::string what);

  static constexpr std::size_t kBatch = 8, kRoomBytes = std::size_t{64} << 10;

  const platform::Fd socket_;  // until the destructor, as in StreamChannel
  const std::uint64_t id_;
  const std::uint64_t nonce_;  // of Greeted: 0 at the client
  const ChannelOptions options_;
  const Settings settings_;
  const Peer peer_;
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};
  std::atomic<bool> refused_{false};          // the peer's port is closed: what it sent is still read
  std::atomic<std::int64_t> last_used_ns_;    // a frame left, or anything came
  std::atomic<std::uint32_t> last_frame_{0};  // that was committed
  std::atomic<bool> polled_{false};           // what a sender would look at is left for the poll
  Counters counters_;

  Outbox outbox_;              // the sender's
  bool segmentation_ = true;   // the sender's: as far as is known, the system cuts what it is given
  std::int64_t looked_ns_;     // the sender's

  // Whoever turns it to true reads the socket: the receiver, from receive to release, or a sender that looks whether
  // the peer has said goodbye.
  std::atomic<bool> reading_{false};
  ReceiveBudget::Share share_;
  Reassembly frames_;          // the reader's, like all below
  Lateness lateness_;
  std::unique_ptr<std::uint8_t[]> rooms_;  // touched only as far as datagrams reach
  std::array<platform::Datagram, kBatch> batch_;
  std::size_t next_ = 0, there_ = 0;  // of the batch
  Bytes burst_;                // datagrams of one length behind each other, of which the last may be shorter
  std::size_t segment_ = 0;
  Bytes parts_;                // of a datagram, not yet taken
  std::int64_t heard_ns_, asked_ns_, unanswered_since_ns_ = 0;
  std::uint32_t unanswered_ = 0;
  SpinBudget spin_;
  std::string receive_ended_;
};

}  // namespace orbweaver::transport::datagram
