#pragma once

#include "base/receive_budget.h"
#include "transport/stream/storage.h"
#include "transport/transport.h"

/// docs/formats/mqueue.md is the published format of a message.
namespace orbweaver::transport::mqueues {

/// What begins every message. Numbers are in the machine's byte order: both ends are on one.
struct MessageHeader {
  std::uint32_t kind;
  std::uint32_t zero;
};
inline constexpr std::uint32_t kFrame = 1;   // a whole frame
inline constexpr std::uint32_t kPart = 2;    // a part of a frame that is too large for a message; more follow
inline constexpr std::uint32_t kLast = 3;    // its last part
inline constexpr std::uint32_t kFrames = 4;  // whole frames, each on a multiple of 8 of the message
inline constexpr std::size_t kHeaderBytes = sizeof(MessageHeader);

constexpr std::size_t round_up_8(std::size_t n) noexcept { return (n + 7) & ~std::size_t{7}; }

/// Takes messages apart into frames. It knows no queue: whoever feeds it receives into `room` and says how much has
/// `arrived`. A frame is handed out where it lies, on a multiple of 8; only one of several parts is put together.
/// Not for two threads at once.
class MessageFrames {
 public:
  /// `share`, which outlives this, is told of frames that have not all arrived; null: nobody is.
  MessageFrames(const ChannelOptions& options, std::size_t message_bytes, ReceiveBudget::Share* share = nullptr) noexcept
      : options_(options), message_bytes_(message_bytes), share_(share) {}

  /// Where the next message goes, once `take` came back empty; empty itself: no memory.
  MutableBytes room() noexcept;
  void arrived(std::size_t bytes) noexcept { size_ = bytes; }

  /// The next frame, valid until `release` and the same until then; empty where another message is needed.
  /// Remedy::reconnect for what no peer would send: nothing after it can be trusted.
  Result<Bytes> take();
  void release() noexcept;
  /// Frees the storage and counts none of it any longer: nothing more will arrive. With no frame in use.
  void drop() noexcept;
  /// Is there anything of a message that `take` has not gone past?
  bool has_some() const noexcept { return size_ != 0; }
  /// Is another whole frame there behind the one in use?
  bool has_more() const noexcept { return at_ != 0 && round_up_8(at_ + length_) < size_; }

 private:
  Result<Bytes> one_of_several();
  Result<void> add_part(Bytes part);

  const ChannelOptions& options_;
  const std::size_t message_bytes_;
  ReceiveBudget::Share* const share_;
  Storage message_{limits::kFirstMessageBytes};
  std::size_t size_ = 0;            // of the message; 0: none is there
  std::size_t at_ = 0, length_ = 0; // of the frame in use, or that is next, in a message of several
  Storage parts_{limits::kFirstMessageBytes};  // a frame of several messages
  std::size_t assembled_ = 0;       // bytes of one that has not all arrived
  std::size_t large_ = 0;           // bytes of the frame in use, if it came in parts
};

}  // namespace orbweaver::transport::mqueues
