#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/deadline.h>
#include <orbweaver/streams/detail/watermark_monitor.h>
#include <orbweaver/streams/queue_options.h>

namespace orbweaver::streams {

/// FIFO of items between threads, limited in items and in bytes.
///
///     orbweaver::streams::BoundedQueue<Packet> queue{{64, 1 << 20, WhenFull::block}};
///     queue.put(std::move(packet), size);   // the producers' threads
///     while (queue.take(packet) == TakeResult::taken) process(packet);   // the consumers' threads
///
/// Any number of threads may put and take items. Items are taken in the order in which put() accepted them;
/// producers that wait for space are served in the order in which they began to wait, so that a large item is
/// not overtaken by small ones that would fit. The queue stores the items, and nothing per byte: the size of
/// an item is what its producer states, so that the limit in bytes bounds the memory of the items' contents.
/// An item larger than the limit in bytes is never accepted. Storage for items grows with use up to the limit
/// in items, and is then reused: in steady state nothing is allocated, except by WhenFull::drop_oldest.
///
/// Items are moved in and out, and must be default-constructible; moving must not throw. They are destroyed
/// without the queue's lock held.
template <class Item>
class BoundedQueue {
  static_assert(std::is_nothrow_move_constructible_v<Item> && std::is_nothrow_move_assignable_v<Item> &&
                    std::is_default_constructible_v<Item>,
                "items are moved under a lock");

 public:
  /// An empty queue. Throws std::invalid_argument for a limit of 0, and for watermarks that are not between
  /// 0 and the limits or whose high is not greater than the low.
  explicit BoundedQueue(QueueLimits limits, Watermarks watermarks = {})
      : limits_((detail::check(limits), limits)), watermarks_(std::move(watermarks), limits) {}
  /// Destroys the items that are left. No other thread may be in a function of the queue: close() makes
  /// waiting ones return.
  ~BoundedQueue() = default;
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// Adds an item of `bytes` bytes; if it does not fit, applies WhenFull. WhenFull::block waits until
  /// `deadline`; one in the past does not wait. The item is moved from only if the result is `accepted`. Any
  /// thread. Raises CORBA::TRANSIENT (0x4f570022) with WhenFull::raise_transient; throws std::bad_alloc if
  /// storage cannot grow, without a change of the queue.
  [[nodiscard]] PutResult put(Item&& item, std::size_t bytes, Deadline deadline = Deadline::never()) {
    std::vector<Item> dropped;  // destroyed after the lock is released
    std::unique_lock lock(mutex_);
    if (closed_) return counted(counts_.rejected_closed, PutResult::closed);
    if (bytes > limits_.bytes) return counted(counts_.too_large, PutResult::too_large);
    if (first_waiting_ != nullptr || !fits(bytes)) {
      switch (limits_.when_full) {
        case WhenFull::block: return wait_for_space(lock, item, bytes, deadline);
        case WhenFull::drop_newest: return counted(counts_.dropped_newest, PutResult::dropped);
        case WhenFull::drop_oldest: drop_until_fits(bytes, dropped); break;
        case WhenFull::raise_transient: {
          ++counts_.rejected;
          const std::size_t packets = counts_.packets, used = counts_.bytes;
          lock.unlock();
          detail::raise_queue_full(packets, used);
        }
      }
    }
    reserve_slots(counts_.packets + 1);
    append(std::move(item), bytes);
    finish(lock, 1);
    return PutResult::accepted;
  }

  /// Moves the oldest item to `item`. If the queue is empty, waits until `deadline`; one in the past does not
  /// wait. Any thread.
  [[nodiscard]] TakeResult take(Item& item, Deadline deadline = Deadline::never()) {
    std::unique_lock lock(mutex_);
    const std::uint64_t interrupts = interrupts_;
    while (counts_.packets == 0) {
      if (closed_) return TakeResult::end;
      if (interrupted_ || interrupts != interrupts_) return TakeResult::interrupted;
      if (deadline.passed()) return TakeResult::timed_out;
      ++waiting_consumers_;
      wait(has_items_, lock, deadline);
      --waiting_consumers_;
    }
    Item oldest = remove_oldest();
    ++counts_.delivered;
    finish(lock, admit_waiting());
    item = std::move(oldest);  // destroys the former content, without the lock
    return TakeResult::taken;
  }

