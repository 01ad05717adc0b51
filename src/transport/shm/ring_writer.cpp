#include "transport/shm/ring_writer.h"

#include "transport/shm/segment.h"

namespace orbweaver::transport::shm {
namespace {

constexpr int kSpinsBetweenChecks = 64;

}  // namespace

Error RingWriter::disconnected_error() const {
  return {ErrorKind::disconnected, connection_->closed ? "connection closed" : "the peer has disconnected"};
}

/// Returns the length of the prefix that the reader is to store of the staged frame; 0: none.
std::size_t RingWriter::announce_prefix(std::size_t bytes) noexcept {
  const std::atomic<std::uint32_t>* const features = connection_->peer_features;
  if (features != nullptr && (features->load(std::memory_order_acquire) & kPrefixCaching) == 0) return 0;
  return prefix_detector_.announce(staged_ + kWordBytes, bytes);
}

void RingWriter::queue(std::size_t bytes, FrameKind kind) noexcept {
  const std::uint64_t at = write_position_;
  const std::uint64_t word = write_piece(bytes, kind);
  send_limit_ = 0;
  if (queued_word_ == 0) {
    queued_word_ = word;
    queued_position_ = at;
  } else {
    word_at(at)->store(word, std::memory_order_relaxed);  // published by the first one's word: W1
  }
}

void RingWriter::publish_queued() noexcept {
  if (queued_word_ == 0) return;
  const std::uint64_t word = queued_word_;
  queued_word_ = 0;
  publish_word(memory_.data, memory_.bytes - 1, queued_position_, word);
}

void RingWriter::wake_reader() noexcept {
  static_assert((kAsleep & 1) == 1 && (kPolling & 1) == 1 && (kAwake & 1) == 0 && (kSpinning & 1) == 0);
  // B1: the reader created its notifier before it announced that it polls; pairs with B2.
  const std::uint32_t asleep = memory_.words->reader_state.exchange(kAwake, std::memory_order_acquire);
  if (asleep == kAsleep) {
    platform::futex_wake(&memory_.words->reader_state, 1, memory_.shared);
  } else if (asleep == kPolling && connection_->notifier != nullptr) {
    connection_->notifier->notify();
  }
}

/// Decides, at the end of a short or long lap, whether to restart at the ring's beginning. Only if the reader
/// has published a position behind all frames before this one: until it has passed this frame, the writer has
/// no more space than the lap took. Otherwise the frames continue behind the lap, in the rest of the ring,
/// and the decision is repeated at the end of a long lap. The reader's position is loaded, but the reader is
/// not asked to publish it.
bool RingWriter::wraps_after(std::uint64_t end) noexcept {
  const bool is_long = end - lap_begins_ >= kLapBytes;
  const std::size_t lap = is_long ? kLapBytes : lap_of(static_cast<std::size_t>(end - write_position_));
  if (is_long) lap_begins_ = end;
  lap_ends_ = lap_begins_ + kLapBytes;
  // wait_for_room reports an invalid position
  if (memory_.bytes < 4 * kLapBytes || !refresh_read_position()) return false;
  const std::uint64_t beginning = (end | (memory_.bytes - 1)) + 1;
  if (beginning - end == memory_.bytes) return false;  // at the ring's end, continuing is restarting
  return write_position_ - cached_read_position_ <= lap / 2 &&
         beginning + lap / 2 - cached_read_position_ <= memory_.bytes;
}

/// Loads the reader's position. False if it is beyond what was written.
bool RingWriter::refresh_read_position() noexcept {
  // W3: the bytes before the position are no longer read; pairs with the reader's release R3.
  const std::uint64_t read_position = memory_.words->read_position.load(std::memory_order_seq_cst);
  if (read_position - cached_read_position_ > write_position_ - cached_read_position_) return false;
  cached_read_position_ = read_position;
  return true;
}

/// Claims where no space is known to be free, or an end has closed.
Result<MutableBytes> RingWriter::claim_at_end(std::size_t bytes, std::uint64_t end, Deadline deadline) {
  if (end - cached_read_position_ > memory_.bytes) {
    if (auto room = wait_for_room(end, deadline); !room) return room.take_error();
  }
  if (connection_->has_ended()) return disconnected_error();
  return claim_space(bytes, end);
}

Result<void> RingWriter::wait_for_room(std::uint64_t end, Deadline deadline) {
  publish_queued();  // the reader frees no space for frames that it cannot see
  const std::int64_t spin_ns = wait_ == WaitStrategy::block      ? 0
                               : wait_ == WaitStrategy::adaptive ? budget_.next_ns()
                                                                 : -1;
  const FutexSleeper::Scope sleeping(futex_sleeper_);
  Result<bool> has_room = spin_ns == 0 ? Result<bool>(false) : spin_for_room(end, deadline, spin_ns);
  if (has_room && !*has_room) has_room = sleep_for_room(end, deadline);
  if (has_room || has_room.error().kind == ErrorKind::timed_out)
    memory_.words->writer_state.store(kAwake, std::memory_order_relaxed);
  return has_room ? Result<void>() : has_room.take_error();
}

/// Whether the ring has space up to `end`. Announces that this thread waits for it.
Result<bool> RingWriter::has_room(std::uint64_t end, Deadline deadline) {
  // W4: the request is announced before the reader's position is checked; pairs with R4.
  memory_.words->writer_state.store(kAsleep, std::memory_order_seq_cst);
  if (!refresh_read_position()) return Error{ErrorKind::disconnected, "invalid read position from the peer"};
  if (end - cached_read_position_ <= memory_.bytes) return true;
  if (connection_->closed.load(std::memory_order_seq_cst) ||
      connection_->peer_disconnected.load(std::memory_order_seq_cst)) {
    return disconnected_error();
  }
  if (deadline.passed()) return Error{ErrorKind::timed_out, "send timed out: ring full"};
  return false;
}

/// False: sleep instead.
Result<bool> RingWriter::spin_for_room(std::uint64_t end, Deadline deadline, std::int64_t spin_ns) {
  const Deadline spin_until = spin_ns > 0 ? Deadline::in_ns(spin_ns) : Deadline::never();
  for (int turn = 0;; turn = turn == kSpinsBetweenChecks ? 1 : turn + 1) {
    const bool checks_time = turn % kSpinsBetweenChecks == 0;
    Result<bool> room = has_room(end, checks_time ? deadline : Deadline::never());
    // Space found at the first check does not count: the position is loaded only when no space is left.
    if (room && *room && turn != 0 && spin_ns > 0) budget_.record_success();
    if (!room || *room) return room;
    platform::cpu_relax();
    if (checks_time && spin_until.passed()) {
      budget_.record_failure();
      return false;
    }
  }
}

Result<bool> RingWriter::sleep_for_room(std::uint64_t end, Deadline deadline) {
  for (std::uint32_t spurious_wakeups = 0;;) {
    const std::uint64_t before = cached_read_position_;
    Result<bool> room = has_room(end, deadline);
    if (!room || *room) return room;
    const Deadline check = Deadline::in_ns(kWriterCheck_ns);
    const auto woken = platform::futex_wait(&memory_.words->writer_state, kAsleep,
                                            deadline.ns < check.ns ? deadline : check, memory_.shared);
    if (woken == platform::FutexWait::interrupted || woken == platform::FutexWait::timeout) continue;
    spurious_wakeups = cached_read_position_ == before ? spurious_wakeups + 1 : 0;
    if (spurious_wakeups > connection_->max_spurious_wakeups)
      return Error{ErrorKind::disconnected, "too many spurious wake-ups from the peer"};
  }
}

void RingWriter::wake() noexcept { futex_sleeper_.wake(memory_.words->writer_state, memory_.shared); }

}  // namespace orbweaver::transport::shm
