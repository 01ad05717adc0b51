// The floor of `orbweaver bench profile`: packets over a raw stream socket, to a queue with a thread.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

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

Case case_of(const ProfileSettings& settings) {
  Case c;
  c.transport = settings.transport;
  return c;
}

void serve(const ProfileReceiver& side) {
  const Socket sender = accept_one({case_of(side.settings), side.scratch, side.ready});
  PacketQueue<Sample> queue(side.stamps);
  std::vector<std::byte> message(sizeof(Header) + side.settings.samples * sizeof(Sample));
  const auto* const header = reinterpret_cast<const Header*>(message.data());
  const auto* const samples = reinterpret_cast<const Sample*>(message.data() + sizeof(Header));
  while (receive_all(sender, message.data(), message.size(), 0)) {
    if (header->number != kEnd) {
      queue.push(header->number, samples, header->samples);
      continue;
    }
    const ProfileTotals totals = queue.finish();
    send_all(sender, &totals, sizeof totals, 0);
  }
}

void send(const ProfileSender& side) {
  ClientSide client;
  client.what = case_of(side.settings);
  client.address = side.address;
  const Socket receiver = connected(client);
  std::vector<Sample> samples(side.settings.samples);
  std::vector<std::byte> message(sizeof(Header) + samples.size() * sizeof(Sample));
  const auto write = [&](std::uint32_t number) {
    const Header header{number, side.settings.samples};
    std::memcpy(message.data(), &header, sizeof header);
    if (!samples.empty())
      std::memcpy(message.data() + sizeof header, samples.data(), samples.size() * sizeof(Sample));
    send_all(receiver, message.data(), message.size(), 0);
  };
  send_profile_packets(
      side, [&](std::uint32_t number) { fill_profile_samples(samples, number); }, write);
  write(kEnd);
  ProfileTotals totals;
  if (!receive_all(receiver, &totals, sizeof totals, 0)) throw std::runtime_error("no totals");
  check_totals(side.settings, totals);
}

}  // namespace

int main(int argc, char** argv) { return profile_subject_main(argc, argv, {serve, send}); }
