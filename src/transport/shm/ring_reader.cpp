#include "transport/shm/ring_reader.h"

#include <algorithm>

#include "platform/process_identity.h"

namespace orbweaver::transport::shm {
namespace {

constexpr int kSpinsBetweenChecks = 64;
/// Lines that a spinning reader prefetches, as many as the previous frame had. More are too often read for
/// nothing.
constexpr std::size_t kMaxPrefetchedLines = 8;
/// Checks without a pause instruction. A pause takes tens of nanoseconds, and a hypervisor may take a loop of
/// them for idleness, which costs microseconds; most replies arrive earlier.
constexpr int kSpinsWithoutPause = 4096;

}  // namespace

RingReader::RingReader(const RingMemory& memory, WaitStrategy wait,
                       const RingConnectionState& connection) noexcept
    : memory_(memory), wait_(wait), connection_(&connection),
      publish_interval_(std::min(memory.bytes / 4, kLapBytes / 2)),
      wake_interval_(std::max(memory.bytes / kWakeFraction, publish_interval_)) {
  memory_.words->reader_state.store(wait == WaitStrategy::spin ? kSpinning : kAwake,
                                    std::memory_order_seq_cst);
}

[[gnu::cold]] Error RingReader::invalid_word_error(std::uint64_t word) const {
  return {ErrorKind::disconnected, "invalid frame word from the peer (kind " +
                                       std::to_string(word >> 32 & ~std::uint64_t{kWrap}) + ", " +
                                       std::to_string(word & 0xffffffffu) + " bytes)"};
}

[[gnu::cold]] Error RingReader::bad_restart() const {
  return {ErrorKind::disconnected, "invalid frame word from the peer: the frame at position " +
                                       std::to_string(read_position_) +
                                       " restarts the ring, but the reader has published position " +
                                       std::to_string(published_position_) + " only"};
}

/// True if everything that a disconnected writer can have sent was read: at most one ring beyond the
/// published position. Words beyond that belong to older frames.
bool RingReader::has_read_all_of_gone() noexcept {
  if (gone_at_ == 0) gone_at_ = published_position_ + memory_.bytes;
  return read_position_ >= gone_at_;
}

void RingReader::publish_position() noexcept {
  if (published_position_ != read_position_) {
    published_position_ = read_position_;
    // R3: the bytes before `read_position` are no longer read; pairs with W3.
    memory_.words->read_position.store(read_position_, std::memory_order_release);
  }
  wake_writer();
}

/// Publishes progress between two frames. A sleeping writer is not woken for each of them.
void RingReader::publish_progress() noexcept {
  published_position_ = read_position_;
  memory_.words->read_position.store(read_position_, std::memory_order_release);  // R3
  if (read_position_ - woken_position_ >= wake_interval_) wake_writer();
}

void RingReader::wake_writer() noexcept {
  woken_position_ = read_position_;
  // R4: the position is visible before the writer's wait state is checked; pairs with W4.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (memory_.words->writer_state.load(std::memory_order_relaxed) == kAsleep) {
    memory_.words->writer_state.store(kAwake, std::memory_order_relaxed);
    platform::futex_wake(&memory_.words->writer_state, 1, memory_.shared);
  }
}

Error RingReader::disconnected_error() {
  ended_ = true;
  return {ErrorKind::disconnected, connection_->closed ? "connection closed" : "the peer has disconnected"};
}

Result<RingReader::Piece> RingReader::receive(Deadline deadline) {
  std::uint64_t word;
  const Bytes frame = receive_usual(deadline, word);
  if (!frame.empty()) return Piece{FrameKind::frame, frame};
  return receive_other(word);
}

