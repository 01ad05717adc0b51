#include "parts.h"

#include <cstdint>
#include <stdexcept>

namespace orbweaver::bench {
namespace {

using Stamp = std::int64_t PacketStamps::*;

PartTimes part_between(std::span<const PacketStamps> stamps, const std::string& part, Stamp begin,
                       Stamp end) {
  PartTimes times{part, {}};
  times.us.reserve(stamps.size());
  for (const PacketStamps& packet : stamps) {
    if (packet.*begin == 0 || packet.*end == 0)
      throw std::runtime_error("packet " + std::to_string(times.us.size() + 1) + " was lost");
    times.us.push_back(static_cast<double>(packet.*end - packet.*begin) / 1e3);
  }
  return times;
}

PartTimes latency(std::span<const PacketStamps> stamps) {
  return part_between(stamps, "latency", &PacketStamps::called_ns, &PacketStamps::processed_ns);
}

}  // namespace

std::vector<PartTimes> overlapping_parts(std::span<const PacketStamps> stamps) {
  return {latency(stamps), part_between(stamps, "send", &PacketStamps::called_ns, &PacketStamps::returned_ns),
          part_between(stamps, "dispatch", &PacketStamps::called_ns, &PacketStamps::dispatched_ns),
          part_between(stamps, "queue", &PacketStamps::dispatched_ns, &PacketStamps::processed_ns)};
}

std::vector<PartTimes> consecutive_parts(std::span<const PacketStamps> stamps) {
  const bool intercepted = !stamps.empty() && stamps.front().stub_ns != 0;
  struct Part {
    const char* name;
    Stamp end;
  };
  const std::vector<Part> parts =
      intercepted ? std::vector<Part>{{"stub", &PacketStamps::stub_ns},
                                      {"marshalling", &PacketStamps::sent_ns},
                                      {"transport", &PacketStamps::received_ns},
                                      {"skeleton", &PacketStamps::dispatched_ns},
                                      {"copy", &PacketStamps::queued_ns},
                                      {"queue", &PacketStamps::inserted_ns},
                                      {"wake-up", &PacketStamps::processed_ns}}
                  : std::vector<Part>{{"stub+marshalling", &PacketStamps::returned_ns},
                                      {"transport+skeleton", &PacketStamps::dispatched_ns},
                                      {"copy", &PacketStamps::queued_ns},
                                      {"queue", &PacketStamps::inserted_ns},
                                      {"wake-up", &PacketStamps::processed_ns}};
  std::vector<PartTimes> all{latency(stamps)};
  Stamp begin = &PacketStamps::called_ns;
  for (const auto& [name, end] : parts) {
    all.push_back(part_between(stamps, name, begin, end));
    begin = end;
  }
  return all;
}

}  // namespace orbweaver::bench
