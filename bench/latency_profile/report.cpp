#include "report.h"

#include <algorithm>
#include <ostream>

#include "bench/harness/clock.h"
#include "bench/harness/machine.h"
#include "bench/harness/row_json.h"
#include "bench/harness/table.h"

namespace orbweaver::bench {
namespace {

constexpr std::size_t kMostPoints = 2'000;

std::string heading(const ProfileRow& row) {
  const ProfileSettings& s = row.settings;
  std::string text = format("%s, %u samples, %u packets, %u us between them, receiver: %s",
                            s.transport.c_str(), s.samples, s.packets, s.interval_us, s.threads.c_str());
  text += "   (both ends " + s.wait +
          (row.pin == Pin::one   ? ", one core"
           : row.pin == Pin::two ? ", a core each"
                                 : ", not pinned");
  if (row.load != 0) text += format(", %u busy processes", row.load);
  if (row.fifo != 0) text += ", " + priority_description(row.fifo);
  return text + ")";
}

bool same_case(const ProfileRow& a, const ProfileRow& b) {
  return a.settings == b.settings && a.pin == b.pin && a.fifo == b.fifo && a.load == b.load;
}

nlohmann::ordered_json json_row(const ProfileRow& row, ProfilePart part) {
  const auto& rounds = row.rounds.at(part);
  const Summary all = combine(rounds);
  nlohmann::ordered_json r{{"experiment", "profile"},
                           {"subject", row.subject},
                           {"transport", row.settings.transport},
                           {"type", std::string(name(part))},
                           {"bytes", row.settings.samples * 4},
                           {"samples", row.settings.samples},
                           {"packets", row.settings.packets},
                           {"interval_us", row.settings.interval_us},
                           {"threads", row.settings.threads},
                           {"wait", row.settings.wait},
                           {"pin", std::string(name(row.pin))},
                           {"fifo", row.fifo},
                           {"load", row.load},
                           {"mean_us", rounded_us(all.mean_us)},
                           {"p50_us", rounded_us(all.p50_us)},
                           {"p99_us", rounded_us(all.p99_us)},
                           {"p999_us", rounded_us(all.p999_us)},
                           {"min_us", rounded_us(all.min_us)},
                           {"max_us", rounded_us(all.max_us)},
                           {"sd_us", rounded_us(all.sd_us)}};
  add_rounds(r, rounds);
  r["histogram"] = to_json(all.histogram);
  if (part != ProfilePart::latency) return r;
  const std::size_t step = (row.first_us.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < row.first_us.size(); i += std::max<std::size_t>(step, 1))
    r["points"].push_back({i, rounded_us(row.first_us[i])});
  return r;
}

}  // namespace

void ProfileRow::add(const std::vector<PacketStamps>& stamps) {
  std::map<ProfilePart, std::vector<double>> times;
  for (const ProfilePart part : kProfileParts) times[part] = part_us(stamps, part);
  if (first_us.empty()) first_us = times[ProfilePart::latency];
  for (auto& [part, us] : times) {
    Summary summary = summarise(us);
    summary.calls = stamps.size();
    rounds[part].push_back(summary);
  }
}

std::string describe_clock() {
  constexpr int kStamps = 2'000;
  std::vector<double> differences;
  std::int64_t smallest = 0, before = steady_ns();
  for (int i = 0; i < kStamps; ++i) {
    const std::int64_t now = steady_ns();
    differences.push_back(static_cast<double>(now - before));
    if (now > before && (smallest == 0 || now - before < smallest)) smallest = now - before;
    before = now;
  }
  return format("clock: CLOCK_MONOTONIC, %.0f ns a stamp, smallest difference %lld ns", median(differences),
                static_cast<long long>(smallest));
}

void print_profile(std::ostream& out, const std::vector<ProfileRow>& rows,
                   const ProfileConditions& conditions) {
  out << conditions.machine << "; commit " << conditions.commit << "; load average "
      << conditions.load_average << "\n"
      << describe_clock() << "\n"
      << "latency: from before the one-way call until the processing thread of the port has the samples;\n"
      << "send: the call; dispatch: until the servant's operation; queue: from there on. us, medians over "
         "the "
         "rounds\n";
  const ProfileRow* previous = nullptr;
  for (const ProfileRow& row : rows) {
    if (previous == nullptr || !same_case(*previous, row))
      out << "\n"
          << heading(row) << "\n"
          << format("  %-10s %9s %9s %9s %9s %9s %9s %9s %9s", "subject", "part", "p50", "mean", "sd", "p99",
                    "p99.9", "min", "max")
          << "\n";
    previous = &row;
    for (const ProfilePart part : kProfileParts) {
      const Summary all = combine(row.rounds.at(part));
      out << format("  %-10s %9s %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.1f",
                    part == ProfilePart::latency ? row.subject.c_str() : "", std::string(name(part)).c_str(),
                    all.p50_us, all.mean_us, all.sd_us, all.p99_us, all.p999_us, all.min_us, all.max_us)
          << "\n";
    }
  }
}

void write_profile_json(std::ostream& out, const std::vector<ProfileRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const ProfileRow& row : rows)
    for (const ProfilePart part : kProfileParts) all.push_back(json_row(row, part));
  out << all.dump(1) << "\n";
}

}  // namespace orbweaver::bench