/// `word` is 0 after a failed wait.
Result<RingReader::Piece> RingReader::receive_other(std::uint64_t word) {
  if (word == 0) return wait_error();
  if (connection_->closed.load(std::memory_order_relaxed)) return disconnected_error();
  if (connection_->peer_disconnected.load(std::memory_order_relaxed) && has_read_all_of_gone())
    return disconnected_error();
  const auto bytes = static_cast<std::size_t>(word & 0xffffffffu);
  const auto kind_bits = static_cast<std::uint32_t>(word >> 32) & ~kWrap;
  if (bytes < kWordBytes || bytes > memory_.bytes / 2 || kind_bits == 0) return invalid_word_error(word);
  next_position_ = read_position_ + round_up(bytes, kLine);
  if ((word >> 32 & kWrap) != 0) {
    next_position_ = ((next_position_ - 1) | (memory_.bytes - 1)) + 1;
    // The conditions of RingWriter::wraps_after, with the latest position that the writer can have read.
    // Without this check the same words could be read for ever.
    if (next_position_ + kShortLapBytes / 2 - published_position_ > memory_.bytes) return bad_restart();
  }
  const std::uint8_t* const at = memory_.data + (read_position_ & (memory_.bytes - 1));
  const Bytes piece(at + kWordBytes, bytes - kWordBytes);
  switch (const auto kind = static_cast<FrameKind>(kind_bits)) {
    case FrameKind::frame:
    case FrameKind::part:
    case FrameKind::last: return Piece{kind, piece};
    case FrameKind::suffix:
      if (const Bytes whole = prefix_cache_.expand(piece); !whole.empty())
        return Piece{FrameKind::frame, whole};
      return invalid_word_error(word);
    default: return store_prefix(word, piece);
  }
}

/// Receives a frame whose prefix is to be cached. Other words are invalid.
Result<RingReader::Piece> RingReader::store_prefix(std::uint64_t word, Bytes piece) {
  const auto kind_bits = static_cast<std::uint32_t>(word >> 32) & ~kWrap;
  const std::size_t prefix_bytes = kind_bits >> kPrefixLengthShift;
  if ((kind_bits & ((1u << kPrefixLengthShift) - 1)) != static_cast<std::uint32_t>(FrameKind::frame) ||
      prefix_bytes != cacheable_prefix_bytes(prefix_bytes) || prefix_bytes > piece.size())
    return invalid_word_error(word);
  prefix_cache_.store(piece.data(), prefix_bytes);
  return Piece{FrameKind::frame, piece};
}

/// Waits with WaitStrategy::spin and adaptive.
std::uint64_t RingReader::spin_before_sleep(Deadline deadline) noexcept {
  if (read_position_ - published_position_ >= kIdlePublishBytes) {
    published_position_ = read_position_;
    // R3 as in publish_position; a sleeping writer is checked for below.
    memory_.words->read_position.store(read_position_, std::memory_order_release);
  }
  const std::int64_t spin_ns = wait_ == WaitStrategy::adaptive ? budget_.next_ns() : -1;
  if (spin_ns != 0) {
    wait_failure_ = WaitFailure::none;
    const std::uint64_t word = spin_for_word(deadline, spin_ns);
    if (word != 0 || wait_failure_ != WaitFailure::none) return word;
    budget_.record_failure();
  }
  return wait_for_word_asleep(deadline);
}

Error RingReader::wait_error() {
  switch (wait_failure_) {
    case WaitFailure::timed_out: return Error{ErrorKind::timed_out, "receive timed out"};
    case WaitFailure::spurious_wakeups:
      return Error{ErrorKind::disconnected, "too many spurious wake-ups from the peer"};
    default: return disconnected_error();
  }
}

