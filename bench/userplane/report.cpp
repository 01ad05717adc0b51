#include "report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/harness/summary.h"
#include "bench/harness/table.h"

namespace orbweaver::bench {
namespace {

double rounded(double value) { return std::round(value * 1e3) / 1e3; }

bool same_case(const UserplaneRow& a, const UserplaneRow& b) {
  return a.settings.transport == b.settings.transport && a.settings.ip == b.settings.ip &&
         a.traffic == b.traffic;
}

/// The throughput at a load: median, smallest and largest of all rounds.
struct AtLoadOfRounds {
  double mbit_per_s = 0, min = 0, max = 0;
  double packet_us = 0;  ///< processor time of the receiver for a packet, median
  bool reached = true;   ///< in each round
};

/// Processor time of the receiver for a packet of `bytes` at that throughput.
double packet_us(const AtLoad& at, double bytes) { return at.cpu_percent / 100 * 8 * bytes / at.mbit_per_s; }

std::optional<AtLoadOfRounds> of_rounds(const UserplaneRow& row, double cpu_percent) {
  AtLoadOfRounds all;
  std::vector<double> values, times;
  for (const auto& round : row.at(cpu_percent)) {
    if (!round) continue;
    values.push_back(round->mbit_per_s);
    times.push_back(packet_us(*round, mean_bytes(row.traffic->sizes)));
    all.reached &= round->reached;
  }
  if (values.empty()) return std::nullopt;
  all.mbit_per_s = median(values);
  all.packet_us = median(times);
  all.min = *std::min_element(values.begin(), values.end());
  all.max = *std::max_element(values.begin(), values.end());
  return all;
}

/// The floor of a case that sends each packet at once, or the one with the longest batches.
const UserplaneRow* floor_of(const std::vector<const UserplaneRow*>& rows, bool batched) {
  const UserplaneRow* found = nullptr;
  for (const UserplaneRow* row : rows)
    if (row->subject == "floor" && (row->settings.batch_us != 0) == batched) found = row;
  return found;
}

std::string text_of(const std::optional<LoadRatio>& ratio) {
  if (!ratio || (ratio->at_least && ratio->at_most)) return "-";
  return (ratio->at_least ? ">=" : ratio->at_most ? "<=" : "") + format("%.2f", ratio->value);
}

std::optional<LoadRatio> ratio_of(const UserplaneRow* floor, const UserplaneRow& row, double cpu_percent) {
  if (floor == nullptr) return std::nullopt;
  return ratio_of(floor->at(cpu_percent), row.at(cpu_percent));
}

class CasePrinter {
 public:
  CasePrinter(std::ostream& out, std::vector<const UserplaneRow*> rows, double cpu_percent)
      : out_(out), rows_(std::move(rows)), cpu_percent_(cpu_percent) {}

  void print() {
    const UserplaneRow& first = *rows_.front();
    out_ << "\n"
         << first.settings.transport << ", IPv" << first.settings.ip << ", " << first.traffic->name
         << (first.pin == Pin::two ? "   (both ends block, a core each)\n"
                                   : "   (both ends block, not pinned)\n");
    print_at_load();
    print_points();
  }

 private:
  void print_at_load() {
    out_ << format("  %-20s %11s %9s %9s %10s %9s %9s %10s\n", "subject",
                   format("Mbit/s@%g%%", cpu_percent_).c_str(), "min", "max", "us/packet", "plain/it",
                   "best/it", "reordered");
    const UserplaneRow* const plain = floor_of(rows_, false);
    const UserplaneRow* const best = floor_of(rows_, true);
    for (const UserplaneRow* row : rows_) {
      const auto at = of_rounds(*row, cpu_percent_);
      if (!at) {
        out_ << format("  %-20s lost more than %g %% of the packets at every spacing\n", label(*row).c_str(),
                       kMostLostPercent);
        continue;
      }
      std::uint64_t reordered = 0;
      for (const LoadPoint& point : row->points()) reordered += point.reordered;
      out_ << format("  %-20s %11s %9.1f %9.1f %10.3f %9s %9s %10llu\n", label(*row).c_str(),
                     ((at->reached ? "" : ">=") + format("%.1f", at->mbit_per_s)).c_str(), at->min, at->max,
                     at->packet_us, text_of(ratio_of(plain, *row, cpu_percent_)).c_str(),
                     text_of(ratio_of(best, *row, cpu_percent_)).c_str(),
                     static_cast<unsigned long long>(reordered));
    }
  }

