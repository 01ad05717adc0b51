#pragma once

#include <algorithm>
#include <cstring>

#include "base/result.h"
#include "transport/shm/repeated_head.h"
#include "transport/shm/ring.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

namespace orbweaver::transport::shmem {

/// Frames up to this size are put together in the writer's own memory and copied at once when they are
/// published. The reader polls the line in which a frame begins: each store of an encoder would have to
/// win that line back from it. (Empty call and reply, cores far apart: 1.19 µs without, 0.71 with; near: 0.35
/// and 0.29; two flags alone: 0.46 and 0.10.) Larger frames are written in place: a copy would cost more.
inline constexpr std::size_t kStagedBytes = 32 * kLine;
inline constexpr std::size_t kAheadLines = 4;

/// The sending end. One thread at a time.
class RingWriter {
 public:
  RingWriter(const RingMemory& memory, Wait wait, const RingLife& life) noexcept
      : memory_(memory), wait_(wait), life_(&life) {}

  /// The largest piece that one claim takes.
  std::size_t max_piece() const noexcept { return memory_.bytes / 2 - kLine; }
  /// Room for `bytes` (at most max_piece), aligned to 8: in the ring itself, or for a small frame in this
  /// object until it is published. Waits for the reader if need be.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline);
  /// As Channel::put_head. `reader_knows`: heads at all.
  void put_head(MutableBytes room, const Head& head, bool reader_knows) noexcept;
  /// Publishes the first `bytes` of what was claimed, and what was kept before it.
  void publish(std::size_t bytes, Kind kind) noexcept;
  /// The same, but the reader sees it only with the next publish, or with publish_kept: the word of the first frame
  /// that is kept is stored last. A writer that waits for room keeps nothing.
  void keep(std::size_t bytes, Kind kind) noexcept;
  void publish_kept() noexcept;
  /// Gets a writer that waits out of its sleep, from any thread, after `life` has changed.
  void wake() noexcept;

