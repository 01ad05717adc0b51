#include "summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace orbweaver::bench {
namespace {

double nearest_rank(const std::vector<double>& sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

template <class Member>
double median_of(const std::vector<Summary>& all, Member member) {
  std::vector<double> values;
  values.reserve(all.size());
  for (const Summary& s : all) values.push_back(s.*member);
  return median(std::move(values));
}

ProcessMemory median_of(const std::vector<Summary>& all, ProcessMemory Summary::*end) {
  std::vector<double> resident, unshared;
  for (const Summary& s : all) {
    resident.push_back((s.*end).resident_kib);
    unshared.push_back((s.*end).private_kib);
  }
  return {median(std::move(resident)), median(std::move(unshared))};
}

}  // namespace

Summary summarise(std::vector<double>& samples) {
  Summary s;
  if (samples.empty()) return s;
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  s.mean_us = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  s.p50_us = nearest_rank(samples, 0.50);
  s.p90_us = nearest_rank(samples, 0.90);
  s.p99_us = nearest_rank(samples, 0.99);
  s.p999_us = nearest_rank(samples, 0.999);
  s.min_us = samples.front();
  s.max_us = samples.back();
  double squares = 0;
  for (const double x : samples) {
    squares += (x - s.mean_us) * (x - s.mean_us);
    s.histogram.add(x);
  }
  s.sd_us = std::sqrt(squares / count);
  return s;
}

Summary combine(const std::vector<Summary>& all) {
  Summary s;
  if (all.empty()) return s;
  s.mean_us = median_of(all, &Summary::mean_us);
  s.p50_us = median_of(all, &Summary::p50_us);
  s.p90_us = median_of(all, &Summary::p90_us);
  s.p99_us = median_of(all, &Summary::p99_us);
  s.p999_us = median_of(all, &Summary::p999_us);
  s.sd_us = median_of(all, &Summary::sd_us);
  s.cpu_us_per_call = median_of(all, &Summary::cpu_us_per_call);
  s.receiver_cpu_us_per_call = median_of(all, &Summary::receiver_cpu_us_per_call);
  s.copied_bytes = median_of(all, &Summary::copied_bytes);
  s.client = median_of(all, &Summary::client);
  s.server = median_of(all, &Summary::server);
  s.min_us = all.front().min_us;
  for (const Summary& process : all) {
    s.calls += process.calls;
    s.min_us = std::min(s.min_us, process.min_us);
    s.max_us = std::max(s.max_us, process.max_us);
    s.histogram.add(process.histogram);
  }
  return s;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string to_line(const Summary& s) {
  std::ostringstream out;
  out.precision(17);
  out << "summary " << s.calls << ' ' << s.mean_us << ' ' << s.p50_us << ' ' << s.p90_us << ' ' << s.p99_us
      << ' ' << s.p999_us << ' ' << s.min_us << ' ' << s.max_us << ' ' << s.sd_us << ' ' << s.cpu_us_per_call
      << ' ' << s.receiver_cpu_us_per_call << ' ' << s.copied_bytes;
  for (const ProcessMemory& end : {s.client, s.server})
    out << ' ' << end.resident_kib << ' ' << end.private_kib;
  out << ' ' << s.histogram;
  return out.str();
}

Summary parse_summary(const std::string& line) {
  std::istringstream in(line);
  std::string word;
  Summary s;
  in >> word >> s.calls >> s.mean_us >> s.p50_us >> s.p90_us >> s.p99_us >> s.p999_us >> s.min_us >>
      s.max_us >> s.sd_us >> s.cpu_us_per_call >> s.receiver_cpu_us_per_call >> s.copied_bytes;
  for (ProcessMemory* const end : {&s.client, &s.server}) in >> end->resident_kib >> end->private_kib;
  in >> s.histogram;
  if (!in || word != "summary") throw std::invalid_argument("not a summary line: " + line);
  return s;
}

}  // namespace orbweaver::bench
