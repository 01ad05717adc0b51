#pragma once

#include <algorithm>
#include <cstring>

#include "base/result.h"
#include "transport/shm/prefix_cache.h"
#include "transport/shm/ring.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport::shm {

/// Frames up to this size are staged in the writer's private memory and copied to the ring at once when they
/// are published. The reader polls the line in which a frame begins: each store of an encoder would have to
/// take that line back from its cache. (Empty call and reply, distant cores: 1.19 µs in place, 0.71 staged;
/// near cores: 0.35 and 0.29; two flags alone: 0.46 and 0.10.) Larger frames are written in place: a copy
/// would cost more.
inline constexpr std::size_t kStagedBytes = 32 * kLine;
inline constexpr std::size_t kPrefetchLines = 4;

/// Sending end of a ring. Used by one thread at a time.
class RingWriter {
 public:
  RingWriter(const RingMemory& memory, WaitStrategy wait, const RingConnectionState& connection) noexcept
      : memory_(memory), wait_(wait), connection_(&connection) {}

  /// The largest size that one claim accepts.
  std::size_t max_piece() const noexcept { return memory_.bytes / 2 - kLine; }
  /// Claims `bytes` (at most max_piece), aligned to 8: in the ring, or for a small frame in this object until
  /// it is published. Waits for the reader while the ring is full.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  /// Claims, copies and publishes a frame of at most kStagedBytes. Returns false, and has done nothing, if
  /// that takes more than the copy: an end has closed, the frame begins with other octets than those cached,
  /// frames are queued, a lap ends, or no space is known to be free. The frame is then claimed and published.
  bool try_send(Bytes frame) noexcept;
  /// Publishes the first `bytes` claimed, and the queued frames before them.
  void publish(std::size_t bytes, FrameKind kind) noexcept;
  /// As publish, but the frame becomes visible with the next publish or publish_queued: the word of the first
  /// queued frame is stored last. A writer that waits for space publishes its queue first.
  void queue(std::size_t bytes, FrameKind kind) noexcept;
  void publish_queued() noexcept;
  /// Wakes a waiting writer after the connection state has changed. Thread-safe.
  void wake() noexcept;

