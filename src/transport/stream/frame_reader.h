#pragma once

#include "base/receive_budget.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"

namespace orbweaver::transport {

/// Cuts a stream of bytes into frames. It knows no socket: whoever feeds it reads into `room`, says how much
/// `arrived`, and takes frames until there is none. Not for two threads at once.
///
/// - Small frames are read ahead, as many as are there, so that one system call fetches many. A large frame
///   is read up to its end and no further: what follows it then starts at the front, and is not moved.
/// - A frame is returned aligned to 8. Where the one before it ended off that grid, it is moved down by at
///   most 7 bytes, over bytes that are released already: cheaper than a decoder that reads askew.
/// - Storage grows only with bytes that have arrived, whatever length a frame announces.
class FrameReader {
 public:
  /// `share`, which outlives this, is told of frames that have not all arrived; null: nobody is.
  FrameReader(FrameLength frame_length, std::size_t max_frame_bytes, ReceiveBudget::Share* share = nullptr) noexcept
      : frame_length_(frame_length), max_frame_bytes_(max_frame_bytes), share_(share), storage_(kUsualBytes) {}

  /// The next frame, valid until `release`; empty while it is not all there. Remedy::reconnect if the bytes
  /// are no frame or one beyond the limit: nothing after them can be trusted. Throws where there is no memory
  /// to say so.
  Result<Bytes> take() {
    const std::size_t there = end_ - begin_;
    if (length_ == 0 && there >= kFrameHeaderBytes && begin_ % 8 == 0 && !waiting_) [[likely]] {
      const std::uint8_t* const start = storage_.data() + begin_;
      const Result<std::size_t> length = frame_length_(Bytes(start, kFrameHeaderBytes));
      if (length && *length >= kFrameHeaderBytes && *length <= max_frame_bytes_ && *length <= there) [[likely]] {
        length_ = *length;
        return Bytes(start, length_);
      }
    }
    return take_with_care();
  }
  void release() noexcept;
  /// Frees the storage and counts none of it any longer: nothing more will arrive. With no frame in use.
  void drop() noexcept;

  /// Where the next bytes of the stream go. Only after `take` came back empty. Empty: no memory, or more than the ORB
  /// may hold of frames that have not all arrived.
  MutableBytes room() noexcept {
    if (end_ == 0 && storage_.size() != 0) [[likely]] return MutableBytes(storage_.data(), storage_.size() / 2);
    return more_room();
  }
  void arrived(std::size_t bytes) noexcept { end_ += bytes; }

  /// What is there of a frame that has not all arrived, and its length (0 while not even that is known).
  std::size_t begun_bytes() const noexcept { return end_ - begin_; }
  std::size_t announced_bytes() const noexcept { return length_; }

 private:
  /// Where the frame has not all arrived, lies askew, is in use already, or is none.
  Result<Bytes> take_with_care();
  MutableBytes more_room() noexcept;
  bool hold() noexcept;

  // Twice what one read fetches, so that a frame that was cut off by the end of a read has its rest behind it.
  static constexpr std::size_t kUsualBytes = 2 * limits::kFirstMessageBytes;
  static constexpr std::size_t kLargeFrame = std::size_t{8} << 10;
  // Less is not counted: a buffer of the usual size holds it, and there are no more of those than connections.
  static constexpr std::size_t kLeastCounted = std::size_t{16} << 10;

  const FrameLength frame_length_;
  const std::size_t max_frame_bytes_;
  ReceiveBudget::Share* const share_;
  bool waiting_ = false;    // for the rest of a frame, as the share was told
  Storage storage_;
  std::size_t begin_ = 0;   // of the next frame
  std::size_t end_ = 0;     // of what has arrived
  std::size_t length_ = 0;  // of the next frame, once its header is there
  std::size_t moved_by_ = 0;  // towards the front, to be aligned
};

}  // namespace orbweaver::transport
