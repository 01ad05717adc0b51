#include "transport/shm/ring_writer.h"

namespace orbweaver::transport::shmem {
namespace {

constexpr int kSpinsBetweenLooks = 64;

}  // namespace

Error RingWriter::gone() const {
  return {Remedy::reconnect, life_->closed ? "connection closed" : "the peer has gone"};
}

void RingWriter::keep(std::size_t bytes, Kind kind) noexcept {
  const std::uint64_t at = tail_;
  const std::uint64_t word = place(bytes, kind);
  if (kept_word_ == 0) {
    kept_word_ = word;
    kept_at_ = at;
  } else {
    word_at(at)->store(word, std::memory_order_relaxed);  // seen behind the first one's: W1
  }
}

void RingWriter::publish_kept() noexcept {
  if (kept_word_ == 0) return;
  const std::uint64_t word = kept_word_;
  kept_word_ = 0;
  show(kept_at_, word);
}

void RingWriter::wake_reader() noexcept {
  static_assert((kAsleep & 1) == 1 && (kAtDescriptor & 1) == 1 && (kAwake & 1) == 0 && (kNeverSleeps & 1) == 0);
  // B1: the reader made its bell before it announced that it waits there; pairs with B2.
  const std::uint32_t asleep = memory_.words->reader.exchange(kAwake, std::memory_order_acquire);
  if (asleep == kAsleep) {
    platform::futex_wake(&memory_.words->reader, 1, memory_.shared);
  } else if (asleep == kAtDescriptor && life_->bell != nullptr) {
    life_->bell->ring();
  }
}

/// A lap is full, a short or a long one. Start again at the beginning of the ring? Only where the reader has taken all that came before
/// this frame, as far as it has told: until it is past this frame, the writer has no more room than what the lap
/// took. Otherwise the frames go on behind, where the ring is the buffer that it is meant to be, and when a long lap is
/// full this is asked again. The reader's progress is looked at; the reader is not asked to tell it.
bool RingWriter::restarts_after(std::uint64_t end) noexcept {
  const bool is_long = end - lap_begins_ >= kLapBytes;
  const std::size_t lap = is_long ? kLapBytes : lap_of(end - tail_);
  if (is_long) lap_begins_ = end;
  lap_ends_ = lap_begins_ + kLapBytes;
  if (memory_.bytes < 4 * kLapBytes || !read_head()) return false;  // wait_for_room tells of a false progress
  const std::uint64_t beginning = (end | (memory_.bytes - 1)) + 1;
  if (beginning - end == memory_.bytes) return false;  // at the ring's end, going on is starting again
  return tail_ - head_ <= lap / 2 && beginning + lap / 2 - head_ <= memory_.bytes;
}

/// False if the reader claims to have read what was never written.
bool RingWriter::read_head() noexcept {
  // W3: what the reader has given back is no longer read; pairs with its release R3.
  const std::uint64_t head = memory_.words->head.load(std::memory_order_seq_cst);
  if (head - head_ > tail_ - head_) return false;
  head_ = head;
  return true;
}

Result<void> RingWriter::wait_for_room(std::uint64_t end, Deadline deadline) {
  publish_kept();  // the reader makes no room for what it does not see
  std::atomic<std::uint32_t>& asleep = memory_.words->writer;
  const std::int64_t spin_ns = wait_ == Wait::block ? 0 : wait_ == Wait::adaptive ? budget_.next_ns() : -1;
  const Deadline spin_until = spin_ns > 0 ? Deadline::in_ns(spin_ns) : Deadline::never();
  bool spinning = spin_ns != 0;
  bool waited = false, spun_in_vain = false;
  std::uint32_t vain_wakes = 0;
  const Sleeper::Scope sleeping(sleeper_);
  for (int turn = 0;; ++turn) {
    // W4: asks for the reader's progress before looking at it; pairs with R4.
    asleep.store(kAsleep, std::memory_order_seq_cst);
    const std::uint64_t before = head_;
    if (!read_head()) return Error{Remedy::reconnect, "the peer's progress lies beyond what was sent"};
    if (end - head_ <= memory_.bytes) break;
    if (life_->closed.load(std::memory_order_seq_cst)) return Error{Remedy::reconnect, "connection closed"};
    if (life_->peer_gone.load(std::memory_order_seq_cst)) return Error{Remedy::reconnect, "the peer has gone"};
    if (turn % kSpinsBetweenLooks == 0 && deadline.passed()) {
      asleep.store(kAwake, std::memory_order_relaxed);
      return Error{Remedy::wait, "the peer took nothing until the deadline"};
    }
    waited = true;
    if (spinning) {
      platform::cpu_relax();
      if (wait_ == Wait::adaptive && turn % kSpinsBetweenLooks == 0 && spin_until.passed()) {
        spinning = false;
        spun_in_vain = true;
        budget_.wasted();
      }
      continue;
    }
    const auto woken = platform::futex_wait(&asleep, kAsleep, deadline, memory_.shared);
    if (woken == platform::FutexWait::timeout) turn = -1;
    if (woken == platform::FutexWait::interrupted) continue;
    vain_wakes = head_ == before ? vain_wakes + 1 : 0;
    if (vain_wakes > kMaxVainWakes) return Error{Remedy::reconnect, "the peer keeps waking and takes nothing"};
  }
  // Room that a first look finds says nothing about spinning: the progress is only looked at when none is left.
  if (wait_ == Wait::adaptive && waited && !spun_in_vain && spin_ns > 0) budget_.paid();
  asleep.store(kAwake, std::memory_order_relaxed);
  return {};
}

void RingWriter::wake() noexcept { sleeper_.rouse(memory_.words->writer, memory_.shared); }

}  // namespace orbweaver::transport::shmem
