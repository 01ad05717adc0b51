#pragma once

#include <cstdint>
#include <vector>

#include "base/receive_budget.h"
#include "giop/message.h"

namespace orbweaver::giop {

/// What is sent of a message in parts, each a frame of its own. Of GIOP 1.2, all but the last a multiple of 8 bytes long.
/// Ends a frame that another follows: a message whose header is at its beginning, or a fragment.
void end_fragment(MutableBytes frame) noexcept;
/// Writes the header of a fragment to the beginning of a frame: so many bytes. `finish_message` ends the last.
std::size_t begin_fragment(MutableBytes frame, std::uint32_t request_id) noexcept;

/// Puts fragmented messages together (CORBA 3.3 part 2, 9.4.9). One for each connection and direction;
/// one thread at a time.
///
/// GIOP 1.2 interleaves messages by request id; 1.1 has one at a time. What is stored is what arrived,
/// never what a peer announced, and the storage is used again for the next message.
class Assembler {
 public:
  /// `max_message_bytes` bounds a message put together, and the sum of all that are half received. `share`, which outlives
  /// this, is told of these; null: nobody is.
  explicit Assembler(std::size_t max_message_bytes = limits::kMaxMessageBytes,
                     std::size_t max_messages = limits::kMaxFragmentedMessages,
                     ReceiveBudget::Share* share = nullptr) noexcept
      : max_bytes_(max_message_bytes), max_messages_(max_messages), share_(share) {}

  /// Takes the next message of the connection and gives a whole one: `message` itself where it is not a
  /// fragment; one put together, with `header` rewritten to match, at its last fragment; empty while
  /// fragments are missing. Valid until the next call. `header` is that of `message`, as read_header left it.
  /// Fails with Remedy::reconnect on a fragment of nothing, a fragment too short, and beyond the limits: of bytes, of
  /// messages, and of fragments that hold nothing (kMostEmptyFragments).
  Result<Bytes> add(Bytes message, MessageHeader& header) {
    // Everything but fragments and their beginnings passes through untouched, cancellations excepted:
    // they end a message that is half received.
    if (!header.more_fragments && header.type != MessageType::fragment &&
        (header.type != MessageType::cancel_request || partial_.empty())) {
      return message;
    }
    return add_part(message, header);
  }

  /// The message that `add` put together last is done with.
  void release() noexcept {
    if (!whole_.empty()) [[unlikely]] release_whole();
  }

  /// Frees what it has of messages, which are counted no longer: nothing more will arrive. With no message in
  /// use.
  void clear() noexcept;

  /// Messages of which fragments are still missing, and the bytes kept for them.
  std::size_t pending() const noexcept { return partial_.size(); }
  std::size_t pending_bytes() const noexcept { return bytes_; }

 private:
  struct Partial {
    MessageHeader header;      // of the first fragment
    std::uint32_t request_id;  // GIOP 1.2
    std::vector<std::uint8_t> bytes;
    std::int64_t since_ns;  // when the first fragment came
    std::uint32_t empty_fragments = 0;
  };
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
  // Of one message, but for the last: a peer has no use for one.
  static constexpr std::uint32_t kMostEmptyFragments = 16;

  Result<Bytes> add_part(Bytes message, MessageHeader& header);
  Result<Bytes> take_part(Bytes message, MessageHeader& header);
  bool tell_share() noexcept;
  void tell_spare() noexcept;
  void release_whole() noexcept;
  Result<Bytes> begin(Bytes message, const MessageHeader& header);
  Result<Bytes> extend(Bytes message, MessageHeader& header);
  void cancel(Bytes message, const MessageHeader& header);
  void store(std::vector<std::uint8_t>& bytes, Bytes more);
  Partial* find(Version version, std::uint32_t request_id) noexcept;
  void drop(Partial* partial);
  void recycle(std::vector<std::uint8_t> bytes);

  const std::size_t max_bytes_;
  const std::size_t max_messages_;
  ReceiveBudget::Share* const share_;
  std::vector<Partial> partial_;
  std::size_t bytes_ = 0;            // the sum of partial_[…].bytes
  std::vector<std::uint8_t> whole_;  // the message given out last
  std::vector<std::uint8_t> spare_;  // storage for the next one
};

}  // namespace orbweaver::giop
