// Ring buffers in shared memory with a malicious peer. The input: the wait strategy, the initial content of
// the ring, then steps: this end receives, claims or publishes, or the peer writes a shared word or bytes of
// a ring.
#include <cstdlib>
#include <memory>

#include "fuzz/input.h"
#include "transport/shm/ring_reader.h"
#include "transport/shm/ring_writer.h"

using namespace orbweaver;
using namespace orbweaver::transport;
using namespace orbweaver::transport::shm;

namespace {

constexpr std::size_t kRingBytes = 4096;
constexpr Deadline kPassed{1};

/// A ring in heap memory, so that a sanitizer detects accesses beyond it. A real ring is mapped twice in a
/// row; here the second half is separate memory, which the peer writes as well.
struct Ring {
  Ring() : data(static_cast<std::uint8_t*>(std::aligned_alloc(kLine, 2 * kRingBytes))) {
    std::memset(data, 0, 2 * kRingBytes);
  }
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

/// Receives a piece. False if the connection would end.
bool receive(RingReader& reader) {
  const auto piece = reader.receive(kPassed);
  if (!piece) return piece.error().kind == ErrorKind::timed_out;
  read_all(piece->bytes);
  reader.release();
  return true;
}

/// Sends a frame, or queues it. False if the connection would end.
bool send(RingWriter& writer, std::size_t bytes, bool queued) {
  bytes = 1 + bytes % writer.max_piece();
  auto buffer = writer.claim(bytes, kPassed);
  if (!buffer) return buffer.error().kind == ErrorKind::timed_out;
  if (buffer->size() < bytes) std::abort();
  std::memset(buffer->data(), 0xA5, bytes);
  if (queued)
    writer.queue(bytes, FrameKind::frame);
  else
    writer.publish(bytes, FrameKind::frame);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto wait = static_cast<WaitStrategy>(input.take<std::uint8_t>() % 3);
  Ring incoming, outgoing;
  incoming.write(0, input.take_bytes(input.take<std::uint16_t>() % (2 * kRingBytes)));
  const RingConnectionState connection;
  RingReader reader(incoming.memory(), wait, connection);
  RingWriter writer(outgoing.memory(), wait, connection);
  bool receives = true, sends = true;
  while (!input.empty() && (receives || sends)) {
    Ring& ring = (input.take<std::uint8_t>() & 1) != 0 ? incoming : outgoing;
    switch (input.take<std::uint8_t>() % 6) {
      case 0: receives = receives && receive(reader); break;
      case 1:
        sends = sends && send(writer, input.take<std::uint16_t>(), (input.take<std::uint8_t>() & 1) != 0);
        break;
      case 2: writer.publish_queued(); break;
      case 3: ring.words->read_position = input.take<std::uint64_t>(); break;
      case 4:
        ring.words->reader_state = input.take<std::uint32_t>();
        ring.words->writer_state = input.take<std::uint32_t>();
        break;
      default: {
        const std::size_t at = input.take<std::uint16_t>();
        ring.write(at, input.take_bytes(8));
      }
    }
  }
  return 0;
}
