#pragma once

#include <array>
#include <atomic>

#include "platform/udp_socket.h"
#include "transport/channel_state.h"
#include "transport/spin_budget.h"
#include "transport/udp/handshake.h"
#include "transport/udp/playout_deadline.h"
#include "transport/udp/reassembly.h"
#include "transport/udp/send_queue.h"
#include "transport/udp/settings.h"

namespace orbweaver::transport::udp {

/// Bytes of a datagram with its header: below the MTU of usual links, and more on loopback.
inline constexpr std::size_t kDatagramBytes = 1400, kLoopbackDatagramBytes = 60'000;

/// Frames over a UDP socket connected to one peer. Received frames are complete, delivered at most once and
/// in order; frames that do not arrive in time are lost and counted. A thread that waits in `receive` pings
/// the peer at intervals, which also detects a closed port.
class UdpChannel final : public Channel, private BatchedSending, private Readiness, private ReceiveStatus {
 public:
  UdpChannel(EstablishedConnection connection, const ChannelOptions& options, const Settings& settings);
  ~UdpChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }

  const Counters& counters() const noexcept { return counters_; }

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  int descriptor() noexcept override { return socket_.get(); }
  /// Also pings the peer at intervals, so that a polling thread detects its death at the next arm.
  bool arm() noexcept override;
  bool has_partial_frame() const noexcept override { return share_.receiving(); }

  enum class AtDeadline : bool { keep_queued, drop };
  Result<void> send_all(Deadline deadline, AtDeadline late);
  void check_for_bye() noexcept;
  Result<Bytes> receive_exclusive(Deadline deadline);
  Result<Bytes> next_frame();
  bool next_datagram(Bytes& datagram) noexcept;
  Result<void> handle_datagram(Bytes datagram);
  Result<void> check_frame(Bytes frame) const;
  [[gnu::cold]] void log_counters() const;
  bool receive_batch(platform::Blocking block = platform::Blocking::no) noexcept;
  bool has_emptied_socket() const noexcept;
  bool is_silent(Deadline deadline) const noexcept;
  std::int64_t ping_if_due() noexcept;
  void wait_until(Deadline deadline, bool emptied) noexcept;
  void send_control(DatagramKind kind) noexcept;
  void close_as(ChannelState::Value state) noexcept;
  void note_close() noexcept;
  void release_port() noexcept;
  Error not_open_error() const { return state_.error(peer_); }
  Error end_receiving(std::string what);

  static constexpr std::size_t kBatch = 8, kReceiveBufferBytes = std::size_t{64} << 10;

  const platform::Fd socket_;  // until the destructor, as in StreamChannel
  const std::uint64_t id_;
  const std::uint64_t nonce_;  // of EstablishedConnection: 0 at the client
  const ChannelOptions options_;
  const Settings settings_;
  const Peer peer_;
  ChannelState state_;
  std::atomic<bool> bye_sent_{false}, close_noted_{false}, port_released_{false};  // of a closed channel
  // the peer's port is closed: received datagrams are still processed
  std::atomic<bool> port_closed_{false};
  std::atomic<std::int64_t> last_used_ns_;    // time of the last send or receive
  std::atomic<std::uint32_t> last_frame_{0};  // number of the last committed frame
  // the receiver polls, from arm to receive, so senders do not check for a bye
  std::atomic<bool> polled_{false};
  Counters counters_;

  SendQueue send_queue_;  // of the sending thread
  // of the sending thread: the system supports segmentation offload, as far as is known
  bool segmentation_ = true;
  std::int64_t last_bye_check_ns_;  // of the sending thread

  // Taken by the thread that reads the socket: the receiver, from receive to release, or a sender that checks
  // for a bye.
  std::atomic<bool> receiving_{false};
  ReceiveBudget::Share share_;
  Reassembly frames_;  // of the reading thread, like all below
  PlayoutDeadline playout_deadline_;
  std::unique_ptr<std::uint8_t[]> receive_buffers_;  // pages are touched only as far as datagrams reach
  std::array<platform::Datagram, kBatch> batch_;
  std::size_t next_ = 0, received_count_ = 0;  // of the batch
  Bytes burst_;  // consecutive datagrams of one length; the last one may be shorter
  std::size_t segment_ = 0;
  Bytes parts_;                 // unprocessed parts of a datagram
  bool polled_before_ = false;  // arm preceded the last receive
  std::int64_t last_received_ns_, last_ping_ns_, unanswered_since_ns_ = 0;
  std::uint32_t unanswered_pings_ = 0;
  SpinBudget spin_;
  std::string receive_ended_;
};

}  // namespace orbweaver::transport::udp
