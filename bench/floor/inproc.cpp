// Floor in one process: a virtual function call, and for one-way calls a ring to another thread.
#include <thread>

#include "floors.h"
#include "ring.h"
#include "segment.h"

namespace orbweaver::bench {
namespace {

struct Servant {
  virtual ~Servant() = default;
  virtual void take(const FlatPayload& payload) = 0;
};

struct Reader final : Servant {
  double total = 0;
  void take(const FlatPayload& payload) override { total += payload.read(); }
};

Summary call_twoway(const ClientSide& side) {
  FlatPayload sent(side.what);
  const auto servant = std::make_unique<Reader>();
  Servant* volatile known_as = servant.get();  // volatile, so that the compiler does not inline the call
  std::uint64_t calls = 0;
  Loop loop = side.loop;
  loop.batch = 100;
  const Summary figures = measure_calls(loop, [&] {
    ++calls;
    known_as->take(sent);
  });
  check_total(servant->total, sent.read(), calls);
  return figures;
}

Summary call_oneway(const ClientSide& side) {
  const Segment memory = Segment::make(RingShape(side.what.bytes).ring_bytes());
  FlatPayload sent(side.what);
  return with_waiting(side.what.wait, [&](auto waiting) {
    using End = RingEnd<decltype(waiting)>;
    Consumed& consumed = Consumed::in(memory.data());
    std::atomic<bool> stop = false;
    std::thread receiver([&] {
      End ring(memory.data(), side.what.bytes);
      FlatPayload received(side.what);
      for (double total = 0;;) {
        ring.pop(received.data());
        if (stop) return;  // set before the last message, which is not counted
        total += received.read();
        consumed.note(total, ring.number());
      }
    });
    End ring(memory.data(), side.what.bytes);
    const bool yield = side.what.wait != Wait::spin;
    const Summary figures = measure_stream(
        side.loop, [&] { ring.push(sent.data()); }, [&] { consumed.await(ring.number(), yield); });
    const std::uint32_t counted = ring.number();
    stop = true;
    ring.push(sent.data());
    receiver.join();
    check_total(consumed.total, sent.read(), counted);
    return figures;
  });
}

}  // namespace

Summary call_inproc(const ClientSide& side) {
  return side.what.experiment == Experiment::twoway ? call_twoway(side) : call_oneway(side);
}

}  // namespace orbweaver::bench
