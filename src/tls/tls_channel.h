#pragma once

#include <atomic>

#include "tls/session.h"
#include "transport/stream/frame_reader.h"
#include "transport/stream/send_buffer.h"
#include "transport/stream/stream_socket.h"
#include "transport/transport.h"

namespace orbweaver::tls {

/// Frames over TLS, after the handshake. One system call sends a frame with the frames queued before it, up
/// to 64 KiB, and one receives them.
class TlsChannel final : public transport::Channel,
                         private transport::BatchedSending,
                         private transport::Readiness,
                         private transport::ReceiveStatus {
 public:
  TlsChannel(platform::Fd socket, std::unique_ptr<Session> session, const transport::ChannelOptions& options,
             transport::Peer peer);
  ~TlsChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { reader_.release(); }
  void close() noexcept override;
  const transport::Peer& peer() const noexcept override { return peer_; }

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  int descriptor() noexcept override { return socket_.fd().get(); }
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t bytes) const noexcept override;
  bool has_partial_frame() const noexcept override { return share_.receiving(); }

  void append_claimed(std::size_t bytes) noexcept;
  Result<void> send_queued(std::size_t last_frame_bytes, Deadline deadline);
  Result<void> send_sealed(Deadline deadline);
  /// Reads more plain bytes for the reader; timed_out at the deadline. `sealed` counts the bytes read from
  /// the socket.
  Result<void> read_some(Deadline deadline, std::size_t& sealed);
  void close_as(std::uint8_t state) noexcept;
  Error not_open_error() const;
  Error end_sending(std::string what);
  Error end_receiving(std::string what);
  /// `not_open_error` for the receiving thread: also frees a partial frame.
  Error end_receiving_closed();
  /// Hint for a connection that ends before the peer has sent data: with TLS 1.3 a client's handshake ends
  /// before the server verifies its certificate, and the server's alert may be lost.
  const char* rejection_hint() const noexcept;

  transport::StreamSocket socket_;
  const std::unique_ptr<Session> session_;
  const transport::ChannelOptions options_;
  const transport::Peer peer_;
  // Leaves kOpen once, before the shutdown that wakes the waiting threads, which then check it.
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};

  std::atomic<bool> has_received_{false};  // the peer has sent data after its handshake

  transport::SendBuffer outgoing_;  // of the sending thread, unsealed: queued frames, then the claimed one
  std::size_t queued_ = 0;          // bytes
  std::size_t claimed_at_ = 0;      // behind them, at a multiple of 8
  // of the sending thread: the peer has disconnected, although received frames may be unread
  bool send_failed_ = false;
  transport::FrameReader reader_;  // of the receiving thread, like all below
  std::string receive_ended_;      // reason why receiving has ended
  ReceiveBudget::Share share_;     // last: it may close the connection until its destruction
};

}  // namespace orbweaver::tls
