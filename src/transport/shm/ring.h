#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "platform/futex.h"

/// One direction of a shared-memory connection: a byte ring with one writer and one reader, in one process or
/// two. Layout and memory ordering: docs/formats/shm.md.
///
/// Each frame begins on a cache line with a word that has its kind and length. Storing that word publishes
/// the frame, so that a small call moves one cache line: there is no tail position to read. The word after
/// the frame is zeroed first. Positions count bytes since the beginning and never wrap. The data is mapped
/// twice in a row, so that no frame wraps. The two ends: ring_writer.h, ring_reader.h.
namespace orbweaver::transport::shm {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kWordBytes = 8;

/// Kind of a frame: upper half of its word. The lower half is its length in bytes, including the word.
enum class FrameKind : std::uint32_t {
  frame = 1,   ///< A complete frame.
  part = 2,    ///< A part of a frame that exceeds the ring; more follow.
  last = 3,    ///< The last part.
  suffix = 4,  ///< A complete frame without its cached prefix (prefix_cache.h).
};
/// Flag of a kind: the next piece is at the ring's beginning instead of behind this one.
inline constexpr std::uint32_t kWrap = 0x100;
/// Added to FrameKind::frame: the upper bits hold the length of the prefix that the reader caches for later
/// frames.
inline constexpr unsigned kPrefixLengthShift = 16;

/// While the reader keeps up, the writer reuses the first 16 KiB (a lap): these lines stay in the first-level
/// caches of both ends, and the rest of the ring is a buffer for a reader that lags. (4 KiB sent and an empty
/// reply, distant cores: 3.1 µs over the whole of a 1 MiB ring, 2.5 over 16 KiB of it; copied by hand: 2.2.)
inline constexpr std::size_t kLapBytes = 16 * 1024;
/// Lap for small frames while the reader publishes its position early; larger frames take laps of twice their
/// size. Two hardware threads that share a first-level cache also share it with all other data of both.
inline constexpr std::size_t kShortLapBytes = 4 * 1024;
/// A reader that has further frames wakes a sleeping writer when it has read this part of the ring since the
/// last time: a wake-up costs the reader several microseconds, and the ring has frames meanwhile. A reader
/// without frames wakes the writer at once.
inline constexpr std::size_t kWakeFraction = 16;
/// Time after which a sleeping writer looks for space itself.
inline constexpr std::int64_t kWriterCheck_ns = 10'000'000;
/// Progress after which an idle reader publishes its position.
inline constexpr std::size_t kIdlePublishBytes = kShortLapBytes / 4;
inline constexpr std::size_t lap_of(std::size_t frame_bytes) noexcept {
  return std::clamp(2 * frame_bytes, kShortLapBytes, kLapBytes);
}

/// Shared words of one direction, each on its own cache line. Either end may write any of them at any time:
/// an invalid value only ends the connection or makes its own writer wait.
struct RingWords {
  /// Reader's position: the bytes before it may be reused. Written by the reader after each half lap, and on
  /// request.
  alignas(kLine) std::atomic<std::uint64_t> read_position{0};
  /// Reader's wait state: kAwake, kAsleep (waits in a futex), kSpinning (never sleeps: no fence needed) or
  /// kPolling (waits at its notifier). Odd: must be woken.
  alignas(kLine) std::atomic<std::uint32_t> reader_state{0};
  /// Writer's wait state: kAwake, or kAsleep: the reader publishes `read_position` and wakes it, if it has
  /// further frames only after kWakeFraction of the ring.
  alignas(kLine) std::atomic<std::uint32_t> writer_state{0};
};
inline constexpr std::uint32_t kAwake = 0;
inline constexpr std::uint32_t kAsleep = 1;
inline constexpr std::uint32_t kSpinning = 2;
inline constexpr std::uint32_t kPolling = 3;

// The same in processes of 32 and of 64 bits. Where 64-bit atomics take a lock, there is no such transport
// (kHasSharedMemory).
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint64_t>) == 8 &&
              sizeof(RingWords) == 3 * kLine);

/// One end's view of a direction. `data` has `bytes` bytes (a power of two) and is mapped twice in a row.
struct RingMemory {
  RingWords* words = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  bool shared = true;  ///< Between processes (kind of futex).
};

/// Makes the descriptor readable at which the peer's reader polls. Thread-safe.
class Notifier {
 public:
  virtual void notify() noexcept = 0;

 protected:
  ~Notifier() = default;
};

/// Wake-ups without progress after which the peer is disconnected.
inline constexpr std::uint32_t kMaxSpuriousWakeups = 20'000;

/// State of a connection, shared by its two rings.
struct RingConnectionState {
  /// Whether either end has closed, as far as this thread knows.
  bool has_ended() const noexcept { return ended.load(std::memory_order_relaxed); }
  /// Closes this end. False: it was closed already.
  bool close() noexcept {
    const bool first = !closed.exchange(true, std::memory_order_seq_cst);
    ended.store(true, std::memory_order_seq_cst);
    return first;
  }
  void mark_peer_disconnected() noexcept {
    peer_disconnected.store(true, std::memory_order_seq_cst);
    ended.store(true, std::memory_order_seq_cst);
  }

  std::atomic<bool> closed{false};             ///< By this end: every call fails.
  std::atomic<bool> peer_disconnected{false};  ///< Frames that it has committed can still be read.
  std::atomic<bool> ended{false};              ///< Either of them; set after it.
  /// The peer's. Set before the first frame; null: its reader cannot poll.
  Notifier* notifier = nullptr;
  std::uint32_t max_spurious_wakeups = kMaxSpuriousWakeups;  // a test sets fewer
  /// The peer's features (segment.h); null: this version's.
  const std::atomic<std::uint32_t>* peer_features = nullptr;
};

/// Tracks a thread of this process that sleeps in a futex word which the peer may write. Clearing the word
/// once is not enough to wake it: a peer that stores kAsleep again just before the thread sleeps would make
/// it sleep for ever.
class FutexSleeper {
 public:
  /// Covers a whole wait; the connection state is checked within, with seq_cst.
  class Scope {
   public:
    explicit Scope(FutexSleeper& sleeper) noexcept : futex_sleeper_(sleeper) {
      futex_sleeper_.asleep_.store(true, std::memory_order_seq_cst);
    }
    ~Scope() { futex_sleeper_.asleep_.store(false, std::memory_order_release); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FutexSleeper& futex_sleeper_;
  };
  /// Wakes the thread after the connection state has changed; returns when no thread sleeps.
  void wake(std::atomic<std::uint32_t>& word, bool shared) noexcept;

 private:
  std::atomic<bool> asleep_{false};
};

}  // namespace orbweaver::transport::shm
