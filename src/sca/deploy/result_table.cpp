#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/printable.h"
#include "sca/deploy/run_result.h"

namespace orbweaver::sca {
namespace {

/// A duration with three significant digits: "3.4 us", "1.2 ms", "2.5 s".
std::string duration(double us) {
  if (us >= 1e6) return fmt::format("{:.2f} s", us / 1e6);
  if (us >= 1000) return fmt::format("{:.{}f} ms", us / 1000, us >= 100e3 ? 0 : us >= 10e3 ? 1 : 2);
  return fmt::format("{:.{}f} us", us, us >= 100 ? 0 : us >= 10 ? 1 : 2);
}

/// A figure that an unresponsive component would have to report.
constexpr const char* kUnknown = "-";

using Row = std::vector<std::string>;

/// Formats rows in columns as wide as their widest cell; `alignment` has a '<' or '>' for each column.
/// Ids of profiles and texts of components are made printable.
std::string layout(std::vector<Row> rows, std::string_view alignment) {
  for (Row& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  std::vector<std::size_t> width(alignment.size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += alignment[i] == '<' ? fmt::format("{:<{}}", row[i], width[i])
                                  : fmt::format("{:>{}}", row[i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

constexpr std::size_t kLineColumns = 110;

/// A statistics value: whole numbers in full, others with five significant digits.
std::string figure(double value) {
  const bool whole = value == std::trunc(value) && std::fabs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

/// The counters of a component, "deframer_1: frames_good 2812, frames_bad 0, …", wrapped at kLineColumns.
std::string counters_of(const ComponentResult& component) {
  std::string text, line = "  " + printable(component.id) + ":";
  for (std::size_t i = 0; i < component.stats.size(); ++i) {
    const auto& [name, value] = component.stats[i];
    const std::string item =
        fmt::format(" {} {}{}", printable(name), figure(value), i + 1 < component.stats.size() ? "," : "");
    if (line.size() + item.size() > kLineColumns) {
      text += line + "\n";
      line = "   ";
    }
    line += item;
  }
  return text + line + "\n";
}

}  // namespace

std::string to_table(const RunResult& result) {
  std::string text;
  if (!result.hops.empty()) {
    std::vector<Row> rows{
        {"hop", "", "transport", "packets", "lost", "reordered", "p50", "p99", "max", "MB/s", "queue"}};
    for (const HopResult& h : result.hops) {
      const std::string transport = h.transport.empty() ? kUnknown : h.transport;
      if (!h.has_counts) {
        rows.push_back({h.from, "> " + h.to, transport});
        rows.back().resize(rows.front().size(), kUnknown);
        continue;
      }
      rows.push_back({h.from, "> " + h.to, transport, std::to_string(h.packets), std::to_string(h.lost),
                      std::to_string(h.reordered), duration(h.percentile_us(50)),
                      duration(h.percentile_us(99)), duration(static_cast<double>(h.max_ns) / 1000.0),
                      fmt::format("{:.{}f}", h.mb_per_s(), h.mb_per_s() < 10 ? 2 : 0),
                      fmt::format("{}/{}", h.queue_high_water, h.queue_limit)});
    }
    text += layout(rows, "<<<>>>>>>>>") + "\n";
  }
  for (const UnconnectedResult& u : result.unconnected)
    text += fmt::format("{} is not connected: {} packets dropped\n", printable(u.port), u.dropped_packets);
  if (!result.unconnected.empty()) text += "\n";
  std::vector<Row> rows{{"component", "placement", "pid", "CPU s", "end"}};
  for (const ComponentResult& c : result.components) {
    const std::string pid = c.pid < 0 ? kUnknown : std::to_string(c.pid);
    rows.push_back({c.id, c.placement, pid, fmt::format("{:.3f}", c.cpu_seconds), c.exit});
  }
  text += layout(rows, "<<>><");
  std::string counters;
  for (const ComponentResult& c : result.components) {
    if (!c.stats.empty()) counters += counters_of(c);
  }
  return counters.empty() ? text : text + "\ncounters\n" + counters;
}

}  // namespace orbweaver::sca
