#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "base/result.h"
#include "platform/futex.h"
#include "transport/shm/repeated_head.h"
#include "transport/spin_budget.h"
#include "transport/transport.h"

/// One direction of a shared-memory connection: a byte ring with one writer and one reader, in different
/// processes or not. docs/formats/shm.md draws it and argues the order of its stores and loads.
///
/// Each frame begins on a cache line with a word that holds its kind and length. Storing that word
/// publishes the frame, so that a small call moves one cache line: there is no tail to read. The word of
/// the frame after it is zero by then. Positions count bytes since the beginning and never wrap; the data
/// is mapped twice, one after the other, so that a frame never wraps either.
namespace orbweaver::transport::shmem {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kWordBytes = 8;

/// What a frame's word says in its upper half; the lower half is its length in bytes, word included.
enum class Kind : std::uint32_t {
  frame = 1,  ///< A whole frame.
  part = 2,   ///< A part of a frame that is too large for the ring; more follow.
  last = 3,   ///< The last part.
  rest = 4,   ///< A whole frame without the head that was kept from one before (repeated_head.h).
};
/// Added to a kind: the next piece does not follow this one; it lies at the ring's beginning.
inline constexpr std::uint32_t kThenRestart = 0x100;
/// Added to Kind::frame: so many bytes of it, in these upper bits, are to be kept as the head of frames to come.
inline constexpr unsigned kHeadShift = 16;

/// Where the reader keeps up, only so much of the ring is used, over and over: these lines stay in the first-level
/// caches of both ends, and the rest of the ring is room for a reader that lags behind. (4 KiB there and an empty
/// reply, cores far apart: 3.1 µs over the whole of a 1 MiB ring, 2.5 over 16 KiB of it; copied by hand: 2.2.)
inline constexpr std::size_t kLapBytes = 16 * 1024;
/// A reader that tells soon lets small frames take laps of this many bytes only, larger ones of two of theirs: two
/// processors that share a first-level cache share it with all else that both do.
inline constexpr std::size_t kShortLapBytes = 4 * 1024;
/// A reader that has nothing to do tells its progress once it is so much.
inline constexpr std::size_t kIdleTellBytes = kShortLapBytes / 4;
inline constexpr std::size_t lap_of(std::size_t frame_bytes) noexcept {
  return std::clamp(2 * frame_bytes, kShortLapBytes, kLapBytes);
}

/// The shared words of one direction, each on a line of its own. Either end may write anything here at any
/// time: all that a false word can do is to end the connection or to make its own writer wait.
struct RingWords {
  /// Where the reader is: it has used up what lies before. Written by it at every half of a lap, and when asked.
  alignas(kLine) std::atomic<std::uint64_t> head{0};
  /// The reader's sleep: kAwake, kAsleep (a futex to be woken), kNeverSleeps (it spins: no fence needed) or
  /// kAtDescriptor (it polls: ring the bell). Odd: somebody is to be woken.
  alignas(kLine) std::atomic<std::uint32_t> reader{0};
  /// The writer waits for room: kAwake, or kAsleep: tell `head` and wake it.
  alignas(kLine) std::atomic<std::uint32_t> writer{0};
};
inline constexpr std::uint32_t kAwake = 0;
inline constexpr std::uint32_t kAsleep = 1;
inline constexpr std::uint32_t kNeverSleeps = 2;
inline constexpr std::uint32_t kAtDescriptor = 3;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

/// One end's view of a direction. `data` is `bytes` (a power of two) long and mapped twice.
struct RingMemory {
  RingWords* words = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  bool shared = true;  ///< With another process (kind of futex).
};

/// Makes the descriptor readable at which the peer's reader waits. Any thread.
class Doorbell {
 public:
  virtual void ring() noexcept = 0;

 protected:
  ~Doorbell() = default;
};

/// The end of a connection as its two rings see it.
struct RingLife {
  std::atomic<bool> closed{false};     ///< By this end: every call fails.
  std::atomic<bool> peer_gone{false};  ///< What it has committed can still be read.
  Doorbell* bell = nullptr;            ///< The peer's. Set before the first frame; null: its reader cannot poll.
};

/// Frames up to this size are put together in the writer's own memory and copied at once when they are
/// published. The reader polls the line in which a frame begins: each store of an encoder would have to
/// win that line back from it. (Empty call and reply, cores far apart: 1.19 µs without, 0.71 with; near: 0.35
/// and 0.29; two flags alone: 0.46 and 0.10.) Larger frames are written in place: a copy would cost more.
inline constexpr std::size_t kStagedBytes = 32 * kLine;
inline constexpr std::size_t kAheadLines = 4;

/// A thread of this process asleep in a word that the peer, too, may write. Waking it by that word alone could fail:
/// a peer that says "asleep" again just before the thread sleeps would have it sleep for ever.
class Sleeper {
 public:
  /// Around the whole of a wait; `life` is looked at in between, with seq_cst.
  class Scope {
   public:
    explicit Scope(Sleeper& sleeper) noexcept : sleeper_(sleeper) { sleeper_.asleep_.store(true, std::memory_order_seq_cst); }
    ~Scope() { sleeper_.asleep_.store(false, std::memory_order_release); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Sleeper& sleeper_;
  };
  /// After `life` has changed: returns when nobody sleeps any more.
  void rouse(std::atomic<std::uint32_t>& word, bool shared) noexcept;

