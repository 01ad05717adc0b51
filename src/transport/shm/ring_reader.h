#pragma once

#include "base/result.h"
#include "transport/shm/prefix_cache.h"
#include "transport/shm/ring.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport::shm {

/// Receiving end of a ring. Used by one thread at a time.
class RingReader {
 public:
  RingReader(const RingMemory& memory, WaitStrategy wait, const RingConnectionState& connection) noexcept;

  struct Piece {
    FrameKind kind = FrameKind::frame;
    Bytes bytes;  ///< A complete frame has FrameKind::frame here, never suffix.
  };
  /// Returns the next piece in place, valid until `release`.
  Result<Piece> receive(Deadline deadline);
  void release() noexcept;
  /// Wakes a waiting reader after the connection state has changed. Thread-safe.
  void wake() noexcept;
  /// As Readiness::arm. Not with WaitStrategy::spin: the writer does not check its reader's state.
  bool arm() noexcept;
  /// True if `receive` failed because an end closed the connection, and not for an invalid word.
  bool has_ended() const noexcept { return ended_; }

 private:
  Result<std::uint64_t> await_word(Deadline deadline);
  Result<std::uint64_t> spin_for_word(Deadline deadline, std::int64_t spin_ns);
  Result<std::uint64_t> wait_for_word_asleep(Deadline deadline);
  bool has_connection_ended() const noexcept;
  Result<std::uint64_t> last_word();
  void publish_position() noexcept;
  Error disconnected_error();
  Error invalid_word_error(std::uint64_t word) const;
  Error bad_restart() const;
  bool has_read_all_of_gone() noexcept;
  Result<Piece> receive_prefixed(std::uint64_t word, Bytes piece);
  std::atomic<std::uint64_t>* word() const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data +
                                                         (read_position_ & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  WaitStrategy wait_;
  const RingConnectionState* connection_;
  std::size_t publish_interval_;  // bytes of progress
  SpinBudget budget_;
  FutexSleeper futex_sleeper_;
  std::uint64_t read_position_ = 0;       // the frame in use or awaited
  std::uint64_t published_position_ = 0;  // as last published to the writer
  std::uint64_t next_position_ = 0;       // the frame after the one in use
  std::uint64_t previous_position_ = 0;   // the frame before it: the next one probably has the same length
  std::uint64_t gone_at_ = 0;  // end of what a disconnected peer can have written; 0: not disconnected
  std::uint32_t spurious_wakeups_ = 0;
  bool ended_ = false;
  PrefixCache prefix_cache_;
};

// ---- inline: the path of every frame, so that a channel's virtual function contains it ----

[[gnu::always_inline]] inline Result<RingReader::Piece> RingReader::receive(Deadline deadline) {
  // R1: pairs with W1, so that the frame's bytes are visible with its word.
  std::uint64_t word = this->word()->load(std::memory_order_acquire);
  if (word == 0) {
    auto awaited = await_word(deadline);
    if (!awaited) [[unlikely]]
      return awaited.take_error();
    word = *awaited;
  }
  if (connection_->closed.load(std::memory_order_relaxed)) [[unlikely]]
    return disconnected_error();
  if (connection_->peer_disconnected.load(std::memory_order_relaxed) && has_read_all_of_gone()) [[unlikely]]
    return disconnected_error();
  const std::uint64_t bytes = word & 0xffffffffu;
  const std::uint64_t kind = word >> 32 & ~std::uint64_t{kWrap};
  if (bytes < kWordBytes || bytes > memory_.bytes / 2 || kind < 1) [[unlikely]]
    return invalid_word_error(word);
  const std::size_t piece = round_up(bytes, kLine);
  next_position_ = read_position_ + piece;
  if ((word >> 32 & kWrap) != 0) [[unlikely]] {
    next_position_ = ((next_position_ - 1) | (memory_.bytes - 1)) + 1;
    // The conditions of RingWriter::wraps_after, with the latest position that the writer can have read.
    // Without this check the same words could be read for ever.
    if (next_position_ + kShortLapBytes / 2 - published_position_ > memory_.bytes) return bad_restart();
  }
  // Prefetches the other lines while the first is processed.
  const std::uint8_t* frame = memory_.data + (read_position_ & (memory_.bytes - 1));
  for (std::size_t line = kLine; line < piece && line < 72 * kLine; line += kLine)
    __builtin_prefetch(frame + line);
  const Bytes content(frame + kWordBytes, bytes - kWordBytes);
  if (kind > 3) return receive_prefixed(word, content);
  return Piece{static_cast<FrameKind>(kind), content};
}

/// Receives a frame whose prefix is to be cached, or which was sent without its prefix. Other words are
/// invalid.
inline Result<RingReader::Piece> RingReader::receive_prefixed(std::uint64_t word, Bytes piece) {
  const auto kind_bits = static_cast<std::uint32_t>(word >> 32) & ~kWrap;
  const std::size_t prefix_bytes = kind_bits >> kPrefixLengthShift;
  if (kind_bits == static_cast<std::uint32_t>(FrameKind::suffix)) {
    if (const Bytes whole = prefix_cache_.expand(piece); !whole.empty()) [[likely]] {
      return Piece{FrameKind::frame, whole};
    }
  } else if ((kind_bits & ((1u << kPrefixLengthShift) - 1)) == static_cast<std::uint32_t>(FrameKind::frame) &&
             prefix_bytes == cacheable_prefix_bytes(prefix_bytes) && prefix_bytes <= piece.size()) {
    prefix_cache_.store(piece.data(), prefix_bytes);
    return Piece{FrameKind::frame, piece};
  }
  return invalid_word_error(word);
}

inline void RingReader::release() noexcept {
  previous_position_ = read_position_;
  read_position_ = next_position_;
  if (read_position_ - published_position_ >= publish_interval_) [[unlikely]]
    publish_position();
}

}  // namespace orbweaver::transport::shm
