#include "load_curve.h"

#include <algorithm>

#include "bench/harness/summary.h"

namespace orbweaver::bench {

double LoadPoint::mbit_per_s() const {
  return elapsed_us > 0 ? 8 * static_cast<double>(bytes) / elapsed_us : 0;
}

double LoadPoint::cpu_percent() const { return elapsed_us > 0 ? 100 * cpu_us / elapsed_us : 0; }

double LoadPoint::waited_percent() const { return elapsed_us > 0 ? 100 * waited_us / elapsed_us : 0; }

double LoadPoint::lost_percent() const {
  return sent > 0 ? 100 * static_cast<double>(lost()) / static_cast<double>(sent) : 0;
}

std::optional<AtLoad> throughput_at(std::vector<LoadPoint> points, double cpu_percent) {
  std::erase_if(
      points, [](const LoadPoint& p) { return p.lost_percent() > kMostLostPercent || p.mbit_per_s() <= 0; });
  if (points.empty()) return std::nullopt;
  std::sort(points.begin(), points.end(),
            [](const LoadPoint& a, const LoadPoint& b) { return a.mbit_per_s() < b.mbit_per_s(); });
  AtLoad before{0, 0, false};
  for (const LoadPoint& point : points) {
    const AtLoad here{point.mbit_per_s(), point.cpu_percent(), false};
    if (here.cpu_percent >= cpu_percent) {
      const double part = (cpu_percent - before.cpu_percent) / (here.cpu_percent - before.cpu_percent);
      return AtLoad{before.mbit_per_s + part * (here.mbit_per_s - before.mbit_per_s), cpu_percent, true};
    }
    before = here;
  }
  return before;
}

std::optional<LoadRatio> ratio_of(const std::vector<std::optional<AtLoad>>& a,
                                  const std::vector<std::optional<AtLoad>>& b) {
  LoadRatio ratio;
  std::vector<double> values;
  for (std::size_t round = 0; round < std::min(a.size(), b.size()); ++round) {
    if (!a[round] || !b[round]) continue;
    values.push_back(a[round]->mbit_per_s / b[round]->mbit_per_s);
    ratio.at_least |= !a[round]->reached;
    ratio.at_most |= !b[round]->reached;
  }
  if (values.empty()) return std::nullopt;
  ratio.value = median(values);
  return ratio;
}

}  // namespace orbweaver::bench