 private:
  std::atomic<bool> asleep_{false};
};

/// A peer that wakes a thread so often without having sent or read anything wants to keep it busy.
inline constexpr std::uint32_t kMaxVainWakes = 20'000;

/// The sending end. One thread at a time.
class RingWriter {
 public:
  RingWriter(const RingMemory& memory, Wait wait, const RingLife& life) noexcept
      : memory_(memory), wait_(wait), life_(&life) {}

  /// The largest piece that one claim takes.
  std::size_t max_piece() const noexcept { return memory_.bytes / 2 - kLine; }
  /// Room for `bytes` (at most max_piece), aligned to 8: in the ring itself, or for a small frame in this
  /// object until it is published. Waits for the reader if need be.
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept;
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
  Result<void> wait_for_room(std::uint64_t end, Deadline deadline) noexcept;
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

/// The receiving end. One thread at a time.
class RingReader {
 public:
  RingReader(const RingMemory& memory, Wait wait, const RingLife& life) noexcept;

  struct Piece {
    Kind kind = Kind::frame;
    Bytes bytes;            ///< Whole frames are never Kind::rest here.
    Channel::Known known;  ///< What it begins with.
  };
  /// The next piece, in place, until `release`.
  Result<Piece> receive(Deadline deadline) noexcept;
  void release() noexcept;
  /// Gets a reader that waits out of its sleep, from any thread, after `life` has changed.
  void wake() noexcept;
  /// As Channel::arm. Not for a reader that never sleeps: its writer does not look.
  bool arm() noexcept;

 private:
  Result<std::uint64_t> wait_for_word(Deadline deadline) noexcept;
  Result<std::uint64_t> sleep_for_word(Deadline deadline) noexcept;
  void tell_progress() noexcept;
  Error gone() const;
  Error bad_word(std::uint64_t word) const;
  Result<Piece> with_head(std::uint64_t word, Bytes piece) noexcept;
  std::atomic<std::uint64_t>* word() const noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.data + (head_ & (memory_.bytes - 1)));
  }

  RingMemory memory_;
  Wait wait_;
  const RingLife* life_;
  std::size_t tell_every_;   // bytes of progress
  SpinBudget budget_;
  Sleeper sleeper_;
  std::uint64_t head_ = 0;   // the frame that is read or awaited
  std::uint64_t told_ = 0;   // the progress that the writer has been told
  std::uint64_t next_ = 0;   // the frame after the one that is read
  std::uint64_t last_ = 0;   // … and before it: the next one may well be as long
  std::uint32_t vain_wakes_ = 0;
  RepeatedHead repeated_;
};

// ---- inline: what every frame passes through, so that a channel's virtual function is all in one piece ----

inline Result<MutableBytes> RingWriter::claim(std::size_t bytes, Deadline deadline) noexcept {
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

inline Result<RingReader::Piece> RingReader::receive(Deadline deadline) noexcept {
  // R1: pairs with W1, so that the frame's bytes are seen with its word.
  std::uint64_t word = this->word()->load(std::memory_order_acquire);
  if (word == 0) {
    auto awaited = wait_for_word(deadline);
    if (!awaited) return awaited.take_error();
    word = *awaited;
  }
  if (life_->closed.load(std::memory_order_relaxed)) [[unlikely]] return gone();
  const std::uint64_t bytes = word & 0xffffffffu;
  const std::uint64_t kind = word >> 32 & ~std::uint64_t{kThenRestart};
  if (bytes < kWordBytes || bytes > memory_.bytes / 2 || kind < 1) [[unlikely]] return bad_word(word);
  const std::size_t piece = round_up(bytes, kLine);
  next_ = head_ + piece;
  if ((word >> 32 & kThenRestart) != 0) [[unlikely]] next_ = ((next_ - 1) | (memory_.bytes - 1)) + 1;
  // What follows the first line is on its way while that is looked at.
  const std::uint8_t* frame = memory_.data + (head_ & (memory_.bytes - 1));
  for (std::size_t line = kLine; line < piece && line < 72 * kLine; line += kLine) __builtin_prefetch(frame + line);
  const Bytes content(frame + kWordBytes, bytes - kWordBytes);
  if (kind > 3) return with_head(word, content);
  return Piece{static_cast<Kind>(kind), content, {}};
}

/// A frame whose head is to be kept, or which comes without the one that was: anything else is no kind at all.
inline Result<RingReader::Piece> RingReader::with_head(std::uint64_t word, Bytes piece) noexcept {
  const auto how = static_cast<std::uint32_t>(word >> 32) & ~kThenRestart;
  const std::size_t head_bytes = how >> kHeadShift;
  if (how == static_cast<std::uint32_t>(Kind::rest)) {
    if (const Bytes whole = repeated_.put_back(piece); !whole.empty()) [[likely]] {
      return Piece{Kind::frame, whole, repeated_.known()};
    }
  } else if ((how & ((1u << kHeadShift) - 1)) == static_cast<std::uint32_t>(Kind::frame) &&
             head_bytes == usable_head(head_bytes) && head_bytes <= piece.size()) {
    repeated_.keep(piece.data(), head_bytes);
    return Piece{Kind::frame, piece, repeated_.known()};
  }
  return bad_word(word);
}

inline void RingReader::release() noexcept {
  last_ = head_;
  head_ = next_;
  if (head_ - told_ >= tell_every_) [[unlikely]] tell_progress();
}

}  // namespace orbweaver::transport::shmem
