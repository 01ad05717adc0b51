// A queue of fixed slots between one sender and one receiver: the floor of a one-way call.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "copy.h"
#include "word.h"

namespace orbweaver::bench {

/// Layout over shared memory of `ring_bytes`, zeroed; each end has a `RingEnd` with the same message size. A
/// slot's first word is its message's number, so that the reader polls only that.
struct RingShape {
  explicit RingShape(std::size_t message_bytes)
      : stride((sizeof(Word) + message_bytes + 63) / 64 * 64),
        slots(static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::size_t>(kTarget / stride, 8, 1024)))) {
  }
  std::size_t ring_bytes() const { return kSlotsAt + stride * slots; }

  static constexpr std::size_t kTarget = 256 * 1024;  // fits into a core's private cache
  static constexpr std::size_t kSlotsAt = 4096;       // the reader's position has the page before the slots
  std::size_t stride;
  std::uint32_t slots;
};

template <class Waiting>
class RingEnd {
 public:
  RingEnd(std::byte* memory, std::size_t message_bytes)
      : shape_(message_bytes), message_bytes_(message_bytes), memory_(memory) {}

  /// Sender. Blocks while the ring is full.
  void push(const void* message) {
    const std::uint32_t next = number_ + 1;
    if (next - read_number_ > shape_.slots)
      read_number_ =
          Waiting::wait(progress(), [&](std::uint32_t seen) { return next - seen <= shape_.slots; });
    Word& word = slot(next);
    copy_bytes(&word + 1, message, message_bytes_);
    Waiting::change(word, next);
    number_ = next;
  }

  /// Receiver. Blocks until a message arrives. Returns it in place, valid until release().
  const void* front() {
    const std::uint32_t next = number_ + 1;
    Word& word = slot(next);
    Waiting::wait(word, [next](std::uint32_t seen) { return seen == next; });
    return &word + 1;
  }
  /// Receiver, after front(). Publishes its position every eighth of the ring.
  void release() {
    ++number_;
    if (number_ % (shape_.slots / 8) == 0) publish_progress();
  }
  /// Receiver. front(), a copy, and release().
  void pop(void* message) {
    copy_bytes(message, front(), message_bytes_);
    release();
  }

  void publish_progress() { Waiting::change(progress(), number_); }
  std::uint32_t number() const { return number_; }

 private:
  Word& progress() const { return *reinterpret_cast<Word*>(memory_); }
  Word& slot(std::uint32_t number) const {
    return *reinterpret_cast<Word*>(memory_ + RingShape::kSlotsAt +
                                    shape_.stride * (number & (shape_.slots - 1)));
  }

  RingShape shape_;
  std::size_t message_bytes_;
  std::byte* memory_;
  std::uint32_t number_ = 0;       ///< of this end's last message
  std::uint32_t read_number_ = 0;  ///< the receiver's position as last loaded by the sender
};

/// Total and number of messages read, beside the reader's position, for the sender at the end of a flood.
struct Consumed {
  std::atomic<double> total;
  std::atomic<std::uint32_t> messages;

  static Consumed& in(std::byte* ring) { return *reinterpret_cast<Consumed*>(ring + 2048); }

  /// Receiver: called after each message.
  void note(double sum, std::uint32_t number) {
    total.store(sum, std::memory_order_relaxed);
    messages.store(number, std::memory_order_release);  // C1: pairs with C2
  }
  /// Sender: waits for message `number`. `yield`: both ends may share a core.
  void await(std::uint32_t number, bool yield) const {
    while (messages.load(std::memory_order_acquire) != number)  // C2
      if (yield) syscall(SYS_sched_yield);
  }
};

}  // namespace orbweaver::bench
