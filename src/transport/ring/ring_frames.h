#pragma once

#include <algorithm>

#include "base/receive_budget.h"
#include "transport/checked_frame.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"
#include "transport/stream/send_buffer.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// One end's frames over two rings: in place if a frame fits into the ring, otherwise in parts. The owning
/// channel creates the rings, and sets RingConnectionState when an end has closed. Threads as in Channel: one
/// sends, one receives.
///
/// A failure to send does not affect receiving: frames that the peer committed before its end can still be
/// read. Functions with a Result throw std::bad_alloc if there is no memory for an error's text; the channel
/// catches it. After receive has failed with ErrorKind::disconnected, the owner closes. `end` closes the
/// connection if a partial frame must be discarded for the receive budget; without `end` nothing is counted.
class RingFrames {
 public:
  RingFrames(const shm::RingMemory& out, const shm::RingMemory& in, const ChannelOptions& options,
             const shm::RingConnectionState& connection, const ReceiveBudget::End& end = {},
             const ReceiveBudget::HasInput& has_input = {})
      : options_(options), connection_(connection), writer_(out, options.wait, connection),
        max_in_ring_bytes_(std::min(options.max_frame_bytes, writer_.max_piece())),
        max_small_bytes_(std::min(max_in_ring_bytes_, shm::kStagedBytes)),
        reader_(in, options.wait, connection),
        share_(end ? options.budget : nullptr, end, ReceiveBudget::Timed::yes, has_input) {}

  /// Counts partial frames for that peer.
  void count_for(const Peer& peer) { share_.count_for(peer); }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  /// As Channel::send, for a small frame that takes no more than a copy. Returns false, and has done nothing,
  /// if it takes more: `send` is then to be called. `broken` as of `commit`.
  bool try_send(Bytes frame) noexcept;
  Result<void> send(Bytes frame, Deadline deadline, bool& broken);
  /// Errors: timed_out with `broken` set if part of the frame was sent; the owner then closes.
  Result<void> commit(std::size_t bytes, Deadline deadline, bool& broken);
  /// As BatchedSending::queue. A frame sent in parts is not delayed.
  Result<void> queue(std::size_t bytes, Deadline deadline, bool& broken);
  Result<void> flush();
  /// Result of `receive_usual`: a word and, unless empty, its frame.
  struct Entry {
    std::uint64_t word;
    Bytes frame;
  };
  /// As Channel::receive, for a complete frame whose length equals that of the one before. False:
  /// `receive_other` returns the frame or the error.
  bool receive_usual(Deadline deadline, Entry& entry) noexcept;
  Result<Bytes> receive_other(Entry entry, Deadline deadline);
  /// Both.
  Result<Bytes> receive(Deadline deadline) {
    Entry entry;
    if (receive_usual(deadline, entry)) [[likely]]
      return entry.frame;
    return receive_other(entry, deadline);
  }
  void release() noexcept;
  /// As Capabilities::undivided_bytes.
  std::size_t undivided_bytes() const noexcept { return max_small_bytes_; }
  /// As Readiness::commits_without_waiting: space claimed in the ring is available.
  bool commits_without_waiting() const noexcept { return claimed_in_ring_; }
  /// As Readiness::arm.
  bool arm() noexcept { return reader_.arm(); }
  /// As ReceiveStatus::has_partial_frame.
  bool has_partial_frame() const noexcept { return share_.receiving(); }
  /// True if `receive` failed because an end closed the connection, and not for an invalid word. Called by
  /// the receiving thread.
  bool has_ended() const noexcept { return reader_.has_ended(); }
  /// False with WaitStrategy::spin: the writer never notifies its reader.
  bool supports_polling() const noexcept { return options_.wait != WaitStrategy::spin; }

  /// Wakes this end's waiting threads after the connection state has changed. Thread-safe.
  void wake() noexcept {
    writer_.wake();
    reader_.wake();
  }

