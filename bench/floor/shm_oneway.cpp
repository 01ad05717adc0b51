// Floor of one-way calls: a flood of messages through a minimal ring in shared memory.
#include "floors.h"
#include "ring.h"
#include "segment.h"

namespace orbweaver::bench {

void serve_shm_oneway(const ServerSide& side) {
  const Segment segment = Segment::make(RingShape(side.what.bytes).ring_bytes());
  FlatPayload received(side.what);
  side.ready(segment.address());
  with_waiting(side.what.wait, [&](auto waiting) {
    RingEnd<decltype(waiting)> ring(segment.data(), side.what.bytes);
    Consumed& consumed = Consumed::in(segment.data());
    for (double total = 0;;) {
      ring.pop(received.data());
      total += received.read();
      consumed.note(total, ring.number());
    }
  });
}

Summary call_shm_oneway(const ClientSide& side) {
  const Segment segment = Segment::open(side.address, RingShape(side.what.bytes).ring_bytes());
  FlatPayload sent(side.what);
  return with_waiting(side.what.wait, [&](auto waiting) {
    RingEnd<decltype(waiting)> ring(segment.data(), side.what.bytes);
    const Consumed& consumed = Consumed::in(segment.data());
    const bool yield = side.what.wait != Wait::spin;
    const Summary figures = measure_stream(
        side.loop, [&] { ring.push(sent.data()); }, [&] { consumed.await(ring.number(), yield); });
    check_total(consumed.total.load(), sent.read(), ring.number());
    return figures;
  });
}

}  // namespace orbweaver::bench
