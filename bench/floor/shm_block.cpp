// Floor of loaned blocks: plain shared memory and two flags. The application writes all of it, the other end
// reads all of it, and nothing is copied.
#include "floors.h"
#include "segment.h"
#include "word.h"

namespace orbweaver::bench {
namespace {

constexpr std::size_t kPayloadAt = 4096;

struct Shared {
  explicit Shared(const Segment& s, const Case& c)
      : request(*reinterpret_cast<Word*>(s.data())),
        reply(*reinterpret_cast<Word*>(s.data() + 128)),  // not adjacent: lines are fetched in pairs
        total(*reinterpret_cast<std::atomic<double>*>(s.data() + 256)),
        payload(reinterpret_cast<double*>(s.data() + kPayloadAt)), count(c.bytes / sizeof(double)) {}
  Word& request;
  Word& reply;
  std::atomic<double>& total;
  double* payload;
  std::size_t count;
};

}  // namespace

void serve_shm_block(const ServerSide& side) {
  const Segment segment = Segment::make(kPayloadAt + side.what.bytes);
  const Shared shared(segment, side.what);
  side.ready(segment.address());
  with_waiting(side.what.wait, [&](auto waiting) {
    double total = 0;
    for (std::uint32_t call = 1;; ++call) {
      waiting.wait(shared.request, [call](std::uint32_t seen) { return seen == call; });
      total += read_in_full(shared.payload, shared.count);
      shared.total.store(total, std::memory_order_relaxed);
      waiting.change(shared.reply, call);
    }
  });
}

Summary call_shm_block(const ClientSide& side) {
  const Segment segment = Segment::open(side.address, kPayloadAt + side.what.bytes);
  const Shared shared(segment, side.what);
  return with_waiting(side.what.wait, [&](auto waiting) {
    std::uint32_t call = 0;
    double written = 0;
    const Summary figures = measure_calls(side.loop, [&] {
      ++call;
      written += write_in_full(shared.payload, shared.count, call);
      waiting.change(shared.request, call);
      waiting.wait(shared.reply, [call](std::uint32_t seen) { return seen == call; });
    });
    check_total(shared.total.load(), written, 1);
    return figures;
  });
}

}  // namespace orbweaver::bench
