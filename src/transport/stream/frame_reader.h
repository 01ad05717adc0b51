#pragma once

#include "base/receive_budget.h"
#include "transport/stream/reusable_buffer.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Splits a byte stream into frames. Independent of sockets: the caller reads into `room`, reports the number
/// of bytes to `arrived`, and calls `next_frame` until it returns empty. Not thread-safe.
///
/// - Small frames are read ahead, as many as have arrived, so that one system call fetches many. A large
///   frame is read up to its end and no further: the next one then starts at the buffer's front and is not
///   moved.
/// - A frame is returned aligned to 8. If the previous frame ended at another alignment, it is moved down by
///   at most 7 bytes, over released bytes: cheaper than decoding unaligned data.
/// - The buffer grows only with bytes that have arrived, whatever length a frame announces.
class FrameReader {
 public:
  /// `share` counts frames that have not arrived completely and outlives this object; null: no counting.
  FrameReader(FrameLength frame_length, std::size_t max_frame_bytes,
              ReceiveBudget::Share* share = nullptr) noexcept
      : frame_length_(frame_length), max_frame_bytes_(max_frame_bytes), share_(share), storage_(kUsualBytes) {
  }

  /// Returns the next frame, valid until `release`; empty while it is incomplete.
  /// Errors: disconnected if the bytes are malformed or the frame exceeds the limit; the data after it cannot
  /// be parsed. Throws std::bad_alloc if there is no memory for the error's text.
  Result<Bytes> next_frame() {
    const std::size_t available = end_ - begin_;
    if (length_ == 0 && available >= kFrameHeaderBytes && begin_ % 8 == 0 && !partial_reported_) [[likely]] {
      const std::uint8_t* const start = storage_.data() + begin_;
      const Result<std::size_t> length = frame_length_(Bytes(start, kFrameHeaderBytes));
      if (length && *length >= kFrameHeaderBytes && *length <= max_frame_bytes_ && *length <= available)
          [[likely]] {
        length_ = *length;
        return Bytes(start, length_);
      }
    }
    return next_frame_slow();
  }
  void release() noexcept;
  /// Frees the buffer and its share of the budget; nothing more will arrive. pre: no frame in use.
  void drop() noexcept;

  /// Returns the buffer for the next bytes of the stream. pre: `next_frame` returned empty. Empty: no memory,
  /// or the ORB's budget for partial frames is exhausted.
  MutableBytes room() noexcept {
    if (end_ == 0 && storage_.size() != 0) [[likely]]
      return MutableBytes(storage_.data(), storage_.size() / 2);
    return more_room();
  }
  void arrived(std::size_t bytes) noexcept { end_ += bytes; }

  /// Bytes received of a partial frame, and its length (0 while its header is incomplete).
  std::size_t partial_bytes() const noexcept { return end_ - begin_; }
  std::size_t announced_bytes() const noexcept { return length_; }

 private:
  /// For a frame that is partial, unaligned, already in use or malformed.
  Result<Bytes> next_frame_slow();
  MutableBytes more_room() noexcept;
  bool hold() noexcept;

  // Twice the size of one read, so that a frame cut by the end of a read has space for its rest.
  static constexpr std::size_t kUsualBytes = 2 * limits::kFirstMessageBytes;
  static constexpr std::size_t kLargeFrame = std::size_t{8} << 10;
  // Smaller frames are not counted: they fit into a buffer of the usual size, of which each connection has at
  // most one.
  static constexpr std::size_t kMinCountedBytes = std::size_t{16} << 10;

  const FrameLength frame_length_;
  const std::size_t max_frame_bytes_;
  ReceiveBudget::Share* const share_;
  bool partial_reported_ = false;  // the share counts a partial frame
  ReusableBuffer storage_;
  std::size_t begin_ = 0;     // of the next frame
  std::size_t end_ = 0;       // of the received bytes
  std::size_t length_ = 0;    // of the next frame, once its header has arrived
  std::size_t moved_by_ = 0;  // bytes moved towards the front, for alignment
};

}  // namespace orbweaver::transport