  /// A line for each spacing: throughput and load of each subject.
  void print_points() {
    out_ << "  spacing/us";
    for (const UserplaneRow* row : rows_) out_ << format(" %20s", label(*row).c_str());
    out_ << "   Mbit/s and CPU/%\n";
    const std::vector<std::uint32_t>& spacing = rows_.front()->settings.spacing_us;
    for (std::size_t i = 0; i < spacing.size(); ++i) {
      out_ << format("  %10u", spacing[i]);
      for (const UserplaneRow* row : rows_) {
        const LoadPoint point = row->points()[i];
        out_ << format(" %11.1f%s %7.2f", point.mbit_per_s(),
                       point.lost_percent() > kMostLostPercent ? "*" : " ", point.cpu_percent());
      }
      out_ << "\n";
    }
    for (const UserplaneRow* row : rows_) print_losses(*row);
    for (const UserplaneRow* row : rows_) print_waiting(*row);
  }

  void print_losses(const UserplaneRow& row) {
    std::string text;
    for (const LoadPoint& point : row.points())
      if (point.lost() != 0)
        text +=
            (text.empty() ? "" : ", ") + format("%.2f %% at %u us", point.lost_percent(), point.spacing_us);
    if (!text.empty()) out_ << "  lost, " << label(row) << ": " << text << "\n";
  }

  void print_waiting(const UserplaneRow& row) {
    double most = 0;
    for (const LoadPoint& point : row.points()) most = std::max(most, point.waited_percent());
    if (most > kMostWaitedPercent)
      out_ << "  busy machine, " << label(row)
           << format(": waited for its processor for %.0f %% of a point", most) << "\n";
  }

