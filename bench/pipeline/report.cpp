#include "report.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "bench/harness/machine.h"
#include "bench/harness/table.h"

namespace orbweaver::bench {
namespace {

/// A row of the tables of S. Bernier, H. Latour and J. P. Zamora Zapata, "How different messaging semantics
/// can affect SCA applications performances".
struct PublishedRow {
  const char* what;
  double last_ms[3];
  unsigned reordered[3];
};

constexpr PublishedRow kPublished[] = {
    {"one-way", {4463.20, 4508.41, 4513.61}, {315, 520, 612}},
    {"one-way, 5 ms between packets", {5416.57, 5421.74, 5426.90}, {95, 216, 349}},
    {"two-way", {15684.19, 15684.06, 15683.93}, {0, 0, 0}},
    {"two-way, thread per stage", {5286.22, 5267.73, 5297.16}, {0, 0, 0}},
};

/// Whether the settings are those of the document, but for mode and pace.
bool is_published(const PipelineSettings& s) { return s.stages == 3 && s.packets == 1000 && s.work_ms == 5; }

std::string row(const std::string& what, const std::vector<double>& last_ms, double theoretical_ms,
                const std::vector<std::uint64_t>& reordered) {
  std::string line = format("%-30s", what.c_str());
  for (const double ms : last_ms) line += format(" %9.1f", ms);
  line += theoretical_ms > 0 ? format(" %8.4f", last_ms.back() / theoretical_ms) : format(" %8s", "");
  for (const std::uint64_t count : reordered)
    line += format(" %6llu", static_cast<unsigned long long>(count));
  return line;
}

void print_header(std::ostream& out, unsigned stages) {
  std::string line = format("%-30s", "");
  for (unsigned i = 1; i <= stages; ++i) line += format(" %8s%u", "ms at ", i);
  line += format(" %8s", "/ theory");
  for (unsigned i = 1; i <= stages; ++i) line += format(" %5s%u", "reo.", i);
  out << line << format(" %6s %11s %11s %9s", "lost", "send p50/us", "send max/us", "peak/KiB") << "\n";
}

/// The mode, with the subject and its transport if it is another ORB.
std::string label(const PipelineResult& result) {
  const std::string mode(name(result.settings.mode));
  if (result.subject == "orbweaver") return mode;
  return mode + ", " + result.subject + (result.settings.collocated ? "" : "/" + result.settings.transport);
}

void print_result(std::ostream& out, const PipelineResult& result) {
  std::vector<double> last_ms;
  std::vector<std::uint64_t> reordered;
  for (const StageResult& stage : result.stages) {
    last_ms.push_back(stage.last_packet_ms);
    reordered.push_back(stage.reordered);
  }
  out << row(label(result), last_ms, theoretical_ms(result.settings, result.settings.stages), reordered)
      << format(" %6llu %11.1f %11.1f %9llu", static_cast<unsigned long long>(lost(result)),
                send_p50_us(result), send_max_us(result),
                static_cast<unsigned long long>(result.producer_peak_kib))
      << "\n";
}

/// The longest send of each fiftieth of the packets, as a power of ten: '.' below 10 µs, '1' below 100 µs …
void print_sends(std::ostream& out, const PipelineResult& result) {
  constexpr std::size_t kColumns = 50;
  std::string line;
  for (std::size_t column = 0; column < kColumns; ++column) {
    const std::size_t begin = column * result.send_us.size() / kColumns;
    const std::size_t end = (column + 1) * result.send_us.size() / kColumns;
    if (begin == end) continue;
    const double us = *std::max_element(result.send_us.begin() + static_cast<std::ptrdiff_t>(begin),
                                        result.send_us.begin() + static_cast<std::ptrdiff_t>(end));
    const int power = us < 1 ? 0 : static_cast<int>(std::log10(us));
    line += power < 1 ? '.' : static_cast<char>('0' + std::min(power, 9));
  }
  out << format("%-30s", label(result).c_str()) << line << "\n";
}

/// Where the time beyond the theoretical one is spent.
void print_overhead(std::ostream& out, const PipelineResult& result) {
  std::string line = format("%-30s", label(result).c_str());
  for (const StageResult& stage : result.stages)
    line += format("  %8.1f %8.1f %8.1f", stage.overhead.late_us, stage.overhead.between_us,
                   stage.overhead.pass_on_us);
  out << line << "\n";
}

void print_overhead_header(std::ostream& out, unsigned stages) {
  std::string line = format("%-30s", "");
  for (unsigned i = 1; i <= stages; ++i)
    line += format("  %7s%u %8s %8s", "late at ", i, "between", "pass on");
  out << line << "\n";
}

void print_settings(std::ostream& out, const PipelineSettings& s, const PipelineConditions& conditions) {
  out << conditions.machine << ", load " << conditions.load << ", commit " << conditions.commit
      << (conditions.fifo != 0 ? ", " + priority_description(conditions.fifo) : "") << "\n";
  out << s.stages << " stages, " << s.packets << " packets of " << kPacketSamples << " doubles over "
      << (s.collocated ? "inproc, all in one process" : s.transport + ", a process each")
      << (s.pace_ms > 0 ? format(", one packet each %g ms", s.pace_ms) : ", no pace") << ", -ORBWait "
      << s.wait << "\n";
  out << format("work of a stage: %g ms, ", s.work_ms)
      << (s.work == WorkBy::wait ? "a timed wait that stands for a device" : "computation") << "\n";
  out << format("theory: (packets - 1) x %g ms + stages x %g ms = %g ms", std::max(s.work_ms, s.pace_ms),
                s.work_ms, theoretical_ms(s, s.stages));
  out << format("; one stage at a time: %g ms\n", theoretical_synchronous_ms(s));
}

}  // namespace

void print_pipeline(std::ostream& out, const std::vector<PipelineResult>& results,
                    const PipelineConditions& conditions) {
  if (results.empty()) return;
  const PipelineSettings& settings = results.front().settings;
  print_settings(out, settings, conditions);
  out << "\ntime of the last packet and reordered packets, by stage\n";
  print_header(out, settings.stages);
  for (const PipelineResult& result : results) print_result(out, result);
  if (is_published(settings)) {
    out << "\nthe article (four cores, ORBexpress RT 2.8.2, computation)\n";
    for (const PublishedRow& p : kPublished) {
      out << row(p.what, {p.last_ms, p.last_ms + 3}, 5010, {p.reordered, p.reordered + 3}) << "\n";
    }
  }
  out << "\nmean us for each packet, by stage: late end of the work, from there to the next packet's work, "
         "from "
         "there until passed on\n";
  print_overhead_header(out, settings.stages);
  for (const PipelineResult& result : results) print_overhead(out, result);
  out << "\nlongest send of each fiftieth of the packets (. below 10 us, 1 below 100 us, 2 below 1 ms, 3 "
         "below 10 "
         "ms, ...)\n";
  for (const PipelineResult& result : results) print_sends(out, result);
}

}  // namespace orbweaver::bench