 private:
  Result<MutableBytes> claim_at_end(std::size_t bytes, std::uint64_t end, Deadline deadline);
  MutableBytes claim_space(std::size_t bytes, std::uint64_t end) noexcept;
  Result<void> wait_for_room(std::uint64_t end, Deadline deadline);
  Result<bool> has_room(std::uint64_t end, Deadline deadline);
  Result<bool> spin_for_room(std::uint64_t end, Deadline deadline, std::int64_t spin_ns);
  Result<bool> sleep_for_room(std::uint64_t end, Deadline deadline);
  std::uint64_t write_piece(std::size_t bytes, FrameKind kind) noexcept;
  void publish_word(std::uint8_t* data, std::uint64_t mask, std::uint64_t position,
                    std::uint64_t word) noexcept;
  void update_send_limit() noexcept;
  void wake_reader() noexcept;
  Error disconnected_error() const;
  bool refresh_read_position() noexcept;
  bool wraps_after(std::uint64_t end) noexcept;
  void copy_staged(std::uint8_t* frame, std::size_t bytes) const noexcept;
  void copy_suffix(std::uint8_t* frame, std::size_t prefix_bytes, std::size_t suffix) const noexcept;
  std::size_t announce_prefix(std::size_t bytes) noexcept;
  std::atomic<std::uint64_t>* word_at(std::uint64_t position) const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data + (position & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  WaitStrategy wait_;
  const RingConnectionState* connection_;
  SpinBudget budget_;
  FutexSleeper futex_sleeper_;
  std::uint64_t write_position_ = 0;        // of the next frame
  std::uint64_t cached_read_position_ = 0;  // the reader's position as last loaded
  std::uint64_t lap_begins_ = 0;
  std::uint64_t lap_ends_ = kShortLapBytes;  // where wraps_after is asked next
  std::uint64_t queued_word_ = 0;            // of the first queued frame; 0: none
  std::uint64_t queued_position_ = 0;
  // Frames that end before it, with the line behind them, are sent by `try_send`.
  std::uint64_t send_limit_ = 0;
  bool is_staged_ = false;  // the claimed space is in `staged_`
  PrefixDetector prefix_detector_;
  // Laid out as in the ring, word included. The last line is padding: copies of whole lines read beyond a
  // frame.
  alignas(kLine) std::uint8_t staged_[kStagedBytes + kLine] = {};
};

// ---- inline: the path of every frame, so that a channel's virtual function contains it ----

inline Result<MutableBytes> RingWriter::claim(std::size_t bytes, Deadline deadline) {
  // One line behind the frame stays free: its first word is zeroed when the frame is published.
  const std::uint64_t end = write_position_ + round_up(kWordBytes + bytes, kLine) + kLine;
  if (end - cached_read_position_ > memory_.bytes || connection_->has_ended()) [[unlikely]]
    return claim_at_end(bytes, end, deadline);
  return claim_space(bytes, end);
}

/// Claims space that is free. `end`: where the line behind the frame ends.
inline MutableBytes RingWriter::claim_space(std::size_t bytes, std::uint64_t end) noexcept {
  // The line behind this frame is zeroed when it is published; prefetching it now overlaps with the encoding.
  platform::prefetch_to_write(word_at(end - kLine));
  is_staged_ = kWordBytes + bytes <= kStagedBytes;
  if (is_staged_) return MutableBytes(staged_ + kWordBytes, bytes);
  std::uint8_t* at = memory_.data + (write_position_ & (memory_.bytes - 1));
  platform::prefetch_to_write(at);
  return MutableBytes(at + kWordBytes, bytes);
}

/// Copies a staged frame without its word. The line that the reader polls is copied last, at once.
inline void RingWriter::copy_staged(std::uint8_t* frame, std::size_t bytes) const noexcept {
  for (std::size_t line = kLine; line < kWordBytes + bytes; line += kLine)
    std::memcpy(frame + line, staged_ + line, kLine);
  std::memcpy(frame + kWordBytes, staged_ + kWordBytes, kLine - kWordBytes);
}

/// Copies a staged frame without its cached prefix: the varying octets, then the `suffix` octets behind the
/// prefix.
inline void RingWriter::copy_suffix(std::uint8_t* frame, std::size_t prefix_bytes,
                                    std::size_t suffix) const noexcept {
  constexpr std::size_t kRestAt = kWordBytes + kVaryingBytes;
  const std::uint8_t* const from = staged_ + kWordBytes + prefix_bytes;
  for (std::size_t at = kLine - kRestAt; at < suffix; at += kLine)
    std::memcpy(frame + kRestAt + at, from + at, kLine);
  if (suffix != 0) std::memcpy(frame + kRestAt, from, kLine - kRestAt);
  std::memcpy(frame + kWordBytes, staged_ + kWordBytes + kVaryingOffset, kVaryingBytes);
}

/// Writes a frame except its word, which is returned; the caller stores it to publish the frame.
inline std::uint64_t RingWriter::write_piece(std::size_t bytes, FrameKind kind) noexcept {
  auto kind_bits = static_cast<std::uint64_t>(kind);
  std::size_t omitted = 0;  // bytes of the prefix
  if (is_staged_ && kind == FrameKind::frame && PrefixDetector::may_omit(bytes)) {
    omitted = prefix_detector_.announced_prefix_of(staged_ + kWordBytes, bytes);
    if (omitted != 0) [[likely]] {
      kind_bits = static_cast<std::uint64_t>(FrameKind::suffix);
      bytes -= omitted - kVaryingBytes;
    } else {
      kind_bits |= announce_prefix(bytes) << kPrefixLengthShift;
    }
  }
  const std::uint64_t end = write_position_ + round_up(kWordBytes + bytes, kLine);
  std::uint64_t next = end;
  if (end >= lap_ends_ && end - write_position_ <= kLapBytes / 2 && kind == FrameKind::frame &&
      wraps_after(end)) [[unlikely]] {
    next = (end | (memory_.bytes - 1)) + 1;
    lap_begins_ = next;
    lap_ends_ = next + lap_of(static_cast<std::size_t>(end - write_position_));
    kind_bits |= kWrap;
  }
  std::uint8_t* const data = memory_.data;  // loaded once: the copies may alias any member
  const std::uint64_t mask = memory_.bytes - 1;
  std::uint8_t* const frame = data + (write_position_ & mask);
  reinterpret_cast<std::atomic<std::uint64_t>*>(data + (next & mask))->store(0, std::memory_order_relaxed);
  if (omitted != 0)
    copy_suffix(frame, omitted, bytes - kVaryingBytes);
  else if (is_staged_)
    copy_staged(frame, bytes);
  write_position_ = next;
  return kind_bits << 32 | (kWordBytes + bytes);
}

/// `data`, `mask`: of the ring, loaded before the frame was written, as its bytes may alias any member.
[[gnu::always_inline]] inline void RingWriter::publish_word(std::uint8_t* data, std::uint64_t mask,
                                                            std::uint64_t position,
                                                            std::uint64_t word) noexcept {
  const std::uint64_t next = write_position_;
  std::atomic<std::uint32_t>& reader_state = memory_.words->reader_state;
  // W1: publishes the bytes, the zero behind them and the frames queued behind this one; pairs with the
  // reader's acquire R1.
  reinterpret_cast<std::atomic<std::uint64_t>*>(data + (position & mask))
      ->store(word, std::memory_order_release);
  // The reader had the next frame's lines last: prefetching them for writing now takes them back outside of
  // the next call's latency.
  const std::uint64_t last = next + std::min<std::uint64_t>(next - position, kPrefetchLines * kLine);
  std::uint64_t line = next;
  do {
    line += kLine;
    platform::prefetch_to_write(data + (line & mask));
  } while (line < last);
  if (reader_state.load(std::memory_order_relaxed) == kSpinning) return;
  // W2: the word is visible before the reader's state is checked; pairs with R2, where the reader announces
  // its sleep before it checks the word a last time. One of the two sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((reader_state.load(std::memory_order_relaxed) & kAsleep) != 0) wake_reader();
}

inline bool RingWriter::try_send(Bytes frame) noexcept {
  const std::uint64_t at = write_position_;
  std::size_t bytes = frame.size();
  if (at + round_up(kWordBytes + bytes, kLine) + kLine > send_limit_ || connection_->has_ended()) [[unlikely]]
    return false;
  const std::uint8_t* from = frame.data();
  std::uint8_t* const data = memory_.data;
  const std::uint64_t mask = memory_.bytes - 1;
  std::uint8_t* const to = data + (at & mask) + kWordBytes;
  auto kind = static_cast<std::uint64_t>(FrameKind::frame);
  if (PrefixDetector::may_omit(bytes)) {
    const std::size_t omitted = prefix_detector_.announced_prefix_of(from, bytes);
    if (omitted == 0) [[unlikely]]
      return false;
    kind = static_cast<std::uint64_t>(FrameKind::suffix);
    std::memcpy(to, from + kVaryingOffset, kVaryingBytes);
    if (const std::size_t suffix = bytes - omitted; suffix != 0)
      std::memcpy(to + kVaryingBytes, from + omitted, suffix);
    bytes -= omitted - kVaryingBytes;
  } else if (bytes >= 16 && bytes <= 32) {
    std::memcpy(to, from, 16);
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else {
    std::memcpy(to, from, bytes);
  }
  const std::uint64_t next = at + round_up(kWordBytes + bytes, kLine);
  reinterpret_cast<std::atomic<std::uint64_t>*>(data + (next & mask))->store(0, std::memory_order_relaxed);
  write_position_ = next;
  publish_word(data, mask, at, kind << 32 | (kWordBytes + bytes));
  return true;
}

inline void RingWriter::publish(std::size_t bytes, FrameKind kind) noexcept {
  if (queued_word_ != 0) [[unlikely]] {
    queue(bytes, kind);
    return publish_queued();
  }
  const std::uint64_t at = write_position_;
  const std::uint64_t word = write_piece(bytes, kind);
  publish_word(memory_.data, memory_.bytes - 1, at, word);
  update_send_limit();
}

/// The positions on which it depends never decrease, and it is 0 while frames are queued.
inline void RingWriter::update_send_limit() noexcept {
  // As in `claim`, one line behind a frame stays free. A frame that ends a lap is left to wraps_after.
  send_limit_ = std::min(lap_ends_ + kLine - 1, cached_read_position_ + memory_.bytes);
}

}  // namespace orbweaver::transport::shm
