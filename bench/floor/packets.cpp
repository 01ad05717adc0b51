// Floors of packets: rings in a row, each process copying a message from one to the next, and a ring to each
// of several receivers. A block is written once, and the rings carry its number.
#include <algorithm>
#include <memory>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/harness/receivers.h"
#include "floors.h"
#include "ring.h"
#include "segment.h"

namespace orbweaver::bench {
namespace {

/// The memory of one floor, made before the receivers are forked.
class Memory {
 public:
  explicit Memory(const Case& c) : what_(c), block_(Segment::make(std::max<std::size_t>(c.bytes, 1))) {
    for (unsigned i = 0; i < c.receivers; ++i)
      rings_.push_back(Segment::make(RingShape(message_bytes()).ring_bytes()));
  }
  bool has_block() const { return what_.type == PayloadType::block; }
  /// The number of a packet in a block; otherwise the payload.
  std::size_t message_bytes() const { return has_block() ? sizeof(std::uint32_t) : what_.bytes; }
  /// Of receiver `number`, from 1.
  std::byte* ring_to(unsigned number) const { return rings_[number - 1].data(); }
  double* block() const { return reinterpret_cast<double*>(block_.data()); }
  std::size_t count() const { return what_.bytes / sizeof(double); }

 private:
  const Case what_;
  Segment block_;
  std::vector<Segment> rings_;
};

template <class Waiting>
[[noreturn]] void forward(const Receiver& self, const Memory& memory) {
  RingEnd<Waiting> in(memory.ring_to(self.number), memory.message_bytes());
  RingEnd<Waiting> out(memory.ring_to(self.number + 1), memory.message_bytes());
  for (;;) {
    const void* message = in.front();
    if (!memory.has_block()) self.board.note_copy(memory.message_bytes());  // before its arrival
    out.push(message);
    in.release();
  }
}

template <class Waiting>
[[noreturn]] void receive(const Receiver& self, const Memory& memory) {
  RingEnd<Waiting> in(memory.ring_to(self.number), memory.message_bytes());
  for (std::uint32_t number = 1;; ++number) {
    const void* message = in.front();
    const std::int64_t arrived_ns = steady_ns();
    const double* packet = memory.has_block() ? memory.block() : static_cast<const double*>(message);
    if (!memory.has_block()) self.board.note_copy(memory.message_bytes());
    const bool intact = packet_is(number, packet, memory.count(), memory.count());
    in.release();
    self.board.note_arrival(arrived_ns, intact);
  }
}

template <class Waiting>
void serve(const Receiver& self, const Memory& memory, const Case& c) {
  self.ready(self.number == 1 ? "first" : "other");
  is_chain(c) && self.number < c.receivers ? forward<Waiting>(self, memory) : receive<Waiting>(self, memory);
}

}  // namespace

std::optional<std::string> cannot_packets(const Case& c) {
  if (c.transport != "shm") return "there is no floor for packets over this transport";
  return cannot_spin(c);
}

Summary call_packets(const ClientSide& side) {
  const Case& c = side.what;
  const Memory memory(c);
  return with_waiting(c.wait, [&](auto waiting) {
    using Waiting = decltype(waiting);
    Receivers receivers(c, [&](const Receiver& self) { serve<Waiting>(self, memory, c); });
    std::vector<std::unique_ptr<RingEnd<Waiting>>> rings;
    for (unsigned number = 1; number <= (is_chain(c) ? 1 : c.receivers); ++number)
      rings.push_back(std::make_unique<RingEnd<Waiting>>(memory.ring_to(number), memory.message_bytes()));
    std::vector<double> samples(memory.count() + 1);
    return receivers.measure(side.loop, [&](std::uint32_t number) {
      std::int64_t began_ns = steady_ns();
      if (memory.has_block())
        fill_packet(memory.block(), memory.count(), number);
      else
        mark_packet(samples.data(), memory.count(), number);
      if (is_chain(c)) began_ns = steady_ns();  // a fan-out includes the write
      for (const auto& ring : rings) {
        if (memory.has_block())
          ring->push(&number);
        else
          ring->push(samples.data());
      }
      return began_ns;
    });
  });
}

}  // namespace orbweaver::bench
