#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "platform/futex.h"

/// One direction of a shared-memory connection: a byte ring with one writer and one reader, in different
/// processes or not. docs/formats/shm.md draws it and argues the order of its stores and loads.
///
/// Each frame begins on a cache line with a word that holds its kind and length. Storing that word
/// publishes the frame, so that a small call moves one cache line: there is no tail to read. The word of
/// the frame after it is zero by then. Positions count bytes since the beginning and never wrap; the data
/// is mapped twice, one after the other, so that a frame never wraps either. Its ends: ring_writer.h, ring_reader.h.
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

}  // namespace orbweaver::transport::shmem