 private:
  Result<void> wait_for_room(std::uint64_t end, Deadline deadline);
  std::uint64_t place(std::size_t bytes, Kind kind) noexcept;
  void show(std::uint64_t position, std::uint64_t word) noexcept;
  void wake_reader() noexcept;
  Error gone() const;
  bool read_head() noexcept;
  bool restarts_after(std::uint64_t end) noexcept;
  void copy_staged(std::uint8_t* frame, std::size_t bytes) const noexcept;
  void copy_rest(std::uint8_t* frame, std::size_t rest) const noexcept;
  std::atomic<std::uint64_t>* word_at(std::uint64_t position) const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data + (position & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  Wait wait_;
  const RingLife* life_;
  SpinBudget budget_;
  Sleeper sleeper_;
  std::uint64_t tail_ = 0;  // where the next frame goes
  std::uint64_t head_ = 0;  // the reader's progress as far as it was looked at
  std::uint64_t lap_begins_ = 0;
  std::uint64_t lap_ends_ = kShortLapBytes;  // where to ask whether the ring can start again at its beginning
  std::uint64_t kept_word_ = 0;  // of the first frame that is kept; 0: none is
  std::uint64_t kept_at_ = 0;
  bool is_staged_ = false;  // what was claimed is in `staged_`
  std::size_t head_bytes_ = 0;  // of what was claimed, as far as they may be left out
  std::uint64_t staged_head_ = 0;       // what `staged_` begins with
  std::uint64_t staged_head_before_ = 0;  // … before the claim: until something else is written
  std::uint64_t readers_head_ = 0;      // what the reader keeps, as of what was sent
  // As it will lie in the ring, word included; the last line is there to be read beyond a frame's end.
  alignas(kLine) std::uint8_t staged_[kStagedBytes + kLine] = {};
};

// ---- inline: what every frame passes through, so that a channel's virtual function is all in one piece ----

inline Result<MutableBytes> RingWriter::claim(std::size_t bytes, Deadline deadline) {
  // One line beyond the frame stays free: its first word is zeroed when the frame is published.
  const std::uint64_t end = tail_ + round_up(kWordBytes + bytes, kLine) + kLine;
  if (end - head_ > memory_.bytes) [[unlikely]] {
    if (auto room = wait_for_room(end, deadline); !room) return room.take_error();
  }
  if (life_->closed.load(std::memory_order_relaxed) || life_->peer_gone.load(std::memory_order_relaxed)) [[unlikely]] {
    return gone();
  }
  // The line after this frame is zeroed when it is published; taking it now hides that behind the encoding.
  platform::prefetch_to_write(word_at(end - kLine));
  is_staged_ = kWordBytes + bytes <= kStagedBytes;
  head_bytes_ = 0;
  staged_head_before_ = staged_head_;
  staged_head_ = 0;
  if (is_staged_) return MutableBytes(staged_ + kWordBytes, bytes);
  std::uint8_t* at = memory_.data + (tail_ & (memory_.bytes - 1));
  platform::prefetch_to_write(at);
  return MutableBytes(at + kWordBytes, bytes);
}

inline void RingWriter::put_head(MutableBytes room, const Head& head, bool reader_knows) noexcept {
  if (staged_head_before_ != head.number || !is_staged_) std::memcpy(room.data(), head.octets.data(), head.octets.size());
  if (!is_staged_) return;
  staged_head_ = head.number;
  if (reader_knows) head_bytes_ = usable_head(head.octets.size());
}

/// All but the word, which publishes. The line that the reader polls comes last, in one go.
inline void RingWriter::copy_staged(std::uint8_t* frame, std::size_t bytes) const noexcept {
  for (std::size_t line = kLine; line < kWordBytes + bytes; line += kLine) std::memcpy(frame + line, staged_ + line, kLine);
  std::memcpy(frame + kWordBytes, staged_ + kWordBytes, kLine - kWordBytes);
}

/// The same of a frame whose head stays here: the octets that vary, and `rest` of them that follow the head.
inline void RingWriter::copy_rest(std::uint8_t* frame, std::size_t rest) const noexcept {
  constexpr std::size_t kRestAt = kWordBytes + kVaryingBytes;
  const std::uint8_t* const from = staged_ + kWordBytes + head_bytes_;
  for (std::size_t at = kLine - kRestAt; at < rest; at += kLine) std::memcpy(frame + kRestAt + at, from + at, kLine);
  if (rest != 0) std::memcpy(frame + kRestAt, from, kLine - kRestAt);
  std::memcpy(frame + kWordBytes, staged_ + kWordBytes + kVaryingAt, kVaryingBytes);
}

/// All of a frame but its word, which is returned and goes where the tail was before.
inline std::uint64_t RingWriter::place(std::size_t bytes, Kind kind) noexcept {
  auto how = static_cast<std::uint64_t>(kind);
  bool is_rest = false;
  if (head_bytes_ != 0 && bytes >= head_bytes_ && bytes <= kMostRepeatedBytes) [[likely]] {
    is_rest = readers_head_ == staged_head_;
    readers_head_ = staged_head_;
    how = static_cast<std::uint64_t>(is_rest ? Kind::rest : Kind::frame);
    if (is_rest) bytes -= head_bytes_ - kVaryingBytes;
    else how |= head_bytes_ << kHeadShift;
  }
  const std::uint64_t end = tail_ + round_up(kWordBytes + bytes, kLine);
  std::uint64_t next = end;
  if (end >= lap_ends_ && end - tail_ <= kLapBytes / 2 && kind == Kind::frame && restarts_after(end)) [[unlikely]] {
    next = (end | (memory_.bytes - 1)) + 1;
    lap_begins_ = next;
    lap_ends_ = next + lap_of(end - tail_);
    how |= kThenRestart;
  }
  word_at(next)->store(0, std::memory_order_relaxed);
  std::uint8_t* const frame = memory_.data + (tail_ & (memory_.bytes - 1));
  if (is_rest) copy_rest(frame, bytes - kVaryingBytes);
  else if (is_staged_) copy_staged(frame, bytes);
  tail_ = next;
  return how << 32 | (kWordBytes + bytes);
}

inline void RingWriter::show(std::uint64_t position, std::uint64_t word) noexcept {
  // W1: publishes the bytes and the zero after them, and the frames that were kept behind this one; pairs with the
  // reader's acquire R1.
  word_at(position)->store(word, std::memory_order_release);
  // The reader had the lines of the next frame last: what it will write is won back while nobody waits for it.
  const std::uint64_t again = std::min<std::uint64_t>(tail_ - position, kAheadLines * kLine);
  for (std::uint64_t line = kLine; line <= again; line += kLine) platform::prefetch_to_write(word_at(tail_ + line));
  if (memory_.words->reader.load(std::memory_order_relaxed) == kNeverSleeps) return;
  // W2: the word is visible before the sleep is looked at; pairs with R2, where the reader announces its
  // sleep before it looks at the word a last time. One of the two sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((memory_.words->reader.load(std::memory_order_relaxed) & kAsleep) != 0) wake_reader();
}

inline void RingWriter::publish(std::size_t bytes, Kind kind) noexcept {
  if (kept_word_ != 0) [[unlikely]] {
    keep(bytes, kind);
    return publish_kept();
  }
  const std::uint64_t at = tail_;
  show(at, place(bytes, kind));
}

}  // namespace orbweaver::transport::shmem
