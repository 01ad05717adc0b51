#pragma once

#include <atomic>

#include "tls/session.h"
#include "transport/stream/socket_channel.h"

namespace orbweaver::tls {

/// Frames over TLS, after the handshake. One system call sends a frame with the frames queued before it, up
/// to 64 KiB, and one receives them.
class TlsChannel final : public transport::SocketChannel {
 public:
  TlsChannel(platform::Fd socket, std::shared_ptr<Session> session, const transport::ChannelOptions& options,
             transport::Peer peer);

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<Bytes> receive(Deadline deadline) noexcept override;

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t bytes) const noexcept override;

  void append_claimed(std::size_t bytes) noexcept;
  Result<void> send_queued(std::size_t last_frame_bytes, Deadline deadline);
  Result<void> send_sealed(Deadline deadline);
  /// Reads more plain bytes for the reader; timed_out at the deadline. `sealed` counts the bytes read from
  /// the socket.
  Result<void> read_some(Deadline deadline, std::size_t& sealed);
  /// Reads sealed bytes for the session.
  Result<void> read_sealed(Deadline deadline, std::size_t& sealed);
  Error end_sending(std::string what);
  /// Hint for a connection that ends before the peer has sent data: with TLS 1.3 a client's handshake ends
  /// before the server verifies its certificate, and the server's alert may be lost.
  const char* rejection_hint() const noexcept;

  const std::shared_ptr<Session> session_;  // shared with the callback that sends close_notify
  std::atomic<bool> has_received_{false};   // the peer has sent data after its handshake
  std::size_t queued_ = 0;                  // bytes of `outgoing_`, unsealed; of the sending thread
};

}  // namespace orbweaver::tls
