// The floor of `orbweaver bench profile`: packets over a raw stream socket, or through a ring in shared
// memory, to a queue with a thread.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/floor/ring.h"
#include "bench/floor/segment.h"
#include "bench/floor/socket.h"
#include "bench/latency_profile/packet_queue.h"
#include "bench/latency_profile/subject.h"

namespace {

using namespace orbweaver::bench;

struct Sample {
  std::int16_t i, q;
};

/// Precedes the samples of a packet; its number is kEnd where the sender asks for the totals.
struct Header {
  std::uint32_t number;
  std::uint32_t samples;
};
constexpr std::uint32_t kEnd = 0xffff'ffff;

std::size_t message_bytes(const ProfileSettings& settings) {
  return sizeof(Header) + settings.samples * sizeof(Sample);
}

/// Gives a packet to the queue. False if the sender asks for the totals.
bool push(PacketQueue<Sample>& queue, const void* message) {
  const auto* const header = static_cast<const Header*>(message);
  if (header->number == kEnd) return false;
  queue.push(header->number, reinterpret_cast<const Sample*>(header + 1), header->samples);
  return true;
}

/// Sends the packets by `write`, which is given each message, and at the end the one that asks for the
/// totals.
template <class Write>
void send_packets(const ProfileSender& side, Write write) {
  std::vector<Sample> samples(side.settings.samples);
  std::vector<std::byte> message(message_bytes(side.settings));
  const auto write_packet = [&](std::uint32_t number) {
    const Header header{number, side.settings.samples};
    std::memcpy(message.data(), &header, sizeof header);
    if (!samples.empty())
      std::memcpy(message.data() + sizeof header, samples.data(), samples.size() * sizeof(Sample));
    write(message.data());
  };
  send_profile_packets(
      side, [&](std::uint32_t number) { fill_profile_samples(samples, number); }, write_packet);
  write_packet(kEnd);
}

// ---- over a stream socket ----

Case case_of(const ProfileSettings& settings) {
  Case c;
  c.transport = settings.transport;
  return c;
}

void serve_stream(const ProfileReceiver& side) {
  const Socket sender = accept_one({case_of(side.settings), side.scratch, side.ready});
  PacketQueue<Sample> queue(side.stamps);
  std::vector<std::byte> message(message_bytes(side.settings));
  while (receive_all(sender, message.data(), message.size(), 0)) {
    if (push(queue, message.data())) continue;
    const ProfileTotals totals = queue.finish();
    send_all(sender, &totals, sizeof totals, 0);
  }
}

void send_stream(const ProfileSender& side) {
  ClientSide client;
  client.what = case_of(side.settings);
  client.address = side.address;
  const Socket receiver = connected(client);
  send_packets(
      side, [&](const std::byte* message) { send_all(receiver, message, message_bytes(side.settings), 0); });
  ProfileTotals totals;
  if (!receive_all(receiver, &totals, sizeof totals, 0)) throw std::runtime_error("no totals");
  check_totals(side.settings, totals);
}

// ---- through shared memory ----

/// Behind the ring. `known` becomes 1 when the receiver has stored the totals.
struct SharedTotals {
  Word known;
  ProfileTotals totals;
};

/// The ring in a segment, and the totals behind it.
class SharedRing {
 public:
  static std::size_t bytes(const ProfileSettings& settings) {
    return RingShape(message_bytes(settings)).ring_bytes() + sizeof(SharedTotals);
  }
  SharedRing(Segment segment, const ProfileSettings& settings)
      : segment_(std::move(segment)), ring_bytes_(RingShape(message_bytes(settings)).ring_bytes()) {}

  std::byte* ring() const { return segment_.data(); }
  SharedTotals& totals() const { return *reinterpret_cast<SharedTotals*>(segment_.data() + ring_bytes_); }

 private:
  Segment segment_;
  std::size_t ring_bytes_;
};

Wait wait_of(const ProfileSettings& settings) { return named<Wait>(settings.wait).value_or(Wait::block); }

void serve_shm(const ProfileReceiver& side) {
  Segment segment = Segment::make(SharedRing::bytes(side.settings));
  const std::string address = segment.address();
  const SharedRing shared(std::move(segment), side.settings);
  PacketQueue<Sample> queue(side.stamps);
  side.ready(address);
  with_waiting(wait_of(side.settings), [&](auto waiting) {
    RingEnd<decltype(waiting)> ring(shared.ring(), message_bytes(side.settings));
    while (push(queue, ring.front())) ring.release();
    shared.totals().totals = queue.finish();
    decltype(waiting)::change(shared.totals().known, 1);
  });
}

void send_shm(const ProfileSender& side) {
  const SharedRing shared(Segment::open(side.address, SharedRing::bytes(side.settings)), side.settings);
  with_waiting(wait_of(side.settings), [&](auto waiting) {
    RingEnd<decltype(waiting)> ring(shared.ring(), message_bytes(side.settings));
    send_packets(side, [&](const std::byte* message) { ring.push(message); });
    decltype(waiting)::wait(shared.totals().known, [](std::uint32_t seen) { return seen == 1; });
    check_totals(side.settings, shared.totals().totals);
  });
}

bool is_shared(const ProfileSettings& settings) { return settings.transport == "shm"; }
void serve(const ProfileReceiver& side) { is_shared(side.settings) ? serve_shm(side) : serve_stream(side); }
void send(const ProfileSender& side) { is_shared(side.settings) ? send_shm(side) : send_stream(side); }

}  // namespace

int main(int argc, char** argv) { return profile_subject_main(argc, argv, {serve, send}); }
