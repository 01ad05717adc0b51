#include "command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "plan.h"
#include "report.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

std::string program_of(const std::string& programs, const std::string& subject) {
  return programs + "/bench-" + subject + "-userplane";
}

/// Why a sweep is not measured; empty if it is.
std::string reason_against(const std::string& programs, const UserplaneSweep& sweep) {
  if (sweep.settings.ip == 6 && !has_ipv6_loopback()) return "IPv6: this machine has no address ::1";
  if (!std::filesystem::exists(program_of(programs, sweep.subject)))
    return sweep.subject + ": not built here";
  if (sweep.subject != "omniorb") return "";
  if (sweep.settings.transport != "tcp") return "omniorb over udp: it has no such transport";
  return sweep.settings.batch_us == 0 ? "" : "omniorb with --batch: it sends each call at once";
}

class UserplaneCommand {
 public:
  UserplaneCommand(const UserplanePlan& plan, const std::string& programs, std::ostream& err)
      : plan_(plan), programs_(programs), all_(userplane_cases(plan, programs)), err_(err) {}

  void measure_all() {
    for (const UserplaneCase& each : all_.cases) measure(each);
  }
  const std::vector<UserplaneRow>& rows() const { return rows_; }
  bool failed() const { return failed_; }

 private:
  void measure(const UserplaneCase& what) {
    std::vector<UserplaneRow> rows;
    for (const UserplaneSweep& sweep : what.sweeps) {
      const std::string reason = reason_against(programs_, sweep);
      if (reason.empty())
        rows.push_back({sweep.subject, sweep.settings, &all_.traffic[what.traffic], all_.pin, {}});
      else
        skip(reason);
    }
    for (unsigned round = 0; round < plan_.rounds; ++round)
      // Each round begins with another subject, so that none always runs after the same predecessor.
      for (std::size_t i = 0; i < rows.size(); ++i) add_round(rows[(i + round) % rows.size()]);
    for (UserplaneRow& row : rows)
      if (row.has_points()) rows_.push_back(std::move(row));
  }

  /// A round that fails has no points: rounds of the same number are compared.
  void add_round(UserplaneRow& row) {
    row.rounds.emplace_back();
    try {
      row.rounds.back() =
          run_userplane(row.settings, row.traffic->sizes, program_of(programs_, row.subject), row.pin);
    } catch (const std::runtime_error& problem) {
      failed_ = true;
      err_ << "failed: " << label(row) << " over " << row.settings.transport << ", IPv" << row.settings.ip
           << ": " << problem.what() << "\n";
    }
  }

  void skip(const std::string& text) {
    if (std::find(skipped_.begin(), skipped_.end(), text) != skipped_.end()) return;
    skipped_.push_back(text);
    err_ << "skipped: " << text << "\n";
  }

  const UserplanePlan& plan_;
  const std::string& programs_;
  const UserplaneCases all_;
  std::ostream& err_;
  std::vector<UserplaneRow> rows_;
  std::vector<std::string> skipped_;
  bool failed_ = false;
};

std::string load_average() {
  std::string load = "unknown";
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

bool write_rows(const std::string& file, const std::vector<UserplaneRow>& rows, double cpu_percent,
                std::ostream& out, std::ostream& err) {
  if (file.empty()) return true;
  if (file == "-") {
    write_userplane_json(out, rows, cpu_percent);
    return true;
  }
  std::ofstream json(file);
  write_userplane_json(json, rows, cpu_percent);
  json.close();
  if (!json) err << "orbweaver bench: cannot write " << file << "\n";
  return static_cast<bool>(json);
}

}  // namespace

bool has_ipv6_loopback(const std::string& interfaces) {
  std::ifstream file(interfaces);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(std::string(31, '0') + "1 ")) return true;
  return false;
}

int run_userplane_command(const UserplanePlan& plan, const std::string& programs,
                          const std::string& json_file, std::ostream& out, std::ostream& err) {
  try {
    UserplaneCommand command(plan, programs, err);
    const UserplaneConditions conditions{machine_description(), build_commit(), load_average(),
                                         plan.cpu_percent};
    command.measure_all();
    print_userplane(json_file == "-" ? err : out, command.rows(), conditions);
    return write_rows(json_file, command.rows(), plan.cpu_percent, out, err) && !command.failed() ? 0 : 1;
  } catch (const InvalidPlan& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  } catch (const InvalidMix& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  } catch (const std::runtime_error& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 1;
  }
}

}  // namespace orbweaver::bench
