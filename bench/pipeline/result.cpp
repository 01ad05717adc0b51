#include "result.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace orbweaver::bench {

std::uint64_t lost(const PipelineResult& result) {
  if (result.stages.empty()) return result.settings.packets;
  const StageResult& last = result.stages.back();
  return result.settings.packets - (last.received - last.duplicates);
}

double send_p50_us(const PipelineResult& result) {
  if (result.send_us.empty()) return 0;
  std::vector<double> sorted = result.send_us;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double send_max_us(const PipelineResult& result) {
  return result.send_us.empty() ? 0 : *std::max_element(result.send_us.begin(), result.send_us.end());
}

std::vector<std::string> to_lines(const PipelineResult& result) {
  std::vector<std::string> lines;
  for (const StageResult& s : result.stages) {
    std::ostringstream line;
    line.precision(9);
    line << "stage " << s.last_packet_ms << ' ' << s.received << ' ' << s.reordered << ' '
         << s.reordered_on_arrival << ' ' << s.duplicates << ' ' << s.corrupt << ' ' << s.overhead.late_us
         << ' ' << s.overhead.between_us << ' ' << s.overhead.pass_on_us;
    lines.push_back(line.str());
  }
  std::ostringstream line;
  line << "producer " << result.producer_peak_kib;
  for (const double us : result.send_us) line << ' ' << std::round(us * 100) / 100;
  lines.push_back(line.str());
  return lines;
}

bool add_line(PipelineResult& result, std::string_view text) {
  std::istringstream line{std::string(text)};
  std::string kind;
  line >> kind;
  if (kind == "stage") {
    StageResult s;
    line >> s.last_packet_ms >> s.received >> s.reordered >> s.reordered_on_arrival >> s.duplicates >>
        s.corrupt >> s.overhead.late_us >> s.overhead.between_us >> s.overhead.pass_on_us;
    if (!line || !(line >> std::ws).eof()) return false;
    result.stages.push_back(s);
    return true;
  }
  if (kind != "producer" || !(line >> result.producer_peak_kib)) return false;
  for (double us = 0; line >> us;) result.send_us.push_back(us);
  return line.eof();
}

}  // namespace orbweaver::bench
