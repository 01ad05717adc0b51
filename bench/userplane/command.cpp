#include "command.h"

#include <filesystem>
#include <fstream>
#include <ostream>

#include "bench/harness/experiment.h"
#include "bench/harness/machine.h"
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
      : plan_(plan), programs_(programs), all_(userplane_cases(plan, programs)), err_(err), skipped_(err) {}

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
        skipped_.add(reason);
    }
    interleave(plan_.rounds, rows.size(), [&](std::size_t row) { add_round(rows[row]); });
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

  const UserplanePlan& plan_;
  const std::string& programs_;
  const UserplaneCases all_;
  std::ostream& err_;
  std::vector<UserplaneRow> rows_;
  Skipped skipped_;
  bool failed_ = false;
};

}  // namespace

bool has_ipv6_loopback(const std::string& interfaces) {
  std::ifstream file(interfaces);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(std::string(31, '0') + "1 ")) return true;
  return false;
}

int run_userplane_command(const UserplanePlan& plan, const std::string& programs,
                          const std::string& json_file, std::ostream& out, std::ostream& err) {
  const auto run = [&] {
    UserplaneCommand command(plan, programs, err);
    const UserplaneConditions conditions{machine_description(), build_commit(), load_average(),
                                         plan.cpu_percent};
    command.measure_all();
    print_userplane(json_file == "-" ? err : out, command.rows(), conditions);
    const auto write = [&](std::ostream& to) { write_userplane_json(to, command.rows(), plan.cpu_percent); };
    return write_rows(json_file, write, out, err) && !command.failed() ? 0 : 1;
  };
  return status_of(run, err);
}

}  // namespace orbweaver::bench
