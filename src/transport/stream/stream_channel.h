#pragma once

#include <atomic>
#include <vector>

#include "transport/stream/frame_reader.h"
#include "transport/stream/send_storage.h"
#include "transport/stream/stream_socket.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Frames over a connected stream socket: what TCP is, and what any other stream will be. One system call
/// sends a frame and all that were queued before it, gathered where a piece of it is borrowed; one receives as many as are there, and a blocking call with no
/// deadline makes no other.
///
/// Sending takes nothing that receiving needs. Two ends that both send while neither receives wait for each
/// other, as back-pressure demands, until one of them receives, a deadline passes or one closes.
class StreamChannel final : public Channel {
 public:
  StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer);
  ~StreamChannel() override;

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  bool borrows() const noexcept override { return true; }
  void borrow(std::size_t at, Bytes bytes) noexcept override {
    borrowed_at_ = at;
    borrowed_ = bytes;
  }
  bool commits_at_once(std::size_t bytes) const noexcept override;
  void abandon() noexcept override {}
  std::size_t bytes_not_taken() const noexcept override { return not_taken_; }
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { reader_.release(); }
  int descriptor() noexcept override { return socket_.fd().get(); }
  bool arm() noexcept override;
  void close() noexcept override;
  const Peer& peer() const noexcept override { return peer_; }
  bool receiving() const noexcept override { return share_.receiving(); }

 private:
  platform::IoResult send_first(std::size_t bytes, platform::Block block) noexcept;
  void write_borrowed() noexcept;
  void add(std::size_t bytes);
  void left(std::size_t bytes) noexcept;
  platform::IoResult send_some(platform::Block block) noexcept;
  Result<void> send_all(std::size_t last_frame_bytes, Deadline deadline);
  Error give_up_waiting(std::size_t last_frame_bytes);
  void close_as(std::uint8_t state) noexcept;
  Error not_open() const;
  Error end_receiving(std::string what);
  /// `not_open`, for the receiving thread: what it has of a frame is freed.
  Error end_receiving_closed();

  StreamSocket socket_;
  const ChannelOptions options_;
  const Peer peer_;
  // Left `open` once, before the shutdown that wakes the waiters, who then look at it.
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};

  // The sender's. Frames that are to leave lie in `outgoing_`, each on a multiple of 8; a piece is as many bytes of
  // them as lie without a gap.
  struct Piece {
    std::size_t begin, end;
  };
  SendStorage outgoing_;
  std::vector<Piece> pieces_;
  std::size_t first_piece_ = 0;  // that has not left
  std::size_t claimed_at_ = 0;
  std::size_t borrowed_at_ = 0;  // in the frame that is claimed
  Bytes borrowed_;               // empty: nothing is
  bool send_failed_ = false;   // the sender's: the peer is gone, though frames of its may still be unread
  FrameReader reader_;         // the receiver's, like all below
  std::string receive_ended_;  // why nothing more can be received
  std::atomic<std::size_t> not_taken_{0};  // of what was sent, once receiving has ended
  ReceiveBudget::Share share_;  // last: it may close until it is gone
};

}  // namespace orbweaver::transport
