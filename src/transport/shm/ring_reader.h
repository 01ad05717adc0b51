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
  /// As `receive`, for the most frequent pieces: a complete frame, with or without its prefix, before the
  /// connection has ended. Empty: `receive_other` returns the piece or the error.
  Bytes receive_usual(Deadline deadline, std::uint64_t& word) noexcept;
  Result<Piece> receive_other(std::uint64_t word);
  void release() noexcept;
  /// Wakes a waiting reader after the connection state has changed. Thread-safe.
  void wake() noexcept;
  /// As Readiness::arm. Not with WaitStrategy::spin: the writer does not check its reader's state.
  bool arm() noexcept;
  /// True if `receive` failed because an end closed the connection, and not for an invalid word.
  bool has_ended() const noexcept { return ended_; }

 private:
  /// Why a wait has ended without a word; `none` after a spin: sleep instead.
  enum class WaitFailure : std::uint8_t { none, ended, timed_out, spurious_wakeups };

  /// These return 0 after a failure, which is in `wait_failure_`.
  std::uint64_t await_word(Deadline deadline) noexcept {
    return wait_ == WaitStrategy::block ? wait_for_word_asleep(deadline) : spin_before_sleep(deadline);
  }
  std::uint64_t spin_before_sleep(Deadline deadline) noexcept;
  std::uint64_t spin_for_word(Deadline deadline, std::int64_t spin_ns) noexcept;
  std::uint64_t wait_for_word_asleep(Deadline deadline) noexcept;
  std::uint64_t last_word() noexcept;
  std::uint64_t fail_wait(WaitFailure failure) noexcept {
    wait_failure_ = failure;
    return 0;
  }
  [[gnu::cold]] Error wait_error();
  bool has_connection_ended() const noexcept;
  void publish_position() noexcept;
  void publish_progress() noexcept;
  void wake_writer() noexcept;
  Error disconnected_error();
  Error invalid_word_error(std::uint64_t word) const;
  Error bad_restart() const;
  bool has_read_all_of_gone() noexcept;
  Result<Piece> store_prefix(std::uint64_t word, Bytes piece);
  std::atomic<std::uint64_t>* word() const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data +
                                                         (read_position_ & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  WaitStrategy wait_;
  const RingConnectionState* connection_;
  std::size_t publish_interval_;  // bytes of progress
  std::size_t wake_interval_;     // the same, at which a sleeping writer is woken
  SpinBudget budget_;
  FutexSleeper futex_sleeper_;
  std::uint64_t read_position_ = 0;       // the frame in use or awaited
  std::uint64_t published_position_ = 0;  // as last published to the writer
  std::uint64_t woken_position_ = 0;      // where a sleeping writer was last woken
  std::uint64_t next_position_ = 0;       // the frame after the one in use
  std::uint64_t previous_position_ = 0;   // the frame before it: the next one probably has the same length
  std::uint64_t gone_at_ = 0;  // end of what a disconnected peer can have written; 0: not disconnected
  std::uint32_t spurious_wakeups_ = 0;
  bool ended_ = false;
  WaitFailure wait_failure_ = WaitFailure::none;
  PrefixCache prefix_cache_;
};

// ---- inline: the path of every frame, so that a channel's virtual function contains it ----

[[gnu::always_inline]] inline Bytes RingReader::receive_usual(Deadline deadline,
                                                              std::uint64_t& word) noexcept {
  const std::uint64_t position = read_position_;
  const std::uint64_t ring_bytes = memory_.bytes;
  const std::uint8_t* const frame = memory_.data + (position & (ring_bytes - 1));
  // R1: pairs with W1, so that the frame's bytes are visible with its word.
  word = reinterpret_cast<const std::atomic<std::uint64_t>*>(frame)->load(std::memory_order_acquire);
  if (word == 0) word = await_word(deadline);
  const auto bytes = static_cast<std::size_t>(word & 0xffffffffu);
  if (bytes < kWordBytes || bytes > ring_bytes / 2 || connection_->has_ended()) [[unlikely]]
    return {};
  const std::size_t piece = round_up(bytes, kLine);
  next_position_ = position + piece;
  // Prefetches the other lines while the first is processed.
  for (std::size_t line = kLine; line < piece && line < 72 * kLine; line += kLine)
    __builtin_prefetch(frame + line);
  const Bytes content(frame + kWordBytes, bytes - kWordBytes);
  const std::uint64_t kind = word >> 32;
  if (kind == static_cast<std::uint64_t>(FrameKind::suffix)) return prefix_cache_.expand(content);
  if (kind == static_cast<std::uint64_t>(FrameKind::frame)) return content;
  return {};
}

inline void RingReader::release() noexcept {
  previous_position_ = read_position_;
  read_position_ = next_position_;
  if (read_position_ - published_position_ >= publish_interval_) [[unlikely]]
    publish_progress();
}

}  // namespace orbweaver::transport::shm
