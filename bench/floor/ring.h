// A queue of fixed slots between one sender and one receiver: the bare floor of a one-way call.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "copy.h"
#include "word.h"

namespace orbweaver::bench {

/// Lies over shared memory of `ring_bytes`, zeroed; a `RingEnd` at each end, of the same size of message.
/// A slot's first word is the number of its message, so that the reader needs to look at nothing else.
struct RingShape {
  explicit RingShape(std::size_t message_bytes)
      : stride((sizeof(Word) + message_bytes + 63) / 64 * 64),
        slots(static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::size_t>(kTarget / stride, 8, 1024)))) {
  }
  std::size_t ring_bytes() const { return kSlotsAt + stride * slots; }

  static constexpr std::size_t kTarget = 256 * 1024;  // stays in a core's own cache
  static constexpr std::size_t kSlotsAt = 4096;       // the reader's progress has a page before them
  std::size_t stride;
  std::uint32_t slots;
};

template <class Waiting>
class RingEnd {
 public:
  RingEnd(std::byte* memory, std::size_t message_bytes)
      : shape_(message_bytes), message_bytes_(message_bytes), memory_(memory) {}

  /// Sender. Blocks while the receiver is a whole ring behind.
  void push(const void* message) {
    const std::uint32_t next = number_ + 1;
    if (next - freed_ > shape_.slots)
      freed_ = Waiting::wait(progress(), [&](std::uint32_t seen) { return next - seen <= shape_.slots; });
    Word& word = slot(next);
    copy_bytes(&word + 1, message, message_bytes_);
    Waiting::change(word, next);
    number_ = next;
  }

  /// Receiver. Blocks until there is one; tells its progress every eighth of the ring.
  void pop(void* message) {
    const std::uint32_t next = number_ + 1;
    Word& word = slot(next);
    Waiting::wait(word, [next](std::uint32_t seen) { return seen == next; });
    copy_bytes(message, &word + 1, message_bytes_);
    number_ = next;
    if (next % (shape_.slots / 8) == 0) tell();
  }

  void tell() { Waiting::change(progress(), number_); }
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
  std::uint32_t number_ = 0;  ///< of the last message of this end
  std::uint32_t freed_ = 0;   ///< the receiver's progress as the sender last saw it
};

/// Beside the reader's progress: what it read, and how many, for whoever waits for the end of a flood.
struct Consumed {
  std::atomic<double> total;
  std::atomic<std::uint32_t> messages;

  static Consumed& in(std::byte* ring) { return *reinterpret_cast<Consumed*>(ring + 2048); }

  /// Receiver, after each message.
  void note(double sum, std::uint32_t number) {
    total.store(sum, std::memory_order_relaxed);
    messages.store(number, std::memory_order_release);  // C1: pairs with C2
  }
  /// Sender. Sleeps a moment between looks where both ends may share a core.
  void await(std::uint32_t number, bool yield) const {
    while (messages.load(std::memory_order_acquire) != number)  // C2
      if (yield) syscall(SYS_sched_yield);
  }
};

}  // namespace orbweaver::bench
