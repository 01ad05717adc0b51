#include "sample.h"

#include <sstream>
#include <stdexcept>

namespace orbweaver::bench {

std::string to_lines(const std::vector<ScaleSample>& samples) {
  std::ostringstream out;
  out.precision(17);
  for (const ScaleSample& each : samples) {
    out << "callers " << each.callers << "\n" << to_line(each.times) << "\n";
    for (const auto& [name, value] : each.figures) out << "figure " << name << ' ' << value << "\n";
  }
  out << "done\n";
  return out.str();
}

bool ScaleSampleReader::add(const std::string& line) {
  if (line == "done") return false;
  std::istringstream in(line);
  std::string kind, name;
  in >> kind;
  if (kind == "callers") {
    in >> samples_.emplace_back().callers;
  } else if (!samples_.empty() && kind == "summary") {
    samples_.back().times = parse_summary(line);
  } else if (!samples_.empty() && kind == "figure") {
    double value = 0;
    in >> name >> value;
    samples_.back().figures[name] = value;
  } else {
    in.setstate(std::ios::failbit);
  }
  if (!in) throw std::invalid_argument("not a line of a sample: " + line);
  return true;
}

ScaleSample combine(const std::vector<ScaleSample>& processes) {
  ScaleSample combined;
  std::vector<Summary> times;
  std::map<std::string, std::vector<double>> figures;
  for (const ScaleSample& each : processes) {
    combined.callers = each.callers;
    times.push_back(each.times);
    for (const auto& [name, value] : each.figures) figures[name].push_back(value);
  }
  combined.times = combine(times);
  for (const auto& [name, values] : figures) combined.figures[name] = median(values);
  return combined;
}

}  // namespace orbweaver::bench
