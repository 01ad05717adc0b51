#pragma once

#include <atomic>
#include <vector>

#include "transport/stream/socket_channel.h"

namespace orbweaver::transport {

/// Frames over a connected stream socket (TCP, Unix). One system call sends a frame with all frames queued
/// before it, gathering an attached segment; one receives as many frames as have arrived. A blocking call
/// without a deadline makes no other system call.
///
/// Sending needs nothing that receiving holds. Two ends that both send while neither receives wait for each
/// other until one of them receives, a deadline passes or one closes.
class StreamChannel final : public SocketChannel, private GatheredSending {
 public:
  StreamChannel(platform::Fd socket, const ChannelOptions& options, Peer peer);

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> send(Bytes frame, Deadline deadline) noexcept override;
  Result<Bytes> receive(Deadline deadline) noexcept override;

 private:
  Result<void> queue(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> flush(Deadline deadline) noexcept override;
  void attach_segment(std::size_t at, Bytes bytes) noexcept override {
    segment_offset_ = at;
    gathered_segment_ = bytes;
  }
  bool arm() noexcept override;
  bool commits_without_waiting(std::size_t bytes) const noexcept override;
  std::size_t undelivered_bytes() const noexcept override { return undelivered_bytes_; }

  Result<void> send_rest(Bytes frame, std::size_t sent, Deadline deadline);
  platform::IoResult send_first(std::size_t bytes, platform::Blocking block) noexcept;
  void copy_segment_inline() noexcept;
  void append_claimed(std::size_t bytes);
  void note_sent(std::size_t bytes) noexcept;
  platform::IoResult send_some(platform::Blocking block) noexcept;
  Result<void> send_all(std::size_t last_frame_bytes, Deadline deadline);
  [[gnu::cold]] Error fail_at_deadline(std::size_t last_frame_bytes);
  Error end_of_stream(const platform::IoResult& got, Deadline deadline);

  // Of the sending thread. Frames to be sent are in `outgoing_`, each at a multiple of 8; a range is a part
  // of it without gaps.
  struct PendingRange {
    std::size_t begin, end;
  };
  std::vector<PendingRange> pending_;
  std::size_t first_pending_ = 0;   // first range that was not sent completely
  std::size_t segment_offset_ = 0;  // in the claimed frame
  Bytes gathered_segment_;          // empty: none
  // Of the receiving thread.
  std::atomic<std::size_t> undelivered_bytes_{0};  // known after receiving has ended
};

}  // namespace orbweaver::transport
