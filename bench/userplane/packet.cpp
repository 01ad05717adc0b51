#include "packet.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include "bench/harness/clock.h"

namespace orbweaver::bench {
namespace {

constexpr std::uint32_t kPositions = 251;  // a prime: neighbours of the same size differ

/// The content of a packet behind its header: a part of one pattern for all packets.
const std::uint8_t* content_of(std::uint32_t number) {
  static const std::vector<std::uint8_t> pattern = [] {
    std::vector<std::uint8_t> bytes(kLargestMessage + kPositions);
    std::mt19937 random(1);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    return bytes;
  }();
  return pattern.data() + number % kPositions;
}

/// Processor time of all threads of this process.
std::int64_t own_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Time for which this thread was ready to run and other threads had the processor; 0 if the kernel does not
/// count it.
std::int64_t own_wait_ns() {
  std::int64_t ran_ns = 0, waited_ns = 0;
  std::ifstream("/proc/thread-self/schedstat") >> ran_ns >> waited_ns;
  return waited_ns;
}

}  // namespace

std::span<const std::uint8_t> PacketWriter::next(std::uint32_t point, PacketKind kind) {
  const PacketHeader header{number_, point, kind};
  const std::size_t bytes = sizes_[number_ % sizes_.size()];
  std::memcpy(packet_.data(), &header, sizeof header);
  std::memcpy(packet_.data() + sizeof header, content_of(number_), bytes - sizeof header);
  ++number_;
  return {packet_.data(), bytes};
}

void PacketCheck::take(std::span<const std::uint8_t> packet) noexcept {
  PacketHeader header;
  if (packet.size() < sizeof header) {
    ++reception_.wrong;
    return;
  }
  std::memcpy(&header, packet.data(), sizeof header);
  const bool intact = packet.size() == sizes_[header.number % sizes_.size()] &&
                      std::memcmp(packet.data() + sizeof header, content_of(header.number),
                                  packet.size() - sizeof header) == 0;
  if (!intact) ++reception_.wrong;
  if (header.number < next_) ++reception_.reordered;
  next_ = std::max(next_, header.number + 1);
  if (header.kind != PacketKind::data) {
    if (intact) take_mark(header);
  } else if (progress_ == begun(header.point)) {
    ++reception_.packets;
    reception_.bytes += packet.size();
  }
}

void PacketCheck::take_mark(const PacketHeader& header) noexcept {
  // A mark is sent again until it has arrived, so that it can arrive more than once.
  if (header.kind == PacketKind::begin && progress_ < begun(header.point)) {
    reception_ = {};
    progress_ = begun(header.point);
    reception_.began_wait_ns = own_wait_ns();  // first, and last below: reading it takes a while
    reception_.began_cpu_ns = own_cpu_ns();
    reception_.began_ns = steady_ns();
    board_.publish(progress_);
  } else if (header.kind == PacketKind::end && progress_ == begun(header.point)) {
    reception_.ended_cpu_ns = own_cpu_ns();
    reception_.ended_ns = steady_ns();
    reception_.ended_wait_ns = own_wait_ns();
    progress_ = ended(header.point);
    board_.store(header.point, reception_);
    board_.publish(progress_);
  }
}

}  // namespace orbweaver::bench