/// 0 without a failure: the time for spinning has passed.
std::uint64_t RingReader::spin_for_word(Deadline deadline, std::int64_t spin_ns) noexcept {
  const std::atomic<std::uint64_t>* word = this->word();
  const std::size_t expected = static_cast<std::size_t>(
      std::min<std::uint64_t>(next_position_ - previous_position_, kMaxPrefetchedLines * kLine));
  const Deadline spin_until = spin_ns > 0 ? Deadline::in_ns(spin_ns) : Deadline::never();
  for (int turn = 1;;
       turn = turn == kSpinsWithoutPause + kSpinsBetweenChecks ? kSpinsWithoutPause + 1 : turn + 1) {
    if (turn > kSpinsWithoutPause)
      platform::cpu_relax();
    else
      platform::speculation_barrier();
    // Prefetches all lines of the frame at once, instead of the others after the first.
    for (std::size_t line = kLine; line < expected; line += kLine) {
      __builtin_prefetch(reinterpret_cast<const std::uint8_t*>(word) + line);
    }
    if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) {  // R1
      if (spin_ns > 0) budget_.record_success();
      return value;
    }
    if (turn % kSpinsBetweenChecks != 0) continue;
    if (memory_.words->writer_state.load(std::memory_order_relaxed) == kAsleep) publish_position();
    if (has_connection_ended()) return last_word();
    if (deadline.passed()) return fail_wait(WaitFailure::timed_out);
    if (spin_until.passed()) return 0;
  }
}

bool RingReader::has_connection_ended() const noexcept {
  return connection_->closed.load(std::memory_order_seq_cst) ||
         connection_->peer_disconnected.load(std::memory_order_seq_cst);
}

/// pre: the connection has ended. The peer's commits happened before its end: the word is loaded once more.
std::uint64_t RingReader::last_word() noexcept {
  if (!connection_->closed.load(std::memory_order_seq_cst)) {
    if (const std::uint64_t value = word()->load(std::memory_order_acquire); value != 0) return value;
  }
  return fail_wait(WaitFailure::ended);
}

std::uint64_t RingReader::wait_for_word_asleep(Deadline deadline) noexcept {
  const std::atomic<std::uint64_t>* word = this->word();
  std::atomic<std::uint32_t>& asleep = memory_.words->reader_state;
  const RingConnectionState& connection = *connection_;
  publish_position();
  const FutexSleeper::Scope sleeping(futex_sleeper_);
  for (;;) {
    // R2: the sleep is announced before the word is checked a last time; pairs with W2.
    asleep.store(kAsleep, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint64_t value = word->load(std::memory_order_acquire);  // R1
    if (value == 0) {
      if (connection.closed.load(std::memory_order_seq_cst) ||
          connection.peer_disconnected.load(std::memory_order_seq_cst))
        return last_word();
      if (deadline.passed()) {
        asleep.store(kAwake, std::memory_order_relaxed);
        return fail_wait(WaitFailure::timed_out);
      }
      const auto woken = platform::futex_wait(&asleep, kAsleep, deadline, memory_.shared);
      if (woken == platform::FutexWait::timeout || woken == platform::FutexWait::interrupted) continue;
      value = word->load(std::memory_order_acquire);  // R1
      if (value == 0) {
        if (++spurious_wakeups_ > connection.max_spurious_wakeups)
          return fail_wait(WaitFailure::spurious_wakeups);
        continue;
      }
    }
    asleep.store(kAwake, std::memory_order_relaxed);
    spurious_wakeups_ = 0;
    return value;
  }
}

bool RingReader::arm() noexcept {
  publish_position();
  // B2, and R2 of a reader that polls: announced before the word is checked; pairs with W2 and B1.
  memory_.words->reader_state.store(kPolling, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (word()->load(std::memory_order_acquire) == 0 && !has_connection_ended()) return true;
  memory_.words->reader_state.store(kAwake, std::memory_order_relaxed);
  return false;
}

void RingReader::wake() noexcept { futex_sleeper_.wake(memory_.words->reader_state, memory_.shared); }

void FutexSleeper::wake(std::atomic<std::uint32_t>& word, bool shared) noexcept {
  for (;;) {
    // Only from kAsleep: kSpinning is permanent.
    std::uint32_t asleep = kAsleep;
    word.compare_exchange_strong(asleep, kAwake, std::memory_order_seq_cst);
    platform::futex_wake(&word, 1, shared);
    if (!asleep_.load(std::memory_order_seq_cst)) return;
    // the thread is leaving its wait, or about to check the state before sleeping
    platform::sleep_ns(20'000);
  }
}

}  // namespace orbweaver::transport::shm
