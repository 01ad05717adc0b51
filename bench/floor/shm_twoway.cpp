// Floor of two-way calls: two flags in shared memory. The request's word is followed by its payload in the
// same cache line, and the reply's word has its own line: a small exchange moves one line in each direction.
#include <cstddef>

#include "copy.h"
#include "floors.h"
#include "segment.h"
#include "word.h"

namespace orbweaver::bench {
namespace {

constexpr std::size_t kReplyAt = 0;
constexpr std::size_t kTotalAt = 64;      // the server's total, checked at the end
constexpr std::size_t kRequestAt = 4096;  // far from the reply: adjacent lines are fetched in pairs

std::size_t segment_bytes(const Case& c) { return kRequestAt + 4096 + c.bytes; }

struct Exchange {
  explicit Exchange(const Segment& s)
      : reply(*reinterpret_cast<Word*>(s.data() + kReplyAt)),
        total(*reinterpret_cast<std::atomic<double>*>(s.data() + kTotalAt)),
        request(*reinterpret_cast<Word*>(s.data() + kRequestAt)),
        payload(s.data() + kRequestAt + sizeof(Word)) {}
  Word& reply;
  std::atomic<double>& total;
  Word& request;
  std::byte* payload;
};

}  // namespace

void serve_shm_twoway(const ServerSide& side) {
  const Segment segment = Segment::make(segment_bytes(side.what));
  const Exchange shared(segment);
  FlatPayload received(side.what);
  side.ready(segment.address());
  with_waiting(side.what.wait, [&](auto waiting) {
    double total = 0;
    for (std::uint32_t call = 1;; ++call) {
      waiting.wait(shared.request, [call](std::uint32_t seen) { return seen == call; });
      copy_bytes(received.data(), shared.payload, received.size());
      total += received.read();
      shared.total.store(total, std::memory_order_relaxed);
      waiting.change(shared.reply, call);
    }
  });
}

Summary call_shm_twoway(const ClientSide& side) {
  const Segment segment = Segment::open(side.address, segment_bytes(side.what));
  const Exchange shared(segment);
  FlatPayload sent(side.what);
  return with_waiting(side.what.wait, [&](auto waiting) {
    std::uint32_t call = 0;
    const Summary figures = measure_calls(side.loop, [&] {
      ++call;
      copy_bytes(shared.payload, sent.data(), sent.size());
      waiting.change(shared.request, call);
      waiting.wait(shared.reply, [call](std::uint32_t seen) { return seen == call; });
    });
    check_total(shared.total.load(), sent.read(), call);
    return figures;
  });
}

}  // namespace orbweaver::bench
