#pragma once

#include "base/receive_budget.h"
#include "transport/stream/reusable_buffer.h"
#include "transport/transport.h"

/// docs/formats/mqueue.md is the published format of a message.
namespace orbweaver::transport::mqueue {

/// Header of every message. Numbers are in the machine's byte order, as both ends are on one machine.
struct MessageHeader {
  std::uint32_t kind;
  std::uint32_t zero;
};
inline constexpr std::uint32_t kFrame = 1;   // one complete frame
inline constexpr std::uint32_t kPart = 2;    // a part of a frame that exceeds one message; more follow
inline constexpr std::uint32_t kLast = 3;    // the last part of a frame
inline constexpr std::uint32_t kFrames = 4;  // complete frames, each at a multiple of 8 of the message
inline constexpr std::size_t kHeaderBytes = sizeof(MessageHeader);

/// Extracts frames from messages. Independent of queues: the caller receives into `room` and reports the size
/// to `arrived`. Frames are returned in place, at a multiple of 8; only a frame of several parts is copied.
/// Not thread-safe.
class MessageFrames {
 public:
  /// `share` counts frames that have not arrived completely and outlives this object; null: no counting.
  MessageFrames(const ChannelOptions& options, std::size_t message_bytes,
                ReceiveBudget::Share* share = nullptr) noexcept
      : options_(options), message_bytes_(message_bytes), share_(share) {}

  /// Returns the buffer for the next message, once `next_frame` returned empty; empty: no memory.
  MutableBytes room() noexcept;
  void arrived(std::size_t bytes) noexcept { size_ = bytes; }

  /// Returns the next frame, valid and returned again until `release`; empty if another message is needed.
  /// Errors: disconnected for a malformed message; the data after it cannot be parsed.
  Result<Bytes> next_frame();
  void release() noexcept;
  /// Frees the buffers and their share of the budget; nothing more will arrive. pre: no frame in use.
  void drop() noexcept;
  /// True if part of a message has not been returned by `next_frame`.
  bool has_some() const noexcept { return size_ != 0; }
  /// True if the message has another complete frame after the one in use.
  bool has_more() const noexcept { return at_ != 0 && round_up(at_ + length_, 8) < size_; }

 private:
  Result<Bytes> assemble(Bytes part, bool is_last);
  Result<Bytes> next_of_batch();
  Result<void> add_part(Bytes part);

  const ChannelOptions& options_;
  const std::size_t message_bytes_;
  ReceiveBudget::Share* const share_;
  ReusableBuffer message_{limits::kFirstMessageBytes};
  std::size_t size_ = 0;             // of the message; 0: none
  std::size_t at_ = 0, length_ = 0;  // of the frame in use or the next one, in a message of several
  ReusableBuffer parts_{limits::kFirstMessageBytes};  // a frame of several messages
  std::size_t assembled_ = 0;                         // bytes of a partial frame
  std::size_t assembled_frame_bytes_ = 0;             // bytes of the frame in use, if it came in parts
};

}  // namespace orbweaver::transport::mqueue