  std::ostream& out_;
  const std::vector<const UserplaneRow*> rows_;
  const double cpu_percent_;
};

nlohmann::ordered_json json_ratio(const std::optional<LoadRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", rounded(ratio->value)}, {"at_least", ratio->at_least}, {"at_most", ratio->at_most}};
}

nlohmann::ordered_json json_row(const UserplaneRow& row, const std::vector<const UserplaneRow*>& its_case,
                                double cpu_percent) {
  const double bytes = mean_bytes(row.traffic->sizes);
  nlohmann::ordered_json r{{"experiment", "userplane"},           {"subject", row.subject},
                           {"transport", row.settings.transport}, {"ip", row.settings.ip},
                           {"type", row.traffic->type},           {"messages", row.traffic->name},
                           {"bytes", std::lround(bytes)},         {"mean_bytes", rounded(bytes)},
                           {"batch_us", row.settings.batch_us},   {"point_ms", row.settings.point_ms},
                           {"pin", std::string(name(row.pin))},   {"at_cpu_percent", cpu_percent}};
  if (const auto at = of_rounds(row, cpu_percent)) {
    r["at_mbit_per_s"] = rounded(at->mbit_per_s);
    r["at_reached"] = at->reached;
    r["receiver_us_per_packet"] = rounded(at->packet_us);
  }
  r["plain_to_it"] = json_ratio(ratio_of(floor_of(its_case, false), row, cpu_percent));
  r["best_to_it"] = json_ratio(ratio_of(floor_of(its_case, true), row, cpu_percent));
  r["rounds_at_mbit_per_s"] = nlohmann::ordered_json::array();
  r["rounds_receiver_us_per_packet"] = nlohmann::ordered_json::array();
  for (const auto& round : row.at(cpu_percent)) {  // 0: the round failed
    r["rounds_at_mbit_per_s"].push_back(round ? rounded(round->mbit_per_s) : 0);
    r["rounds_receiver_us_per_packet"].push_back(round ? rounded(packet_us(*round, bytes)) : 0);
  }
  for (const LoadPoint& point : row.points())
    r["points"].push_back({{"spacing_us", point.spacing_us},
                           {"mbit_per_s", rounded(point.mbit_per_s())},
                           {"cpu_percent", rounded(point.cpu_percent())},
                           {"waited_percent", rounded(point.waited_percent())},
                           {"sent", point.sent},
                           {"received", point.received},
                           {"lost", point.lost()},
                           {"reordered", point.reordered},
                           {"wrong", point.wrong}});
  return r;
}

/// Calls `f` with the rows of each case.
template <class F>
void for_each_case(const std::vector<UserplaneRow>& rows, F f) {
  for (std::size_t i = 0; i < rows.size();) {
    std::vector<const UserplaneRow*> its_case;
    for (; i < rows.size() && (its_case.empty() || same_case(*its_case.front(), rows[i])); ++i)
      its_case.push_back(&rows[i]);
    f(its_case);
  }
}

}  // namespace

bool UserplaneRow::has_points() const {
  return std::any_of(rounds.begin(), rounds.end(), [](const auto& round) { return !round.empty(); });
}

std::vector<std::optional<AtLoad>> UserplaneRow::at(double cpu_percent) const {
  std::vector<std::optional<AtLoad>> all;
  for (const std::vector<LoadPoint>& round : rounds) all.push_back(throughput_at(round, cpu_percent));
  return all;
}

std::vector<LoadPoint> UserplaneRow::points() const {
  std::vector<LoadPoint> all(settings.spacing_us.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    LoadPoint& point = all[i];
    point.spacing_us = settings.spacing_us[i];
    std::vector<double> throughputs, loads, waits;
    for (const std::vector<LoadPoint>& round : rounds) {
      if (round.empty()) continue;
      throughputs.push_back(round[i].mbit_per_s());
      loads.push_back(round[i].cpu_percent());
      waits.push_back(round[i].waited_percent());
      point.sent += round[i].sent;
      point.received += round[i].received;
      point.bytes += round[i].bytes;
      point.wrong += round[i].wrong;
      point.reordered += round[i].reordered;
    }
    // The times with which the sums have the medians of the rounds.
    const double throughput = median(throughputs);
    point.elapsed_us = throughput > 0 ? 8 * static_cast<double>(point.bytes) / throughput : 0;
    point.cpu_us = median(loads) / 100 * point.elapsed_us;
    point.waited_us = median(waits) / 100 * point.elapsed_us;
  }
  return all;
}

std::string label(const UserplaneRow& row) {
  return row.subject + (row.settings.batch_us != 0 ? ", batched" : "");
}

void print_userplane(std::ostream& out, const std::vector<UserplaneRow>& rows,
                     const UserplaneConditions& conditions) {
  out << conditions.machine << "; commit " << conditions.commit << "; load average "
      << conditions.load_average << "\n"
      << "Throughput at " << format("%g", conditions.cpu_percent)
      << " % of a processor at the receiver, interpolated in each round; median, smallest and largest "
         "round.\n"
      << "floor: a socket, one send and one recv for each packet; batched: packets may wait, to be sent "
         "with\n"
      << "others (floor: sendmmsg, recvmmsg, UDP_SEGMENT, UDP_GRO). plain/it, best/it: median of the ratios, "
         "in\n"
      << "each round, of the floor's and the batched floor's throughput to this one; >=, <=: one of them has "
         "not\n"
      << "had that load. Each packet was verified. *: more than " << format("%g", kMostLostPercent)
      << " % were lost; not used.\n";
  for_each_case(rows, [&](const std::vector<const UserplaneRow*>& its_case) {
    CasePrinter(out, its_case, conditions.cpu_percent).print();
  });
}

void write_userplane_json(std::ostream& out, const std::vector<UserplaneRow>& rows, double cpu_percent) {
  auto all = nlohmann::ordered_json::array();
  for_each_case(rows, [&](const std::vector<const UserplaneRow*>& its_case) {
    for (const UserplaneRow* row : its_case) all.push_back(json_row(*row, its_case, cpu_percent));
  });
  out << all.dump(1) << "\n";
}

}  // namespace orbweaver::bench
