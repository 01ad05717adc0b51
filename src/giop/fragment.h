#pragma once

#include <cstdint>
#include <vector>

#include "base/receive_budget.h"
#include "giop/message.h"
#include "platform/buffer_memory.h"

namespace orbweaver::giop {

/// Completes a frame that a fragment follows: writes its size and the flag "more fragments". The frame starts
/// with a message header and is a first fragment or a Fragment message. In GIOP 1.2 its size must be a
/// multiple of 8.
void end_fragment(MutableBytes frame) noexcept;
/// Writes the header of a Fragment message to the start of a frame and returns its size. The last fragment is
/// completed by `finish_message`.
std::size_t begin_fragment(MutableBytes frame, std::uint32_t request_id) noexcept;

/// Reassembles fragmented messages (CORBA 3.3 part 2, 9.4.9). One for each connection and direction;
/// one thread at a time.
///
/// GIOP 1.2 interleaves messages by request id; 1.1 has one at a time. Storage grows with the bytes received,
/// not with an announced length, and is reused for the next message.
class FragmentAssembler {
 public:
  /// `max_message_bytes` limits a reassembled message, and the sum of all incomplete messages. `share`, which
  /// must outlive this object, counts these; null: not counted.
  explicit FragmentAssembler(std::size_t max_message_bytes = limits::kMaxMessageBytes,
                             std::size_t max_messages = limits::kMaxFragmentedMessages,
                             ReceiveBudget::Share* share = nullptr) noexcept
      : max_bytes_(max_message_bytes), max_messages_(max_messages), share_(share) {}

  /// Takes the next message of the connection and returns a complete one: `message` itself if it is not a
  /// fragment; the reassembled message, with `header` changed to match, at its last fragment; empty while
  /// fragments are missing. The result is valid until the next call. `header` is that of `message`, as set by
  /// read_header. Fails with ErrorKind::disconnected on a fragment without a first fragment, a fragment that
  /// is too short, and beyond the limits: of bytes, of messages, and of empty fragments
  /// (kMaxEmptyFragments).
  Result<Bytes> add(Bytes message, MessageHeader& header) {
    // All messages except fragments and first fragments are passed through, but a CancelRequest also discards
    // an incomplete message.
    if (!header.more_fragments && header.type != MessageType::fragment &&
        (header.type != MessageType::cancel_request || partial_messages_.empty())) {
      return message;
    }
    return add_part(message, header);
  }

  /// Releases the message that `add` reassembled last.
  void release() noexcept {
    if (!assembled_message_.empty()) [[unlikely]]
      release_assembled();
  }

  /// Frees all storage and stops counting it. Called when nothing more will arrive and no message is in use.
  void clear() noexcept;

  /// The number of incomplete messages, and the bytes received of them.
  std::size_t pending() const noexcept { return partial_messages_.size(); }
  std::size_t pending_bytes() const noexcept { return bytes_; }

 private:
  /// An incomplete message.
  struct PartialMessage {
    MessageHeader header;      // of the first fragment
    std::uint32_t request_id;  // GIOP 1.2
    platform::BufferVector bytes;
    std::int64_t since_ns;  // when the first fragment arrived
    std::uint32_t empty_fragments = 0;
  };
  /// Larger buffers are freed instead of kept for the next message.
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
  // The limit of empty fragments per message, except for the last: they have no legitimate use.
  static constexpr std::uint32_t kMaxEmptyFragments = 16;

  Result<Bytes> add_part(Bytes message, MessageHeader& header);
  Result<Bytes> add_fragment(Bytes message, MessageHeader& header);
  bool update_budget() noexcept;
  void update_idle_budget() noexcept;
  void release_assembled() noexcept;
  Result<Bytes> begin(Bytes message, const MessageHeader& header);
  Result<Bytes> extend(Bytes message, MessageHeader& header);
  Bytes complete(PartialMessage* partial, MessageHeader& header);
  void cancel(Bytes message, const MessageHeader& header);
  void store(platform::BufferVector& bytes, Bytes more);
  PartialMessage* find(Version version, std::uint32_t request_id) noexcept;
  void erase(PartialMessage* partial);
  void recycle(platform::BufferVector bytes);

  const std::size_t max_bytes_;
  const std::size_t max_messages_;
  ReceiveBudget::Share* const share_;
  std::vector<PartialMessage> partial_messages_;
  std::size_t bytes_ = 0;                     // the sum of partial_messages_[…].bytes
  platform::BufferVector assembled_message_;  // the message returned last
  platform::BufferVector cached_buffer_;      // storage for the next message
};

}  // namespace orbweaver::giop
