#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/streams/detail/wait_list.h>
#include <orbweaver/streams/detail/wait_until.h>
#include <orbweaver/streams/detail/watermark_monitor.h>
#include <orbweaver/streams/queue_options.h>

namespace orbweaver::streams {

namespace detail {

/// Observer of a BoundedQueue that does nothing. Its functions are called with the queue locked, for each
/// packet: added() when it is in the queue, removed() when it has left it for whatever reason.
template <class Packet>
struct NoQueueObserver {
  static void added(Packet&) noexcept {}
  static void removed(Packet&) noexcept {}
};

}  // namespace detail

/// FIFO of packets between threads, limited in packets and in bytes.
///
///     orbweaver::streams::BoundedQueue<Packet> queue{{64, 1 << 20, WhenFull::block}};
///     queue.push(std::move(packet), size);   // the producers' threads
///     while (queue.take(packet) == TakeResult::taken) process(packet);   // the consumers' threads
///
/// Any number of threads may push and take packets. Packets are taken in the order in which push() accepted
/// them; producers that wait for space are served in the order in which they began to wait, so that a large
/// packet is not overtaken by small ones that would fit. The queue stores the packets, and nothing per byte:
/// the size of a packet is what its producer states, so that the limit in bytes bounds the memory of the
/// packets' contents. A packet larger than the limit in bytes is never accepted. Storage for packets grows
/// with use up to the limit in packets, and is then reused: in steady state nothing is allocated, except by
/// WhenFull::drop_oldest.
///
/// Packets are moved in and out, and must be default-constructible; moving must not throw. They are destroyed
/// without the queue's lock held.
template <class Packet, class Observer = detail::NoQueueObserver<Packet>>
class BoundedQueue {
  static_assert(std::is_nothrow_move_constructible_v<Packet> && std::is_nothrow_move_assignable_v<Packet> &&
                    std::is_default_constructible_v<Packet>,
                "packets are moved under a lock");

 public:
  /// An empty queue. Throws std::invalid_argument for a limit of 0, and for watermarks that are not between
  /// 0 and the limits or whose high is not greater than the low.
  explicit BoundedQueue(QueueLimits limits, Watermarks watermarks = {})
      : limits_((detail::check(limits), limits)), watermarks_(std::move(watermarks), limits) {}
  /// Destroys the packets that are left. No other thread may be in a function of the queue: close() makes
  /// waiting ones return.
  ~BoundedQueue() = default;
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Adds a packet of `bytes` bytes; if it does not fit, applies WhenFull. WhenFull::block waits until
  /// `deadline`; one in the past does not wait. The packet is moved from only if the result is `accepted`.
  /// Any thread. Throws std::bad_alloc if storage cannot grow, without a change of the queue.
  [[nodiscard]] PushResult push(Packet&& packet, std::size_t bytes, Deadline deadline = Deadline::never()) {
    std::vector<Packet> dropped;  // destroyed after the lock is released
    std::unique_lock lock(mutex_);
    if (closed_) return counted(counts_.rejected_closed, PushResult::closed);
    if (bytes > limits_.bytes) return counted(counts_.too_large, PushResult::too_large);
    if (waiting_.first() != nullptr || !fits(bytes)) {
      switch (limits_.when_full) {
        case WhenFull::block: return wait_for_space(lock, packet, bytes, deadline);
        case WhenFull::reject: return counted(counts_.rejected, PushResult::queue_full);
        case WhenFull::drop_newest: return counted(counts_.dropped_newest, PushResult::dropped);
        case WhenFull::drop_oldest: drop_until_fits(bytes, dropped); break;
      }
    }
    reserve_slots(counts_.packets + 1);
    append(std::move(packet), bytes);
    finish(lock, 1);
    return PushResult::accepted;
  }

  /// Moves the oldest packet to `packet`. If the queue is empty, waits until `deadline`; one in the past does
  /// not wait. Any thread.
  [[nodiscard]] TakeResult take(Packet& packet, Deadline deadline = Deadline::never()) {
    std::unique_lock lock(mutex_);
    const std::uint64_t interrupts = interrupts_;
    while (counts_.packets == 0) {
      if (closed_) return TakeResult::end;
      if (interrupted_ || interrupts != interrupts_) return TakeResult::interrupted;
      if (deadline.passed()) return TakeResult::timed_out;
      ++waiting_consumers_;
      detail::wait_until(has_packets_, lock, deadline);
      --waiting_consumers_;
    }
    Packet oldest = remove_oldest();
    ++counts_.delivered;
    finish(lock, admit_waiting());
    packet = std::move(oldest);  // destroys the former content, without the lock
    return TakeResult::taken;
  }

