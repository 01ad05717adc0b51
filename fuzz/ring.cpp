// A ring of shared memory whose other end is hostile. The input: how this end waits, what the ring holds at first, then
// steps: this end receives, claims or publishes, and the peer writes a shared word or bytes of the ring in between.
#include <cstdlib>
#include <memory>

#include "fuzz/input.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

using namespace orbweaver;
using namespace orbweaver::transport;
using namespace orbweaver::transport::shmem;

namespace {

constexpr std::size_t kRingBytes = 4096;
constexpr Deadline kPassed{1};

/// A ring in the heap, so that a sanitizer sees what lies beside it. A ring is mapped twice in a row; here the second
/// half is memory of its own, whose contents are the peer's as well.
struct Ring {
  Ring() : data(static_cast<std::uint8_t*>(std::aligned_alloc(kLine, 2 * kRingBytes))) { std::memset(data, 0, 2 * kRingBytes); }
  ~Ring() { std::free(data); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  RingMemory memory() { return {words.get(), data, kRingBytes, false}; }
  void write(std::size_t at, Bytes bytes) {
    at %= kRingBytes;
    std::copy_n(bytes.begin(), std::min(bytes.size(), 2 * kRingBytes - at), data + at);
  }

  std::unique_ptr<RingWords> words = std::make_unique<RingWords>();
  std::uint8_t* const data;
};

volatile std::size_t sink;

void read_all(Bytes bytes) {
  for (const std::uint8_t byte : bytes) sink = sink + byte;
}

/// False once the connection would end.
bool receive(RingReader& reader) {
  const auto piece = reader.receive(kPassed);
  if (!piece) return piece.error().remedy == Remedy::wait;
  read_all(piece->bytes);
  reader.release();
  return true;
}

bool send(RingWriter& writer, std::size_t bytes, bool kept) {
  bytes = 1 + bytes % writer.max_piece();
  auto room = writer.claim(bytes, kPassed);
  if (!room) return room.error().remedy == Remedy::wait;
  if (room->size() < bytes) std::abort();
  std::memset(room->data(), 0xA5, bytes);
  if (kept) writer.keep(bytes, Kind::frame);
  else writer.publish(bytes, Kind::frame);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto wait = static_cast<Wait>(input.take<std::uint8_t>() % 3);
  Ring incoming, outgoing;
  incoming.write(0, input.take_bytes(input.take<std::uint16_t>() % (2 * kRingBytes)));
  const RingLife life;
  RingReader reader(incoming.memory(), wait, life);
  RingWriter writer(outgoing.memory(), wait, life);
  bool receives = true, sends = true;
  while (!input.empty() && (receives || sends)) {
    Ring& ring = (input.take<std::uint8_t>() & 1) != 0 ? incoming : outgoing;
    switch (input.take<std::uint8_t>() % 6) {
      case 0: receives = receives && receive(reader); break;
      case 1: sends = sends && send(writer, input.take<std::uint16_t>(), (input.take<std::uint8_t>() & 1) != 0); break;
      case 2: writer.publish_kept(); break;
      case 3: ring.words->head = input.take<std::uint64_t>(); break;
      case 4:
        ring.words->reader = input.take<std::uint32_t>();
        ring.words->writer = input.take<std::uint32_t>();
        break;
      default: {
        const std::size_t at = input.take<std::uint16_t>();
        ring.write(at, input.take_bytes(8));
      }
    }
  }
  return 0;
}
