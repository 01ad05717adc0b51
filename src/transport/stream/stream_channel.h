#pragma once

#include <atomic>
#include <vector>

#include "transport/stream/frame_reader.h"
#include "transport/stream/send_buffer.h"
#include "transport/stream/stream_socket.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Frames over a connected stream socket (TCP, Unix). One system call sends a frame with all frames queued
/// before it, gathering an attached segment; one receives as many frames as have arrived. A blocking call
/// without a deadline makes no other system call.
///
/// Sending needs nothing that receiving holds. Two ends that both send while neither receives wait for each
/// other until one of them receives, a deadline passes or one closes.
class StreamChannel final : public Channel,
                            private BatchedSending,
                            private GatheredSending,
                            private Readiness,
                            private ReceiveStatus {
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
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  void attach_segment(std::size_t at, Bytes bytes) noexcept override {
    segment_offset_ = at;
    gathered_segment_ = bytes;
  }
  int descriptor() noexcept override { return socket_.fd().get(); }
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t bytes) const noexcept override;
  bool has_partial_frame() const noexcept override { return share_.receiving(); }
  std::size_t undelivered_bytes() const noexcept override { return undelivered_bytes_; }

  platform::IoResult send_first(std::size_t bytes, platform::Blocking block) noexcept;
  void copy_segment_inline() noexcept;
  void append_claimed(std::size_t bytes);
  void note_sent(std::size_t bytes) noexcept;
  platform::IoResult send_some(platform::Blocking block) noexcept;
  Result<void> send_all(std::size_t last_frame_bytes, Deadline deadline);
  Error fail_at_deadline(std::size_t last_frame_bytes);
  void close_as(std::uint8_t state) noexcept;
  Error not_open_error() const;
  Error end_receiving(std::string what);
  /// `not_open_error` for the receiving thread: also frees a partial frame.
  Error end_receiving_closed();

  StreamSocket socket_;
  const ChannelOptions options_;
  const Peer peer_;
  // Leaves kOpen once, before the shutdown that wakes the waiting threads, which then check it.
  enum State : std::uint8_t { kOpen, kClosedHere, kLost };
  std::atomic<std::uint8_t> state_{kOpen};

  // Of the sending thread. Frames to be sent are in `outgoing_`, each at a multiple of 8; a range is a part
  // of it without gaps.
  struct PendingRange {
    std::size_t begin, end;
  };
  SendBuffer outgoing_;
  std::vector<PendingRange> pending_;
  std::size_t first_pending_ = 0;  // first range that was not sent completely
  std::size_t claimed_at_ = 0;
  std::size_t segment_offset_ = 0;  // in the claimed frame
  Bytes gathered_segment_;          // empty: none
  // of the sending thread: the peer has disconnected, although received frames may be unread
  bool send_failed_ = false;
  FrameReader reader_;                             // of the receiving thread, like all below
  std::string receive_ended_;                      // reason why receiving has ended
  std::atomic<std::size_t> undelivered_bytes_{0};  // known after receiving has ended
  ReceiveBudget::Share share_;                     // last: it may close the connection until its destruction
};

}  // namespace orbweaver::transport
