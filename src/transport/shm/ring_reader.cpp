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
      publish_interval_(std::min(memory.bytes / 4, kLapBytes / 2)) {
  memory_.words->reader_state.store(wait == WaitStrategy::spin ? kSpinning : kAwake,
                                    std::memory_order_seq_cst);
}

Error RingReader::invalid_word_error(std::uint64_t word) const {
  return {ErrorKind::disconnected, "invalid frame word from the peer (kind " +
                                       std::to_string(word >> 32 & ~std::uint64_t{kWrap}) + ", " +
                                       std::to_string(word & 0xffffffffu) + " bytes)"};
}

Error RingReader::bad_restart() const {
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

Result<std::uint64_t> RingReader::await_word(Deadline deadline) {
  if (read_position_ - published_position_ >= kIdlePublishBytes) {
    published_position_ = read_position_;
    // R3 as in publish_position; a sleeping writer is checked for below.
    memory_.words->read_position.store(read_position_, std::memory_order_release);
  }
  const std::int64_t spin_ns = wait_ == WaitStrategy::block      ? 0
                               : wait_ == WaitStrategy::adaptive ? budget_.next_ns()
                                                                 : -1;
  if (spin_ns != 0) {
    Result<std::uint64_t> value = spin_for_word(deadline, spin_ns);
    if (!value || *value != 0) return value;
    budget_.record_failure();
  }
  return wait_for_word_asleep(deadline);
}

/// Returns 0 if the time for spinning has passed.
Result<std::uint64_t> RingReader::spin_for_word(Deadline deadline, std::int64_t spin_ns) {
  const std::atomic<std::uint64_t>* word = this->word();
  const std::size_t expected =
      std::min<std::size_t>(next_position_ - previous_position_, kMaxPrefetchedLines * kLine);
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
    if (deadline.passed()) return Error{ErrorKind::timed_out, "receive timed out"};
    if (spin_until.passed()) return 0;
  }
}

bool RingReader::has_connection_ended() const noexcept {
  return connection_->closed.load(std::memory_order_seq_cst) ||
         connection_->peer_disconnected.load(std::memory_order_seq_cst);
}

/// pre: the connection has ended. The peer's commits happened before its end: the word is loaded once more.
Result<std::uint64_t> RingReader::last_word() {
  if (!connection_->closed.load(std::memory_order_seq_cst)) {
    if (const std::uint64_t value = word()->load(std::memory_order_acquire); value != 0) return value;
  }
  return disconnected_error();
}

Result<std::uint64_t> RingReader::wait_for_word_asleep(Deadline deadline) {
  const std::atomic<std::uint64_t>* word = this->word();
  std::atomic<std::uint32_t>& asleep = memory_.words->reader_state;
  publish_position();
  const FutexSleeper::Scope sleeping(futex_sleeper_);
  for (;;) {
    // R2: the sleep is announced before the word is checked a last time; pairs with W2.
    asleep.store(kAsleep, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) {  // R1
      asleep.store(kAwake, std::memory_order_relaxed);
      spurious_wakeups_ = 0;
      return value;
    }
    if (has_connection_ended()) return last_word();
    if (deadline.passed()) {
      asleep.store(kAwake, std::memory_order_relaxed);
      return Error{ErrorKind::timed_out, "receive timed out"};
    }
    const auto woken = platform::futex_wait(&asleep, kAsleep, deadline, memory_.shared);
    if (woken == platform::FutexWait::timeout || woken == platform::FutexWait::interrupted) continue;
    if (++spurious_wakeups_ > connection_->max_spurious_wakeups)
      return Error{ErrorKind::disconnected, "too many spurious wake-ups from the peer"};
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