  /// Destroys all items in the queue, and returns their number. Any thread. Throws std::bad_alloc, without a
  /// change of the queue.
  std::size_t discard() {
    return discard_if([](const Item&) { return true; });
  }

  /// Destroys the items in the queue for which `matches(const Item&)` is true, and returns their number; the
  /// others keep their order. `matches` is called with the queue locked: it must not call the queue nor wait.
  /// Any thread. Throws what `matches` throws, and std::bad_alloc, without a change of the queue.
  template <class Predicate>
  std::size_t discard_if(Predicate&& matches) {
    std::vector<Item> discarded;
    std::unique_lock lock(mutex_);
    std::vector<bool> match(counts_.packets);
    for (std::size_t i = 0; i < match.size(); ++i) match[i] = matches(std::as_const(slot(i).item));
    discarded.reserve(static_cast<std::size_t>(std::count(match.begin(), match.end(), true)));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match[i]) {
        counts_.bytes -= slot(i).bytes;
        discarded.push_back(std::move(slot(i).item));
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

  /// Ends the queue: later and waiting calls of put() return `closed`; take() returns the remaining items and
  /// then `end`. Cannot be undone. Any thread.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    release_waiting(PutResult::closed, counts_.rejected_closed);
    has_items_.notify_all();
  }

  /// Makes put() and take() return `interrupted` where they would wait, and do wait, until resume(). Nothing
  /// is lost, and calls that need not wait are not affected. Any thread.
  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    ++interrupts_;
    release_waiting(PutResult::interrupted, counts_.interrupted);
    has_items_.notify_all();
  }
  /// Ends the effect of interrupt() on later calls. Any thread.
  void resume() {
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
  /// Whether an item of `bytes` bytes would be accepted now, without waiting and without a loss. Another
  /// producer may use the space first. Any thread.
  bool has_space(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    return !closed_ && first_waiting_ == nullptr && bytes <= limits_.bytes && fits(bytes);
  }
  /// Content and counters. Any thread.
  QueueCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  struct Slot {
    Item item{};
    std::size_t bytes = 0;
  };
  /// A call of put() that waits for space. The thread that makes space moves the item into the queue.
  struct WaitingPut {
    Item* item;
    std::size_t bytes;
    PutResult result = PutResult::accepted;
    bool done = false;
    std::condition_variable changed{};
    WaitingPut* next = nullptr;
    WaitingPut* previous = nullptr;
  };

  // All of these are called with mutex_ locked.

  PutResult counted(std::uint64_t& counter, PutResult result) {
    ++counter;
    return result;
  }

  /// Whether the item fits; bytes <= limits_.bytes.
  bool fits(std::size_t bytes) const {
    return counts_.packets < limits_.packets && counts_.bytes <= limits_.bytes - bytes;
  }

  /// Makes the storage large enough for `slots` items; at most the limit.
  void reserve_slots(std::size_t slots) {
    slots = std::min(slots, limits_.packets);
    if (ring_.size() >= slots) return;
    constexpr std::size_t kFirst = 8;
    std::vector<Slot> larger(std::min(std::max({slots, kFirst, 2 * ring_.size()}), limits_.packets));
    for (std::size_t i = 0; i < counts_.packets; ++i) larger[i] = std::move(slot(i));
    ring_ = std::move(larger);
    first_ = 0;
  }

  /// The slot of the item at `index`, from the oldest on.
  Slot& slot(std::size_t index) noexcept { return ring_[(first_ + index) % ring_.size()]; }

  /// Adds an item, for which there is space and a slot.
  void append(Item&& item, std::size_t bytes) noexcept {
    Slot& free = slot(counts_.packets);
    free.item = std::move(item);
    free.bytes = bytes;
    ++counts_.packets;
    counts_.bytes += bytes;
    ++counts_.accepted;
    counts_.high_water_packets = std::max(counts_.high_water_packets, counts_.packets);
    counts_.high_water_bytes = std::max(counts_.high_water_bytes, counts_.bytes);
  }

  Item remove_oldest() noexcept {
    Slot& oldest = slot(0);
    first_ = (first_ + 1) % ring_.size();
    --counts_.packets;
    counts_.bytes -= oldest.bytes;
    return std::move(oldest.item);
  }

  void drop_until_fits(std::size_t bytes, std::vector<Item>& dropped) {
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

  PutResult wait_for_space(std::unique_lock<std::mutex>& lock, Item& item, std::size_t bytes,
                           Deadline deadline) {
    if (interrupted_) return counted(counts_.interrupted, PutResult::interrupted);
    if (deadline.passed()) return counted(counts_.timed_out, PutResult::timed_out);
    // The storage has a slot for each waiting item that can be admitted, so that admit_waiting() does not
    // allocate.
    reserve_slots(counts_.packets + waiting_ + 1);
    ++counts_.blocked;
    WaitingPut self{&item, bytes};
    link(self);
    while (!self.done) {
      wait(self.changed, lock, deadline);
      if (self.done || !deadline.passed()) continue;
      unlink(self);
      ++counts_.timed_out;
      finish(lock, admit_waiting());  // a smaller item behind this one may fit
      return PutResult::timed_out;
    }
    return self.result;
  }

  /// Moves items of waiting producers into the queue, in their order, while the next one fits. Returns their
  /// number.
  std::size_t admit_waiting() noexcept {
    std::size_t admitted = 0;
    for (; first_waiting_ != nullptr && fits(first_waiting_->bytes); ++admitted) {
      WaitingPut& producer = *first_waiting_;
      unlink(producer);
      append(std::move(*producer.item), producer.bytes);
      end_wait(producer, PutResult::accepted);
    }
    return admitted;
  }

  void release_waiting(PutResult result, std::uint64_t& counter) noexcept {
    while (first_waiting_ != nullptr) {
      WaitingPut& producer = *first_waiting_;
      unlink(producer);
      ++counter;
      end_wait(producer, result);
    }
  }

  /// Ends the wait of a producer, which destroys `producer` as soon as it has the lock.
  static void end_wait(WaitingPut& producer, PutResult result) noexcept {
    producer.result = result;
    producer.done = true;
    producer.changed.notify_one();
  }

  void link(WaitingPut& producer) noexcept {
    producer.previous = last_waiting_;
    (last_waiting_ != nullptr ? last_waiting_->next : first_waiting_) = &producer;
    last_waiting_ = &producer;
    ++waiting_;
  }
  void unlink(WaitingPut& producer) noexcept {
    (producer.previous != nullptr ? producer.previous->next : first_waiting_) = producer.next;
    (producer.next != nullptr ? producer.next->previous : last_waiting_) = producer.previous;
    --waiting_;
  }

  /// Releases the lock, wakes consumers for `appended` items, and reports a change of the level.
  void finish(std::unique_lock<std::mutex>& lock, std::size_t appended) noexcept {
    const bool wake = appended > 0 && waiting_consumers_ > 0;
    if (watermarks_.update(counts_.packets, counts_.bytes)) {
      if (wake) has_items_.notify_all();
      watermarks_.report(lock, counts_);
      lock.unlock();
      return;
    }
    lock.unlock();
    if (!wake) return;
    if (appended == 1) {
      has_items_.notify_one();
    } else {
      has_items_.notify_all();
    }
  }

  /// Returns at the deadline at the latest.
  static void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                   Deadline deadline) {
    if (deadline.is_never()) {
      condition.wait(lock);
    } else {
      condition.wait_until(lock,
                           std::chrono::steady_clock::time_point{std::chrono::nanoseconds(deadline.ns)});
    }
  }

  const QueueLimits limits_;
  mutable std::mutex mutex_;
  detail::WatermarkMonitor watermarks_;
  std::condition_variable has_items_;
  std::vector<Slot> ring_;  // counts_.packets items from first_ on
  std::size_t first_ = 0;
  QueueCounts counts_;
  WaitingPut* first_waiting_ = nullptr;
  WaitingPut* last_waiting_ = nullptr;
  std::size_t waiting_ = 0;            // calls of put() that wait for space
  std::size_t waiting_consumers_ = 0;  // calls of take() that wait for an item
  bool closed_ = false;
  bool interrupted_ = false;
  std::uint64_t interrupts_ = 0;  // calls of interrupt()
};

}  // namespace orbweaver::streams