  /// Destroys the oldest packets, as many as are in the queue at the call, and returns their number, which is
  /// smaller if consumers take some meanwhile. Allocates nothing. Any thread.
  std::size_t discard() noexcept {
    std::size_t discarded = 0;
    for (std::size_t left = counts().packets; left > 0; --left) {
      std::unique_lock lock(mutex_);
      if (counts_.packets == 0) break;
      // Destroyed without the lock, which finish() releases.
      [[maybe_unused]] const Packet oldest = remove_oldest();
      ++counts_.discarded;
      ++discarded;
      finish(lock, admit_waiting());
    }
    return discarded;
  }

  /// Destroys the packets in the queue for which `matches(const Packet&)` is true, and returns their number;
  /// the others keep their order. `matches` is called with the queue locked: it must not call the queue nor
  /// wait. Any thread. Throws what `matches` throws, and std::bad_alloc, without a change of the queue.
  template <class Predicate>
  std::size_t discard_if(Predicate&& matches) {
    std::vector<Packet> discarded;
    std::unique_lock lock(mutex_);
    std::vector<bool> match(counts_.packets);
    for (std::size_t i = 0; i < match.size(); ++i) match[i] = matches(std::as_const(slot(i).packet));
    discarded.reserve(static_cast<std::size_t>(std::count(match.begin(), match.end(), true)));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match[i]) {
        counts_.bytes -= slot(i).bytes;
        Observer::removed(slot(i).packet);
        discarded.push_back(std::move(slot(i).packet));
      } else {
        if (kept != i) slot(kept) = std::move(slot(i));
        ++kept;
      }
    }
    counts_.packets = kept;
    counts_.discarded += discarded.size();
    finish(lock, admit_waiting());
    return discarded.size();
  }

  /// Ends the queue: later and waiting calls of push() return `closed`; take() returns the remaining packets
  /// and then `end`. Cannot be undone. Any thread.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    release_waiting(PushResult::closed, counts_.rejected_closed);
    has_packets_.notify_all();
  }

  /// Makes push() and take() return `interrupted` where they would wait, and do wait, until
  /// clear_interrupt(). Nothing is lost, and calls that need not wait are not affected. Any thread.
  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    ++interrupts_;
    release_waiting(PushResult::interrupted, counts_.interrupted);
    has_packets_.notify_all();
  }
  /// Ends the effect of interrupt() on later calls. Any thread.
  void clear_interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = false;
  }

  /// Capacity; constant. Any thread.
  const QueueLimits& limits() const noexcept { return limits_; }
  /// Whether close() has been called. Any thread.
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  /// Whether a packet of `bytes` bytes would be accepted now, without waiting and without a loss. Another
  /// producer may use the space first. Any thread.
  bool has_space(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    return !closed_ && waiting_.first() == nullptr && bytes <= limits_.bytes && fits(bytes);
  }
  /// Content and counters. Any thread.
  QueueCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  struct Slot {
    Packet packet{};
    std::size_t bytes = 0;
  };
  /// A call of push() that waits for space. The thread that makes space moves the packet into the queue.
  struct WaitingPush {
    Packet* packet;
    std::size_t bytes;
    PushResult result = PushResult::accepted;
    bool done = false;
    std::condition_variable changed{};
    WaitingPush* next = nullptr;
    WaitingPush* previous = nullptr;
  };

  // All of these are called with mutex_ locked.

  PushResult counted(std::uint64_t& counter, PushResult result) {
    ++counter;
    return result;
  }

  /// Whether the packet fits; bytes <= limits_.bytes.
  bool fits(std::size_t bytes) const {
    return counts_.packets < limits_.packets && counts_.bytes <= limits_.bytes - bytes;
  }

  /// Makes the storage large enough for `slots` packets; at most the limit.
  void reserve_slots(std::size_t slots) {
    slots = std::min(slots, limits_.packets);
    if (ring_.size() >= slots) return;
    constexpr std::size_t kFirst = 8;
    std::vector<Slot> larger(std::min(std::max({slots, kFirst, 2 * ring_.size()}), limits_.packets));
    for (std::size_t i = 0; i < counts_.packets; ++i) larger[i] = std::move(slot(i));
    ring_ = std::move(larger);
    first_ = 0;
  }

  /// The slot of the packet at `index`, from the oldest on.
  Slot& slot(std::size_t index) noexcept { return ring_[(first_ + index) % ring_.size()]; }

  /// Adds a packet, for which there is space and a slot.
  void append(Packet&& packet, std::size_t bytes) noexcept {
    Slot& free = slot(counts_.packets);
    free.packet = std::move(packet);
    free.bytes = bytes;
    Observer::added(free.packet);
    ++counts_.packets;
    counts_.bytes += bytes;
    ++counts_.accepted;
    counts_.peak_packets = std::max(counts_.peak_packets, counts_.packets);
    counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.bytes);
  }

  Packet remove_oldest() noexcept {
    Slot& oldest = slot(0);
    first_ = (first_ + 1) % ring_.size();
    --counts_.packets;
    counts_.bytes -= oldest.bytes;
    Observer::removed(oldest.packet);
    return std::move(oldest.packet);
  }

  void drop_until_fits(std::size_t bytes, std::vector<Packet>& dropped) {
    reserve_slots(counts_.packets + 1);  // before anything is dropped: it may throw
    std::size_t count = 0;
    for (std::size_t freed = 0;
         counts_.packets - count >= limits_.packets || counts_.bytes - freed > limits_.bytes - bytes;
         ++count) {
      freed += slot(count).bytes;
    }
    dropped.reserve(count);
    for (; count > 0; --count) dropped.push_back(remove_oldest());
    counts_.dropped_oldest += dropped.size();
  }

  PushResult wait_for_space(std::unique_lock<std::mutex>& lock, Packet& packet, std::size_t bytes,
                            Deadline deadline) {
    if (interrupted_) return counted(counts_.interrupted, PushResult::interrupted);
    if (deadline.passed()) return counted(counts_.timed_out, PushResult::timed_out);
    // The storage has a slot for each waiting packet that can be admitted, so that admit_waiting() does not
    // allocate.
    reserve_slots(counts_.packets + waiting_.size() + 1);
    ++counts_.waited;
    WaitingPush self{&packet, bytes};
    waiting_.append(self);
    while (!self.done) {
      detail::wait_until(self.changed, lock, deadline);
      if (self.done || !deadline.passed()) continue;
      waiting_.remove(self);
      ++counts_.timed_out;
      finish(lock, admit_waiting());  // a smaller packet behind this one may fit
      return PushResult::timed_out;
    }
    return self.result;
  }

  /// Moves packets of waiting producers into the queue, in their order, while the next one fits. Returns
  /// their number.
  std::size_t admit_waiting() noexcept {
    std::size_t admitted = 0;
    for (; waiting_.first() != nullptr && fits(waiting_.first()->bytes); ++admitted) {
      WaitingPush& producer = *waiting_.first();
      waiting_.remove(producer);
      append(std::move(*producer.packet), producer.bytes);
      end_wait(producer, PushResult::accepted);
    }
    return admitted;
  }

  void release_waiting(PushResult result, std::uint64_t& counter) noexcept {
    while (waiting_.first() != nullptr) {
      WaitingPush& producer = *waiting_.first();
      waiting_.remove(producer);
      ++counter;
      end_wait(producer, result);
    }
  }

  /// Ends the wait of a producer, which destroys `producer` as soon as it has the lock.
  static void end_wait(WaitingPush& producer, PushResult result) noexcept {
    producer.result = result;
    producer.done = true;
    producer.changed.notify_one();
  }

  /// Releases the lock, wakes consumers for `appended` packets, and reports a change of the level.
  void finish(std::unique_lock<std::mutex>& lock, std::size_t appended) noexcept {
    const bool wake = appended > 0 && waiting_consumers_ > 0;
    if (watermarks_.update(counts_.packets, counts_.bytes)) {
      if (wake) has_packets_.notify_all();
      watermarks_.report(lock, counts_);
      lock.unlock();
      return;
    }
    lock.unlock();
    if (!wake) return;
    if (appended == 1) {
      has_packets_.notify_one();
    } else {
      has_packets_.notify_all();
    }
  }

  const QueueLimits limits_;
  mutable std::mutex mutex_;
  detail::WatermarkMonitor watermarks_;
  std::condition_variable has_packets_;
  std::vector<Slot> ring_;  // those from first_ on, counts_.packets, hold packets
  std::size_t first_ = 0;
  QueueCounts counts_;
  detail::WaitList<WaitingPush> waiting_;  // for space
  std::size_t waiting_consumers_ = 0;      // calls of take() that wait for a packet
  bool closed_ = false;
  bool interrupted_ = false;
  std::uint64_t interrupts_ = 0;  // calls of interrupt()
};

}  // namespace orbweaver::streams
