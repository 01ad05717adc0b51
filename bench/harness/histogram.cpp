#include "histogram.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>
#include <string>

namespace orbweaver::bench {
namespace {

constexpr double kFirstBin_us = 0.01;

}  // namespace

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

std::ostream& operator<<(std::ostream& out, const LogHistogram& histogram) {
  for (std::size_t bin = 0; bin < histogram.counts_.size(); ++bin)
    if (histogram.counts_[bin] != 0) out << bin << ':' << histogram.counts_[bin] << ' ';
  return out << '.';
}

std::istream& operator>>(std::istream& in, LogHistogram& histogram) {
  histogram = {};
  while (in >> std::ws && in.peek() != '.') {
    std::size_t bin = 0;
    char colon = 0;
    std::uint64_t count = 0;
    if (in >> bin >> colon >> count && (colon != ':' || bin >= histogram.counts_.size()))
      in.setstate(std::ios::failbit);
    if (in) histogram.counts_[bin] = count;
  }
  in.get();
  return in;
}

}  // namespace orbweaver::bench
