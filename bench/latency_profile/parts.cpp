#include "parts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace orbweaver::bench {
namespace {

constexpr double kFirstBin_us = 0.1;

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

void LogHistogram::add(double us) {
  const double bin = us > kFirstBin_us ? std::log10(us / kFirstBin_us) * kBinsOfTen : 0;
  ++counts_[static_cast<std::size_t>(std::clamp(bin, 0.0, kBins - 1.0))];
}

void LogHistogram::add(const LogHistogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::vector<std::pair<double, std::uint64_t>> LogHistogram::bins() const {
  const auto counted = [](std::uint64_t count) { return count != 0; };
  const auto first = std::find_if(counts_.begin(), counts_.end(), counted);
  const auto end = std::find_if(counts_.rbegin(), counts_.rend(), counted).base();
  std::vector<std::pair<double, std::uint64_t>> bins;
  for (auto bin = first; bin < end; ++bin)
    bins.emplace_back(kFirstBin_us * std::pow(10.0, static_cast<double>(bin - counts_.begin()) / kBinsOfTen),
                      *bin);
  return bins;
}

}  // namespace orbweaver::bench
