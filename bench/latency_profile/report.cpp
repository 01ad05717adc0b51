#include "report.h"

#include <algorithm>
#include <ostream>

#include "bench/harness/clock.h"
#include "bench/harness/machine.h"
#include "bench/harness/row_json.h"
#include "bench/harness/table.h"
#include "parts.h"

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
  ProfileSettings of_a = a.settings;
  of_a.interceptors = b.settings.interceptors;
  return of_a == b.settings && a.pin == b.pin && a.fifo == b.fifo && a.load == b.load;
}

nlohmann::ordered_json json_row(const ProfileRow& row, const PartRounds& part) {
  const Summary all = combine(part.rounds);
  nlohmann::ordered_json r{{"experiment", "profile"},
                           {"subject", row.subject},
                           {"transport", row.settings.transport},
                           {"type", part.part},
                           {"bytes", row.settings.samples * 4},
                           {"samples", row.settings.samples},
                           {"packets", row.settings.packets},
                           {"interval_us", row.settings.interval_us},
                           {"threads", row.settings.threads},
                           {"interceptors", row.settings.interceptors},
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
  if (row.consecutive) r["negative"] = part.negative;
  add_rounds(r, part.rounds);
  r["histogram"] = to_json(all.histogram);
  if (&part != &row.parts.front()) return r;
  const std::size_t step = (row.first_us.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < row.first_us.size(); i += std::max<std::size_t>(step, 1))
    r["points"].push_back({i, rounded_us(row.first_us[i])});
  return r;
}

std::string latency_and_parts(bool consecutive) {
  const std::string latency =
      "latency: from before the one-way call until the processing thread of the port has the samples;\n";
  if (!consecutive)
    return latency +
           "send: the call; dispatch: until the servant's operation; queue: from there on. us, medians over "
           "the rounds\n";
  return latency +
         "its parts, one after the other. stub: until arguments are marshalled; marshalling: until the "
         "transport has\n"
         "the message; transport: until the receiver has found the servant; skeleton: until its operation; "
         "copy: until\n"
         "the packet has its samples; queue: until the queue has it; wake-up: until the processing thread "
         "has "
         "it. us,\n"
         "medians over the rounds; negative: packets whose part ended before it began\n";
}

/// Widths of the columns: subject and part together, and each number.
struct Columns {
  int name, number;
};

std::string text_of_columns(const Columns& columns, const std::string& subject, const std::string& part) {
  return format("  %s%*s", subject.c_str(), columns.name - static_cast<int>(subject.size()), part.c_str());
}

void print_headings(std::ostream& out, bool consecutive, const Columns& columns) {
  out << text_of_columns(columns, "subject", "part");
  for (const char* each : {"p50", "mean", "sd", "p99", "p99.9", "min", "max"})
    out << format(" %*s", columns.number, each);
  out << (consecutive ? " negative\n" : "\n");
}

void print_row(std::ostream& out, const ProfileRow& row, const Columns& columns) {
  for (const PartRounds& part : row.parts) {
    const Summary all = combine(part.rounds);
    out << text_of_columns(columns, &part == &row.parts.front() ? row.label() : "", part.part);
    for (const double us : {all.p50_us, all.mean_us, all.sd_us, all.p99_us, all.p999_us, all.min_us})
      out << format(" %*.2f", columns.number, us);
    out << format(" %*.1f", columns.number, all.max_us);
    if (row.consecutive) out << format(" %8llu", static_cast<unsigned long long>(part.negative));
    out << "\n";
  }
}

/// What interceptors cost, if `with` and `without` are the same subject in the same rounds.
void print_cost_of_interceptors(std::ostream& out, const ProfileRow& without, const ProfileRow& with) {
  const std::vector<Summary>& plain = without.parts.front().rounds;
  const std::vector<Summary>& stamped = with.parts.front().rounds;
  if (without.subject != with.subject || without.settings.interceptors || !with.settings.interceptors ||
      !same_case(without, with) || plain.size() != stamped.size())
    return;
  std::vector<double> differences, ratios;
  for (std::size_t round = 0; round < plain.size(); ++round) {
    differences.push_back(stamped[round].p50_us - plain[round].p50_us);
    ratios.push_back(stamped[round].p50_us / plain[round].p50_us);
  }
  const auto [smallest, largest] = std::minmax_element(ratios.begin(), ratios.end());
  out << format("  interceptors: latency %+.2f us, %.3f times that without (%.3f to %.3f in the rounds)",
                median(differences), median(ratios), *smallest, *largest)
      << "\n";
}

}  // namespace

std::string ProfileRow::label() const { return subject + (settings.interceptors ? ", interceptors" : ""); }

void ProfileRow::add(const std::vector<PacketStamps>& stamps) {
  std::vector<PartTimes> times = consecutive ? consecutive_parts(stamps) : overlapping_parts(stamps);
  if (parts.empty())
    for (const PartTimes& each : times) parts.push_back({each.part, {}});
  if (first_us.empty()) first_us = times.front().us;
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::vector<double>& us = times[i].us;
    parts.at(i).negative +=
        static_cast<std::uint64_t>(std::count_if(us.begin(), us.end(), [](double each) { return each < 0; }));
    Summary summary = summarise(us);
    summary.calls = stamps.size();
    parts[i].rounds.push_back(summary);
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
  const bool consecutive = !rows.empty() && rows.front().consecutive;
  const Columns columns = consecutive ? Columns{33, 8} : Columns{20, 9};
  out << conditions.machine << "; commit " << conditions.commit << "; load average "
      << conditions.load_average << "\n"
      << describe_clock() << "\n"
      << latency_and_parts(consecutive);
  const ProfileRow* previous = nullptr;
  for (const ProfileRow& row : rows) {
    if (previous == nullptr || !same_case(*previous, row)) {
      out << "\n" << heading(row) << "\n";
      print_headings(out, consecutive, columns);
    }
    print_row(out, row, columns);
    if (previous != nullptr) print_cost_of_interceptors(out, *previous, row);
    previous = &row;
  }
}

void write_profile_json(std::ostream& out, const std::vector<ProfileRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const ProfileRow& row : rows)
    for (const PartRounds& part : row.parts) all.push_back(json_row(row, part));
  out << all.dump(1) << "\n";
}

}  // namespace orbweaver::bench
