#include "command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "plan.h"
#include "report.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

class ScaleCommand {
 public:
  ScaleCommand(const ScalePlan& plan, const std::string& programs, std::ostream& err)
      : plan_(plan), programs_(programs), pin_(*named<Pin>(plan.pin)), err_(err) {}

  std::vector<ScaleRow> measure(const std::vector<ScaleSettings>& all) {
    for (const ScaleSettings& each : all) measure(each);
    return std::move(rows_);
  }
  bool failed() const { return failed_; }

 private:
  std::string program_of(const std::string& subject) const {
    return programs_ + "/bench-" + subject + "-scale";
  }

  /// Subjects that are built and have the settings.
  std::vector<std::string> subjects_of(const ScaleSettings& settings) {
    std::vector<std::string> subjects;
    for (const std::string& subject : plan_.subjects) {
      std::string reason = reason_against(subject, settings);
      // What a subject does not have is in the documents; that it is missing here is not.
      if (reason.empty() && !std::filesystem::exists(program_of(subject)))
        skip(subject + ": not built here");
      else if (reason.empty())
        subjects.push_back(subject);
    }
    return subjects;
  }

  void measure(const ScaleSettings& settings) {
    const std::vector<std::string> subjects = subjects_of(settings);
    std::vector<ScaleRow> rows;
    for (const std::uint32_t callers : possible_callers(settings))
      for (const std::string& subject : subjects) rows.push_back({subject, settings, callers, pin_, {}});
    for (unsigned round = 0; round < plan_.rounds; ++round)
      // Each round begins with another subject, so that none always runs after the same predecessor.
      for (std::size_t i = 0; i < subjects.size(); ++i)
        add_round(subjects[(i + round) % subjects.size()], settings, rows);
    for (ScaleRow& row : rows)
      if (!row.rounds.empty()) rows_.push_back(std::move(row));
  }

  void add_round(const std::string& subject, const ScaleSettings& settings, std::vector<ScaleRow>& rows) {
    try {
      for (const ScaleSample& sample : run_scale(settings, program_of(subject), pin_))
        for (ScaleRow& row : rows)
          if (row.subject == subject && row.callers == sample.callers) row.rounds.push_back(sample);
    } catch (const std::exception& problem) {
      failed_ = true;
      err_ << "failed: " << subject << ", " << settings.count << " " << name(settings.part) << ": "
           << problem.what() << "\n";
    }
  }

  void skip(const std::string& text) {
    if (std::find(skipped_.begin(), skipped_.end(), text) != skipped_.end()) return;
    skipped_.push_back(text);
    err_ << "skipped: " << text << "\n";
  }

  const ScalePlan& plan_;
  const std::string& programs_;
  const Pin pin_;
  std::ostream& err_;
  std::vector<ScaleRow> rows_;
  std::vector<std::string> skipped_;
  bool failed_ = false;
};

std::string load_average() {
  std::string load = "unknown";
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

bool write_rows(const std::string& file, const std::vector<ScaleRow>& rows, std::ostream& out,
                std::ostream& err) {
  if (file.empty()) return true;
  if (file == "-") {
    write_scale_json(out, rows);
    return static_cast<bool>(out.flush());
  }
  std::ofstream json(file);
  write_scale_json(json, rows);
  json.close();
  if (!json) err << "orbweaver bench: cannot write " << file << "\n";
  return static_cast<bool>(json);
}

}  // namespace

int run_scale_command(const ScalePlan& plan, const std::string& programs, const std::string& json_file,
                      std::ostream& out, std::ostream& err) {
  try {
    const std::vector<ScaleSettings> settings = scale_settings(plan);
    (void)placement(*named<Pin>(plan.pin), allowed_cpus());  // before the first measurement
    const ScaleConditions conditions{machine_description(), build_commit(), load_average(), plan.rounds};
    ScaleCommand command(plan, programs, err);
    const std::vector<ScaleRow> rows = command.measure(settings);
    print_scale(json_file == "-" ? err : out, rows, conditions);
    if (rows.empty()) err << "orbweaver bench: nothing was measured\n";
    return write_rows(json_file, rows, out, err) && !command.failed() && !rows.empty() ? 0 : 1;
  } catch (const InvalidPlan& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 2;
  } catch (const std::exception& problem) {
    err << "orbweaver bench: " << problem.what() << "\n";
    return 1;
  }
}

}  // namespace orbweaver::bench
