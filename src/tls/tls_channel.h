#pragma once

#include <atomic>

#include "tls/session.h"
#include "transport/stream/frame_reader.h"
#include "transport/stream/send_storage.h"
#include "transport/stream/stream_socket.h"
#include "transport/transport.h"

namespace orbweaver::tls {

/// Frames over TLS, after the handshake. One system call sends a frame and those queued before it, of up to 64 KiB, one
/// receives them.
class TlsChannel final : public transport::Channel {
 public:
  TlsChannel(platform::Fd socket, std::unique_ptr<Session> session, const transport::ChannelOptions& options,
             transport::Peer peer);
  ~TlsChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  bool commits_at_once(std::size_t bytes) const noexcept override;
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { reader_.release(); }
  int descriptor() noexcept override { return socket_.fd().get(); }
  bool arm() noexcept override;
  void close() noexcept override;
  const transport::Peer& peer() const noexcept override { return peer_; }
  bool receiving() const noexcept override { return share_.receiving(); }

 private:
  void add(std::size_t bytes) noexcept;
  Result<void> send_queued(std::size_t last_frame_bytes, Deadline deadline);
  Result<void> send_sealed(Deadline deadline);
  /// Further plain bytes for the reader; Remedy::wait at the deadline. `sealed` counts what was read from the socket.
  Result<void> read_some(Deadline deadline, std::size_t& sealed);
  void close_as(std::uint8_t state) noexcept;
  Error not_open() const;
  Error end_sending(std::string what);
  Error end_receiving(std::string what);
  /// `not_open`, for the receiving thread: what it has of a frame is freed.
  Error end_receiving_closed();
  /// What a connection that ends before the peer said anything may mean: with TLS 1.3 a client has called before the
  /// server looks at its certificate, and the alert that says more may be lost.
  const char* perhaps_refused() const noexcept;

  transport::StreamSocket socket_;
  const std::unique_ptr<Session> session_;
  const transport::ChannelOptions options_;
  const transport::Peer peer_;
  // Left `open` once, before the shutdown that wakes the waiters, who then look at it.
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};

  std::atomic<bool> heard_{false};  // the peer has sent something behind its handshake

  transport::SendStorage
      outgoing_;  // the sender's, plain: frames that are queued, then the one that is claimed
  std::size_t queued_ = 0;          // bytes
  std::size_t claimed_at_ = 0;      // behind them, on a multiple of 8
  bool send_failed_ = false;        // the sender's: the peer is gone, though frames of its may still be unread
  transport::FrameReader reader_;   // the receiver's, like all below
  std::string receive_ended_;       // why nothing more can be received
  ReceiveBudget::Share share_;      // last: it may close until it is gone
};

}  // namespace orbweaver::tls
