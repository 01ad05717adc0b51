#pragma once

#include <atomic>
#include <memory>

#include "giop/message.h"
#include "micro/buffer.h"
#include "platform/clock.h"
#include "platform/fd.h"

namespace orbweaver::micro {

/// Limits of the messages that an ORB receives.
struct ReceiveLimits {
  std::size_t max_message_bytes;
  std::size_t max_bytes;              ///< Of all connections; buffers below kKeptBytes are not counted.
  std::int64_t message_timeout_ms;    ///< For a message, plus 1 ms for each byte received, at most four times
                                      ///< as much more; 0: none.
  std::atomic<std::size_t> bytes{0};  ///< Counted at present.
};

/// A share of ReceiveLimits::bytes.
class CountedBytes {
 public:
  explicit CountedBytes(ReceiveLimits& limits) noexcept : limits_(limits) {}
  ~CountedBytes() { set(0); }
  CountedBytes(const CountedBytes&) = delete;
  /// Sets the share; up to kKeptBytes count as none. False beyond the limit of the ORB.
  bool set(std::size_t bytes) noexcept;

 private:
  ReceiveLimits& limits_;
  std::size_t bytes_ = 0;
};

/// Reads the GIOP messages of one connection and reassembles fragments (CORBA 3.3 part 2, 9.4.9). Storage
/// grows with the bytes received, not with the announced length. One thread at a time.
class MessageReader {
 public:
  /// Both must outlive the reader.
  MessageReader(const platform::Fd& socket, ReceiveLimits& limits) noexcept
      : socket_(socket), limits_(limits), counted_(limits) {}
  MessageReader(const MessageReader&) = delete;

  enum class Status : std::uint8_t {
    message,    ///< `message()` is complete.
    timed_out,  ///< No message has begun until the deadline, or the rest of one is missing.
    late,       ///< The peer has exceeded the time limit of a message, or a limit of bytes or fragments.
    malformed,  ///< The peer has sent something that is not GIOP.
    ended,      ///< The peer has closed the connection.
  };
  /// Receives until a message is complete. The previous one is released. Raises NO_MEMORY.
  Status read(platform::Deadline deadline);

  /// The message read last, valid until the next call of read or release.
  Bytes message() const noexcept { return message_; }
  const giop::MessageHeader& header() const noexcept { return header_; }
  /// Moves the message to `into`.
  void take(Buffer& into);
  /// Releases the message.
  void release() noexcept;
  /// Whether a message has been received in part.
  bool in_message() const noexcept { return received_.size() != 0 || partial_ != nullptr; }

 private:
  struct Partial {
    std::unique_ptr<Partial> next;
    giop::MessageHeader header;
    std::uint32_t request_id = 0;
    std::int64_t since_ns = 0;  // when its first fragment began
    Buffer bytes;
  };

  Status receive(platform::Deadline deadline, std::size_t wanted);
  Status add_fragment();
  Status check_time(platform::Deadline deadline, bool wait) noexcept;
  bool count_all() noexcept;
  void message_ended() noexcept;

  const platform::Fd& socket_;
  ReceiveLimits& limits_;
  Buffer received_;                // begins with the message, if it is not a reassembled one
  std::size_t message_bytes_ = 0;  // of the message at the beginning of received_
  Bytes message_;
  giop::MessageHeader header_;
  std::unique_ptr<Partial> partial_;  // incomplete messages, the oldest first
  std::unique_ptr<Partial> whole_;    // the reassembled message
  std::size_t partial_count_ = 0, partial_bytes_ = 0;
  CountedBytes counted_;
  std::int64_t since_ns_ = 0;  // when the oldest incomplete message began; 0: none
};

}  // namespace orbweaver::micro
