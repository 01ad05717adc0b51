#include "transport/shm/ring_reader.h"

#include <algorithm>

#include "platform/process_identity.h"

namespace orbweaver::transport::shmem {
namespace {

constexpr int kSpinsBetweenLooks = 64;
/// A reader that spins looks for so much of a frame as long as the last one. More is read in vain too often.
constexpr std::size_t kExpectedLines = 8;
/// So many looks are taken at full speed. A pause costs tens of nanoseconds, and under a hypervisor a loop of
/// them may be taken for idleness and cost microseconds; an answer mostly comes sooner.
constexpr int kEagerLooks = 4096;

}  // namespace

RingReader::RingReader(const RingMemory& memory, Wait wait, const RingLife& life) noexcept
    : memory_(memory), wait_(wait), life_(&life), tell_every_(std::min(memory.bytes / 4, kLapBytes / 2)) {
  memory_.words->reader.store(wait == Wait::spin ? kNeverSleeps : kAwake, std::memory_order_seq_cst);
}

Error RingReader::bad_word(std::uint64_t word) const {
  return {Remedy::reconnect, "the peer wrote a frame word that none can have (kind " +
                                 std::to_string(word >> 32 & ~std::uint64_t{kThenRestart}) + ", " +
                                 std::to_string(word & 0xffffffffu) + " bytes)"};
}

Error RingReader::bad_restart() const {
  return {Remedy::reconnect, "the peer's frame at position " + std::to_string(head_) +
                                 " starts the ring again, of which position " + std::to_string(told_) +
                                 " is the last that it was told to be read"};
}

/// A writer has the room of one ring beyond what it was told. Words that it left there beyond that are older frames'.
bool RingReader::has_read_all_of_gone() noexcept {
  if (gone_at_ == 0) gone_at_ = told_ + memory_.bytes;
  return head_ >= gone_at_;
}

void RingReader::tell_progress() noexcept {
  if (told_ != head_) {
    told_ = head_;
    // R3: the bytes before `head` are used up; pairs with W3.
    memory_.words->head.store(head_, std::memory_order_release);
  }
  // R4: the progress is visible before the writer's wait is looked at; pairs with W4.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (memory_.words->writer.load(std::memory_order_relaxed) == kAsleep) {
    memory_.words->writer.store(kAwake, std::memory_order_relaxed);
    platform::futex_wake(&memory_.words->writer, 1, memory_.shared);
  }
}

Error RingReader::gone() {
  ended_ = true;
  return {Remedy::reconnect, life_->closed ? "connection closed" : "the peer has gone"};
}

Result<std::uint64_t> RingReader::wait_for_word(Deadline deadline) {
  if (head_ - told_ >= kIdleTellBytes) {
    told_ = head_;
    // R3 as in tell_progress; a writer that sleeps is looked for below.
    memory_.words->head.store(head_, std::memory_order_release);
  }
  const std::atomic<std::uint64_t>* word = this->word();
  const std::int64_t spin_ns = wait_ == Wait::block ? 0 : wait_ == Wait::adaptive ? budget_.next_ns() : -1;
  const std::size_t expected = std::min<std::size_t>(next_ - last_, kExpectedLines * kLine);
  if (spin_ns != 0) {
    const Deadline spin_until = spin_ns > 0 ? Deadline::in_ns(spin_ns) : Deadline::never();
    for (int turn = 1;; turn = turn == kEagerLooks + kSpinsBetweenLooks ? kEagerLooks + 1 : turn + 1) {
      if (turn > kEagerLooks) platform::cpu_relax();
      else platform::look_again();
      // All lines of the frame on their way at once, instead of the others after the first.
      for (std::size_t line = kLine; line < expected; line += kLine) {
        __builtin_prefetch(reinterpret_cast<const std::uint8_t*>(word) + line);
      }
      if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) {  // R1
        if (spin_ns > 0) budget_.paid();
        return value;
      }
      if (turn % kSpinsBetweenLooks != 0) continue;
      if (memory_.words->writer.load(std::memory_order_relaxed) == kAsleep) tell_progress();
      if (life_->closed.load(std::memory_order_acquire)) return gone();
      if (life_->peer_gone.load(std::memory_order_acquire)) {
        // Whatever it committed was committed before it went: look once more.
        if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) return value;
        return gone();
      }
      if (deadline.passed()) return Error{Remedy::wait, "nothing came until the deadline"};
      if (spin_ns > 0 && spin_until.passed()) break;
    }
    budget_.wasted();
  }
  return sleep_for_word(deadline);
}

Result<std::uint64_t> RingReader::sleep_for_word(Deadline deadline) {
  const std::atomic<std::uint64_t>* word = this->word();
  std::atomic<std::uint32_t>& asleep = memory_.words->reader;
  tell_progress();
  const Sleeper::Scope sleeping(sleeper_);
  for (;;) {
    // R2: the sleep is announced before the word is looked at a last time; pairs with W2.
    asleep.store(kAsleep, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) {  // R1
      asleep.store(kAwake, std::memory_order_relaxed);
      vain_wakes_ = 0;
      return value;
    }
    if (life_->closed.load(std::memory_order_seq_cst)) return gone();
    if (life_->peer_gone.load(std::memory_order_seq_cst)) {
      if (const std::uint64_t value = word->load(std::memory_order_acquire); value != 0) return value;
      return gone();
    }
    if (deadline.passed()) {
      asleep.store(kAwake, std::memory_order_relaxed);
      return Error{Remedy::wait, "nothing came until the deadline"};
    }
    const auto woken = platform::futex_wait(&asleep, kAsleep, deadline, memory_.shared);
    if (woken == platform::FutexWait::timeout || woken == platform::FutexWait::interrupted) continue;
    if (++vain_wakes_ > kMaxVainWakes) return Error{Remedy::reconnect, "the peer keeps waking and sends nothing"};
  }
}

bool RingReader::arm() noexcept {
  tell_progress();
  // B2, and R2 of a reader that sleeps in poll: announced before the word is looked at; pairs with W2 and B1.
  memory_.words->reader.store(kAtDescriptor, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (word()->load(std::memory_order_acquire) == 0 && !life_->closed.load(std::memory_order_seq_cst) &&
      !life_->peer_gone.load(std::memory_order_seq_cst)) {
    return true;
  }
  memory_.words->reader.store(kAwake, std::memory_order_relaxed);
  return false;
}

void RingReader::wake() noexcept { sleeper_.rouse(memory_.words->reader, memory_.shared); }

void Sleeper::rouse(std::atomic<std::uint32_t>& word, bool shared) noexcept {
  for (;;) {
    // Only from "asleep": a reader that never sleeps says so for good.
    std::uint32_t asleep = kAsleep;
    word.compare_exchange_strong(asleep, kAwake, std::memory_order_seq_cst);
    platform::futex_wake(&word, 1, shared);
    if (!asleep_.load(std::memory_order_seq_cst)) return;
    platform::pause_ns(20'000);  // it is on its way out, or back in for the last time
  }
}

}  // namespace orbweaver::transport::shmem