 private:
  /// Claims in a buffer, for a frame that exceeds the ring; an error if it exceeds the frame limit.
  Result<MutableBytes> claim_in_buffer(std::size_t bytes);
  /// Commits a frame that is not in the ring, or after an end has closed.
  Result<void> commit_special(std::size_t bytes, Deadline deadline, bool& broken);
  Result<void> commit_parts(std::size_t bytes, Deadline deadline, bool& broken);
  Result<Bytes> receive_parts(shm::RingReader::Piece piece, Deadline deadline);
  Result<Bytes> assemble(shm::RingReader::Piece piece, Deadline deadline);
  Result<Bytes> check(Bytes frame);
  /// Frees the buffers of partial frames and their share of the budget; nothing more is received.
  void drop() noexcept;
  void release_parts() noexcept;
  Error disconnected_error() const;

  static constexpr std::size_t kDropped = SIZE_MAX;
  static constexpr std::size_t kNoneChecked = SIZE_MAX;  // no frame has this size; one of 0 bytes can arrive
  static constexpr std::size_t kUsualLargeBytes = limits::kFirstMessageBytes;

  const ChannelOptions options_;
  const shm::RingConnectionState& connection_;
  // Of the sending thread.
  shm::RingWriter writer_;
  SendBuffer outgoing_{kUsualLargeBytes,
                       options_.budget};  // a frame that exceeds the ring is written here first
  const std::size_t max_in_ring_bytes_;   // larger frames are claimed in `outgoing_`
  const std::size_t max_small_bytes_;     // of try_send
  bool claimed_in_ring_ = false;
  // Of the receiving thread.
  shm::RingReader reader_;
  ReusableBuffer incoming_{kUsualLargeBytes};  // assembled frames
  std::size_t large_received_ = 0;             // bytes of the frame in use, if it came in parts
  std::size_t assembled_ = 0;                  // bytes of a partial frame; kDropped: receiving has failed
  // Header and size of the last frame whose length was checked: usually, the next one has the same.
  std::uint32_t checked_words_[3] = {};
  std::size_t checked_bytes_ = kNoneChecked;
  ReceiveBudget::Share share_;  // last: it may close the connection until its destruction
};

inline Result<MutableBytes> RingFrames::claim(std::size_t bytes, Deadline deadline) {
  if (bytes > max_in_ring_bytes_) [[unlikely]]
    return claim_in_buffer(bytes);
  claimed_in_ring_ = true;
  return writer_.claim(bytes, deadline);
}

inline bool RingFrames::try_send(Bytes frame) noexcept {
  if (frame.size() > max_small_bytes_ || !writer_.try_send(frame)) [[unlikely]]
    return false;
  if (outgoing_.size() != 0) [[unlikely]]
    outgoing_.note_use(0);
  return true;
}

inline Result<void> RingFrames::commit(std::size_t bytes, Deadline deadline, bool& broken) {
  if (!claimed_in_ring_ || connection_.has_ended()) [[unlikely]]
    return commit_special(bytes, deadline, broken);
  writer_.publish(bytes, shm::FrameKind::frame);
  if (outgoing_.size() != 0) [[unlikely]]
    outgoing_.note_use(0);
  return {};
}

[[gnu::always_inline]] inline bool RingFrames::receive_usual(Deadline deadline, Entry& entry) noexcept {
  entry.frame = reader_.receive_usual(deadline, entry.word);
  const Bytes frame = entry.frame;
  static_assert(kFrameHeaderBytes == sizeof checked_words_);
  return frame.size() == checked_bytes_ && assembled_ == 0 &&
         std::memcmp(frame.data(), checked_words_, 8) == 0 &&
         std::memcmp(frame.data() + 8, checked_words_ + 2, 4) == 0;
}

inline void RingFrames::release() noexcept {
  if (large_received_ != 0) [[unlikely]]
    return release_parts();
  reader_.release();
  if (incoming_.note_use(0)) [[unlikely]]
    share_.done(0);
}

}  // namespace orbweaver::transport
