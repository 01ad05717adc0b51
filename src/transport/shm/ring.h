#pragma once

#include <atomic>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "platform/futex.h"
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
};
/// Added to a kind: the next piece does not follow this one; it lies at the ring's beginning.
inline constexpr std::uint32_t kThenRestart = 0x100;

/// Where the reader keeps up, only so much of the ring is used, over and over: these lines stay in the first-level
/// caches of both ends, and the rest of the ring is room for a reader that lags behind. (4 KiB there and an empty
/// reply, cores far apart: 3.1 µs over the whole of a 1 MiB ring, 2.5 over 16 KiB of it; copied by hand: 2.2.)
inline constexpr std::size_t kLapBytes = 16 * 1024;

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
  bool read_head() noexcept;
  bool restarts_after(std::uint64_t next) noexcept;
  void copy_staged(std::uint8_t* frame, std::size_t length) noexcept;
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
  std::uint64_t lap_ends_ = kLapBytes;  // where to ask whether the ring can start again at its beginning
  std::uint64_t kept_word_ = 0;  // of the first frame that is kept; 0: none is
  std::uint64_t kept_at_ = 0;
  bool is_staged_ = false;  // what was claimed is in `staged_`
  alignas(kLine) std::uint8_t staged_[kStagedBytes] = {};  // as it will lie in the ring, word included
};

/// The receiving end. One thread at a time.
class RingReader {
 public:
  RingReader(const RingMemory& memory, Wait wait, const RingLife& life) noexcept;

  struct Piece {
    Kind kind = Kind::frame;
    Bytes bytes;
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
  std::uint32_t vain_wakes_ = 0;
};

}  // namespace orbweaver::transport::shmem
