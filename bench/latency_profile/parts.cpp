#include "parts.h"

#include <stdexcept>
#include <string>

namespace orbweaver::bench {
namespace {

std::pair<std::int64_t, std::int64_t> ends(const PacketStamps& stamps, ProfilePart part) {
  switch (part) {
    case ProfilePart::latency: return {stamps.called_ns, stamps.processed_ns};
    case ProfilePart::send: return {stamps.called_ns, stamps.returned_ns};
    case ProfilePart::dispatch: return {stamps.called_ns, stamps.dispatched_ns};
    case ProfilePart::queue: return {stamps.dispatched_ns, stamps.processed_ns};
  }
  throw std::logic_error("no such part");
}

}  // namespace

std::string_view name(ProfilePart part) {
  switch (part) {
    case ProfilePart::latency: return "latency";
    case ProfilePart::send: return "send";
    case ProfilePart::dispatch: return "dispatch";
    case ProfilePart::queue: return "queue";
  }
  return "";
}

std::vector<double> part_us(std::span<const PacketStamps> stamps, ProfilePart part) {
  std::vector<double> times;
  times.reserve(stamps.size());
  for (const PacketStamps& packet : stamps) {
    const auto [begin_ns, end_ns] = ends(packet, part);
    if (begin_ns == 0 || end_ns == 0)
      throw std::runtime_error("packet " + std::to_string(times.size() + 1) + " was lost");
    times.push_back(static_cast<double>(end_ns - begin_ns) / 1e3);
  }
  return times;
}

}  // namespace orbweaver::bench
